CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO "message" VALUES('msg_20f244e63001Ti7mk490wriTQ5','ses_df0dbb267ffeZ7Cv4CpszBkbFg',1795550367331,1795550371340,'{"role":"user","time":{"created":1795550367331},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_20f244f06001B2R1fZmmmDeUZn','ses_df0dbb267ffeZ7Cv4CpszBkbFg',1795550367494,1795550370908,'{"parentID":"msg_20f244e63001Ti7mk490wriTQ5","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795550367494,"completed":1795550370907},"finish":"tool-calls"}');
INSERT INTO "message" VALUES('msg_20f2456fa001YFV0nooHNSBDkQ','ses_df0dba90fffeTrFAMftp7BrlOk',1795550369531,1795550370066,'{"role":"user","time":{"created":1795550369531},"agent":"general","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_20f245721001IjUojMjaixuB8m','ses_df0dba90fffeTrFAMftp7BrlOk',1795550369569,1795550370587,'{"parentID":"msg_20f2456fa001YFV0nooHNSBDkQ","role":"assistant","mode":"general","agent":"general","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"input":0,"output":0,"reasoning":0,"cache":{"read":0,"write":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795550369569,"completed":1795550370585},"error":{"name":"APIError","data":{"message":"invalid x-api-key","statusCode":401,"isRetryable":false,"responseHeaders":{"content-length":"115","content-type":"application/json","date":"Tue, 24 Nov 2026 19:59:30 GMT"},"responseBody":"{\"error\":{\"code\":\"authentication_error\",\"message\":\"invalid x-api-key\",\"param\":null,\"type\":\"authentication_error\"}}\n","metadata":{"url":"http://127.0.0.1:8080/v1/chat/completions"}}}}');
INSERT INTO "message" VALUES('msg_20f245c61001nytg2PAVAxFmRw','ses_df0dbb267ffeZ7Cv4CpszBkbFg',1795550370914,1795550372650,'{"parentID":"msg_20f244e63001Ti7mk490wriTQ5","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795550370914,"completed":1795550372649},"finish":"stop"}');
INSERT INTO "message" VALUES('msg_20f2480fc001AcLBuTJxy0WV9q','ses_df0dbb267ffeZ7Cv4CpszBkbFg',1795550380284,1795550386686,'{"role":"user","time":{"created":1795550380284},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_20f248201001VBS17vluq7PV2b','ses_df0dbb267ffeZ7Cv4CpszBkbFg',1795550380545,1795550385599,'{"parentID":"msg_20f2480fc001AcLBuTJxy0WV9q","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795550380545,"completed":1795550385597},"finish":"tool-calls"}');
INSERT INTO "message" VALUES('msg_20f2489e20015aosAo8746gtxE','ses_df0dba90fffeTrFAMftp7BrlOk',1795550382564,1795550386262,'{"role":"user","time":{"created":1795550382564},"agent":"general","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_20f248b41001cyOh2FqsTXfI19','ses_df0dba90fffeTrFAMftp7BrlOk',1795550382913,1795550384834,'{"parentID":"msg_20f2489e20015aosAo8746gtxE","role":"assistant","mode":"general","agent":"general","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795550382913,"completed":1795550384832},"finish":"stop"}');
INSERT INTO "message" VALUES('msg_20f2495c2001g3lLVlKghnmacw','ses_df0dbb267ffeZ7Cv4CpszBkbFg',1795550385602,1795550387238,'{"parentID":"msg_20f2480fc001AcLBuTJxy0WV9q","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795550385602,"completed":1795550387235},"finish":"stop"}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO "part" VALUES('prt_20f244e6b001NpnO4uRG6SxRww','msg_20f244e63001Ti7mk490wriTQ5','ses_df0dbb267ffeZ7Cv4CpszBkbFg',1795550367344,1795550367350,'{"type":"text","text":"\"say done\""}');
INSERT INTO "part" VALUES('prt_20f2456dc001JTKsb5twVR1HGZ','msg_20f244f06001B2R1fZmmmDeUZn','ses_df0dbb267ffeZ7Cv4CpszBkbFg',1795550369501,1795550369502,'{"snapshot":"5dadd1311caf60dbb1c640bf8060a87309319eee","type":"step-start"}');
INSERT INTO "part" VALUES('prt_20f2456e0001vXdnIJf6Po6Kxq','msg_20f244f06001B2R1fZmmmDeUZn','ses_df0dbb267ffeZ7Cv4CpszBkbFg',1795550369504,1795550369552,'{"type":"text","text":"I will use a tool.","time":{"start":1795550369504,"end":1795550369551}}');
INSERT INTO "part" VALUES('prt_20f2456e5001X9zi15x2aq6c4K','msg_20f244f06001B2R1fZmmmDeUZn','ses_df0dbb267ffeZ7Cv4CpszBkbFg',1795550369510,1795550370598,'{"type":"tool","tool":"task","callID":"call_tplvfd3fkvwozesgmffgbjbj","state":{"status":"error","input":{"description":"look","prompt":"look around in the folder","subagent_type":"general"},"error":"Subagent failed (task_id: ses_df0dba90fffeTrFAMftp7BrlOk): invalid x-api-key","metadata":{"parentSessionId":"ses_df0dbb267ffeZ7Cv4CpszBkbFg","sessionId":"ses_df0dba90fffeTrFAMftp7BrlOk","model":{"modelID":"demo-1","providerID":"fake"}},"time":{"start":1795550369525,"end":1795550370597}}}');
INSERT INTO "part" VALUES('prt_20f2456ff001pS2WnDNUDaz4r8','msg_20f2456fa001YFV0nooHNSBDkQ','ses_df0dba90fffeTrFAMftp7BrlOk',1795550369537,1795550369538,'{"type":"text","text":"look around in the folder"}');
INSERT INTO "part" VALUES('prt_20f245bcd001lIyX8DBZzB9Fx1','msg_20f244f06001B2R1fZmmmDeUZn','ses_df0dbb267ffeZ7Cv4CpszBkbFg',1795550370765,1795550370767,'{"reason":"tool-calls","snapshot":"5dadd1311caf60dbb1c640bf8060a87309319eee","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO "part" VALUES('prt_20f245d7a001KyZLmne6LWt7jg','msg_20f245c61001nytg2PAVAxFmRw','ses_df0dbb267ffeZ7Cv4CpszBkbFg',1795550371194,1795550371204,'{"snapshot":"5dadd1311caf60dbb1c640bf8060a87309319eee","type":"step-start"}');
INSERT INTO "part" VALUES('prt_20f245d89001ggsCh2X6jm5mI0','msg_20f245c61001nytg2PAVAxFmRw','ses_df0dbb267ffeZ7Cv4CpszBkbFg',1795550371209,1795550371217,'{"type":"text","text":"All done.","time":{"start":1795550371209,"end":1795550371216}}');
INSERT INTO "part" VALUES('prt_20f245fb5001bmZh3zvMHCZjoI','msg_20f245c61001nytg2PAVAxFmRw','ses_df0dbb267ffeZ7Cv4CpszBkbFg',1795550371765,1795550371766,'{"reason":"stop","snapshot":"5dadd1311caf60dbb1c640bf8060a87309319eee","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO "part" VALUES('prt_20f2480fe001IgFFDBB81e43wE','msg_20f2480fc001AcLBuTJxy0WV9q','ses_df0dbb267ffeZ7Cv4CpszBkbFg',1795550380327,1795550380330,'{"type":"text","text":"continue"}');
INSERT INTO "part" VALUES('prt_20f24897c001DoKE6jYyUZKtcS','msg_20f248201001VBS17vluq7PV2b','ses_df0dbb267ffeZ7Cv4CpszBkbFg',1795550382460,1795550382462,'{"snapshot":"5dadd1311caf60dbb1c640bf8060a87309319eee","type":"step-start"}');
INSERT INTO "part" VALUES('prt_20f248990001QySgwFxMG8p73C','msg_20f248201001VBS17vluq7PV2b','ses_df0dbb267ffeZ7Cv4CpszBkbFg',1795550382480,1795550382886,'{"type":"text","text":"I will use a tool.","time":{"start":1795550382480,"end":1795550382881}}');
INSERT INTO "part" VALUES('prt_20f24899a0014TFFld43rRvxkq','msg_20f248201001VBS17vluq7PV2b','ses_df0dbb267ffeZ7Cv4CpszBkbFg',1795550382490,1795550384849,'{"type":"tool","tool":"task","callID":"call_tmvfdwkssddmekdvpfzzbkyp","state":{"status":"completed","input":{"description":"look","prompt":"look around in the folder","subagent_type":"general","task_id":"ses_df0dba90fffeTrFAMftp7BrlOk"},"output":"<task id=\"ses_df0dba90fffeTrFAMftp7BrlOk\" state=\"completed\">\n<task_result>\nNothing is there.\n</task_result>\n</task>","metadata":{"parentSessionId":"ses_df0dbb267ffeZ7Cv4CpszBkbFg","sessionId":"ses_df0dba90fffeTrFAMftp7BrlOk","model":{"modelID":"demo-1","providerID":"fake"},"truncated":false},"title":"look","time":{"start":1795550382543,"end":1795550384847}}}');
INSERT INTO "part" VALUES('prt_20f2489e4001BmCLvOGtzAPsWr','msg_20f2489e20015aosAo8746gtxE','ses_df0dba90fffeTrFAMftp7BrlOk',1795550382825,1795550382826,'{"type":"text","text":"look around in the folder"}');
INSERT INTO "part" VALUES('prt_20f248eb2001sLhX7qL8acIJSt','msg_20f248b41001cyOh2FqsTXfI19','ses_df0dba90fffeTrFAMftp7BrlOk',1795550383797,1795550383799,'{"snapshot":"5dadd1311caf60dbb1c640bf8060a87309319eee","type":"step-start"}');
INSERT INTO "part" VALUES('prt_20f248eb8001kpoUnEIZMcq9xT','msg_20f248b41001cyOh2FqsTXfI19','ses_df0dba90fffeTrFAMftp7BrlOk',1795550383800,1795550383810,'{"type":"text","text":"Nothing is there.","time":{"start":1795550383800,"end":1795550383808}}');
INSERT INTO "part" VALUES('prt_20f249020001kjOgi43XQOPRhQ','msg_20f248b41001cyOh2FqsTXfI19','ses_df0dba90fffeTrFAMftp7BrlOk',1795550384160,1795550384227,'{"reason":"stop","snapshot":"5dadd1311caf60dbb1c640bf8060a87309319eee","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO "part" VALUES('prt_20f2493d1001Ai4KlaslFC0ySg','msg_20f248201001VBS17vluq7PV2b','ses_df0dbb267ffeZ7Cv4CpszBkbFg',1795550385120,1795550385143,'{"reason":"tool-calls","snapshot":"5dadd1311caf60dbb1c640bf8060a87309319eee","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO "part" VALUES('prt_20f2498a6001vno6lswcZIE0uu','msg_20f2495c2001g3lLVlKghnmacw','ses_df0dbb267ffeZ7Cv4CpszBkbFg',1795550386343,1795550386346,'{"snapshot":"5dadd1311caf60dbb1c640bf8060a87309319eee","type":"step-start"}');
INSERT INTO "part" VALUES('prt_20f2498b6001um2WPxsPpEAI4k','msg_20f2495c2001g3lLVlKghnmacw','ses_df0dbb267ffeZ7Cv4CpszBkbFg',1795550386358,1795550386372,'{"type":"text","text":"All done.","time":{"start":1795550386358,"end":1795550386361}}');
INSERT INTO "part" VALUES('prt_20f249a57001Tqe3kP5k5kIt2j','msg_20f2495c2001g3lLVlKghnmacw','ses_df0dbb267ffeZ7Cv4CpszBkbFg',1795550386775,1795550386778,'{"reason":"stop","snapshot":"5dadd1311caf60dbb1c640bf8060a87309319eee","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
CREATE TABLE `session` (
          `id` text PRIMARY KEY,
          `project_id` text NOT NULL,
          `workspace_id` text,
          `parent_id` text,
          `slug` text NOT NULL,
          `directory` text NOT NULL,
          `path` text,
          `title` text NOT NULL,
          `version` text NOT NULL,
          `share_url` text,
          `summary_additions` integer,
          `summary_deletions` integer,
          `summary_files` integer,
          `summary_diffs` text,
          `metadata` text,
          `cost` real DEFAULT 0 NOT NULL,
          `tokens_input` integer DEFAULT 0 NOT NULL,
          `tokens_output` integer DEFAULT 0 NOT NULL,
          `tokens_reasoning` integer DEFAULT 0 NOT NULL,
          `tokens_cache_read` integer DEFAULT 0 NOT NULL,
          `tokens_cache_write` integer DEFAULT 0 NOT NULL,
          `revert` text,
          `permission` text,
          `agent` text,
          `model` text,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `time_compacting` integer,
          `time_archived` integer,
          CONSTRAINT `fk_session_project_id_project_id_fk` FOREIGN KEY (`project_id`) REFERENCES `project`(`id`) ON DELETE CASCADE
        );
INSERT INTO "session" VALUES('ses_df0dbb267ffeZ7Cv4CpszBkbFg','global',NULL,NULL,'happy-tiger','/home/dev/work/demo','','Demo task','1.18.33',NULL,0,0,0,NULL,NULL,0.0,400,40,0,0,0,NULL,'[{"permission":"question","pattern":"*","action":"deny"},{"permission":"plan_enter","pattern":"*","action":"deny"},{"permission":"plan_exit","pattern":"*","action":"deny"}]','build','{"id":"demo-1","providerID":"fake","variant":"default"}',1795550367128,1795550387248,NULL,NULL);
INSERT INTO "session" VALUES('ses_df0dba90fffeTrFAMftp7BrlOk','global',NULL,'ses_df0dbb267ffeZ7Cv4CpszBkbFg','silent-harbor','/home/dev/work/demo','','look (@general subagent)','1.18.33',NULL,0,0,0,NULL,NULL,0.0,100,10,0,0,0,NULL,'[{"permission":"question","pattern":"*","action":"deny"},{"permission":"plan_enter","pattern":"*","action":"deny"},{"permission":"plan_exit","pattern":"*","action":"deny"},{"permission":"task","pattern":"*","action":"deny"}]','general','{"id":"demo-1","providerID":"fake","variant":"default"}',1795550369520,1795550384856,NULL,NULL);
