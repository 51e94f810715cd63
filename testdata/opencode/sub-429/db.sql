CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO "message" VALUES('msg_20f1fbd8f001R7H5Fqdpv5RvxX','ses_df0e04570ffeRoxOKT3Sezs9Iq',1795550068111,1795550085380,'{"role":"user","time":{"created":1795550068111},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_20f1fbf6a001v3wNfuze3InlQp','ses_df0e04570ffeRoxOKT3Sezs9Iq',1795550068586,1795550084982,'{"parentID":"msg_20f1fbd8f001R7H5Fqdpv5RvxX","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795550068586,"completed":1795550084934},"finish":"tool-calls"}');
INSERT INTO "message" VALUES('msg_20f1fd94b001dYqtHbCMjVYcVk','ses_df0e026cfffeE9CWH0DiSmmtsT',1795550075213,1795550078338,'{"role":"user","time":{"created":1795550075213},"agent":"general","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_20f1fdf9e001SEMrIhR3j2KyiR','ses_df0e026cfffeE9CWH0DiSmmtsT',1795550076830,1795550084433,'{"parentID":"msg_20f1fd94b001dYqtHbCMjVYcVk","role":"assistant","mode":"general","agent":"general","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"input":0,"output":0,"reasoning":0,"cache":{"read":0,"write":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795550076830,"completed":1795550084432},"error":{"name":"APIError","data":{"message":"This request would exceed your organization''s rate limit of 50,000 input tokens per minute.","statusCode":429,"isRetryable":true,"responseHeaders":{"content-length":"181","content-type":"application/json","date":"Tue, 24 Nov 2026 19:54:44 GMT","retry-after":"1"},"responseBody":"{\"error\":{\"code\":\"rate_limit_error\",\"message\":\"This request would exceed your organization''s rate limit of 50,000 input tokens per minute.\",\"param\":null,\"type\":\"rate_limit_error\"}}\n","metadata":{"url":"http://127.0.0.1:8080/v1/chat/completions"}}}}');
INSERT INTO "message" VALUES('msg_20f1fff8e001kg1WQPOF2OvS3r','ses_df0e04570ffeRoxOKT3Sezs9Iq',1795550085032,1795550086208,'{"parentID":"msg_20f1fbd8f001R7H5Fqdpv5RvxX","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795550085032,"completed":1795550086195},"finish":"stop"}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO "part" VALUES('prt_20f1fbda0001N0U36tHaDDwbb5','msg_20f1fbd8f001R7H5Fqdpv5RvxX','ses_df0e04570ffeRoxOKT3Sezs9Iq',1795550068140,1795550068144,'{"type":"text","text":"\"say done\""}');
INSERT INTO "part" VALUES('prt_20f1fd685001h2ZB4nz9NyE0wj','msg_20f1fbf6a001v3wNfuze3InlQp','ses_df0e04570ffeRoxOKT3Sezs9Iq',1795550074502,1795550074504,'{"snapshot":"5dadd1311caf60dbb1c640bf8060a87309319eee","type":"step-start"}');
INSERT INTO "part" VALUES('prt_20f1fd68900171wzVVe3p0b4KT','msg_20f1fbf6a001v3wNfuze3InlQp','ses_df0e04570ffeRoxOKT3Sezs9Iq',1795550074506,1795550076246,'{"type":"text","text":"I will use a tool.","time":{"start":1795550074506,"end":1795550076242}}');
INSERT INTO "part" VALUES('prt_20f1fd68e0011Av30sOLIy54fx','msg_20f1fbf6a001v3wNfuze3InlQp','ses_df0e04570ffeRoxOKT3Sezs9Iq',1795550074510,1795550084441,'{"type":"tool","tool":"task","callID":"call_7of2pnswemagutnq3bfbop4w","state":{"status":"error","input":{"description":"look","prompt":"look around in the folder","subagent_type":"general"},"error":"Subagent failed (task_id: ses_df0e026cfffeE9CWH0DiSmmtsT): This request would exceed your organization''s rate limit of 50,000 input tokens per minute.","metadata":{"parentSessionId":"ses_df0e04570ffeRoxOKT3Sezs9Iq","sessionId":"ses_df0e026cfffeE9CWH0DiSmmtsT","model":{"modelID":"demo-1","providerID":"fake"}},"time":{"start":1795550075197,"end":1795550084440}}}');
INSERT INTO "part" VALUES('prt_20f1fd9ee001uo6CXGlCfNUAvx','msg_20f1fd94b001dYqtHbCMjVYcVk','ses_df0e026cfffeE9CWH0DiSmmtsT',1795550075515,1795550075648,'{"type":"text","text":"look around in the folder"}');
INSERT INTO "part" VALUES('prt_20f1ffe7c001OpAm0ggUAUxtD4','msg_20f1fbf6a001v3wNfuze3InlQp','ses_df0e04570ffeRoxOKT3Sezs9Iq',1795550084732,1795550084734,'{"reason":"tool-calls","snapshot":"5dadd1311caf60dbb1c640bf8060a87309319eee","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO "part" VALUES('prt_20f200168001rW43OPIVKTYlmx','msg_20f1fff8e001kg1WQPOF2OvS3r','ses_df0e04570ffeRoxOKT3Sezs9Iq',1795550085480,1795550085481,'{"snapshot":"5dadd1311caf60dbb1c640bf8060a87309319eee","type":"step-start"}');
INSERT INTO "part" VALUES('prt_20f20016a001KfTy5GaOIVc5l5','msg_20f1fff8e001kg1WQPOF2OvS3r','ses_df0e04570ffeRoxOKT3Sezs9Iq',1795550085482,1795550085489,'{"type":"text","text":"All done.","time":{"start":1795550085482,"end":1795550085488}}');
INSERT INTO "part" VALUES('prt_20f200367001SxqvOAPtYSmFlf','msg_20f1fff8e001kg1WQPOF2OvS3r','ses_df0e04570ffeRoxOKT3Sezs9Iq',1795550085991,1795550085993,'{"reason":"stop","snapshot":"5dadd1311caf60dbb1c640bf8060a87309319eee","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
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
INSERT INTO "session" VALUES('ses_df0e04570ffeRoxOKT3Sezs9Iq','global',NULL,NULL,'quick-nebula','/home/dev/work/demo','','Demo task','1.18.33',NULL,0,0,0,NULL,NULL,0.0,200,20,0,0,0,NULL,'[{"permission":"question","pattern":"*","action":"deny"},{"permission":"plan_enter","pattern":"*","action":"deny"},{"permission":"plan_exit","pattern":"*","action":"deny"}]','build','{"id":"demo-1","providerID":"fake","variant":"default"}',1795550067343,1795550086258,NULL,NULL);
INSERT INTO "session" VALUES('ses_df0e026cfffeE9CWH0DiSmmtsT','global',NULL,'ses_df0e04570ffeRoxOKT3Sezs9Iq','eager-orchid','/home/dev/work/demo','','look (@general subagent)','1.18.33',NULL,0,0,0,NULL,NULL,0.0,0,0,0,0,0,NULL,'[{"permission":"question","pattern":"*","action":"deny"},{"permission":"plan_enter","pattern":"*","action":"deny"},{"permission":"plan_exit","pattern":"*","action":"deny"},{"permission":"task","pattern":"*","action":"deny"}]','general','{"id":"demo-1","providerID":"fake","variant":"default"}',1795550075184,1795550078334,NULL,NULL);
