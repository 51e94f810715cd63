CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO "message" VALUES('msg_20f1fd60a001wPPcWg3HhHPa25','ses_df0e030b7ffeDMDrDHimhIqcma',1795550074378,1795550084449,'{"role":"user","time":{"created":1795550074378},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_20f1fd830001ze6w1OoYTAdmx7','ses_df0e030b7ffeDMDrDHimhIqcma',1795550074928,1795550084100,'{"parentID":"msg_20f1fd60a001wPPcWg3HhHPa25","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795550074928,"completed":1795550084098},"finish":"tool-calls"}');
INSERT INTO "message" VALUES('msg_20f1ff67c0010KWjfg5S5Wemfo','ses_df0e0099effeCpRLWb5Enh8S11',1795550082685,1795550082948,'{"role":"user","time":{"created":1795550082685},"agent":"general","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_20f1ff6cc001rOJ9dp0oquJr6o','ses_df0e0099effeCpRLWb5Enh8S11',1795550082764,1795550083124,'{"parentID":"msg_20f1ff67c0010KWjfg5S5Wemfo","role":"assistant","mode":"general","agent":"general","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"input":0,"output":0,"reasoning":0,"cache":{"read":0,"write":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795550082764,"completed":1795550083118},"error":{"name":"APIError","data":{"message":"invalid x-api-key","statusCode":401,"isRetryable":false,"responseHeaders":{"content-length":"115","content-type":"application/json","date":"Tue, 24 Nov 2026 19:54:42 GMT"},"responseBody":"{\"error\":{\"code\":\"authentication_error\",\"message\":\"invalid x-api-key\",\"param\":null,\"type\":\"authentication_error\"}}\n","metadata":{"url":"http://127.0.0.1:8080/v1/chat/completions"}}}}');
INSERT INTO "message" VALUES('msg_20f1ffc08001wUw99PgHJSt2S2','ses_df0e030b7ffeDMDrDHimhIqcma',1795550084104,1795550084486,'{"parentID":"msg_20f1fd60a001wPPcWg3HhHPa25","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"input":0,"output":0,"reasoning":0,"cache":{"read":0,"write":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795550084104,"completed":1795550084484},"error":{"name":"APIError","data":{"message":"invalid x-api-key","statusCode":401,"isRetryable":false,"responseHeaders":{"content-length":"115","content-type":"application/json","date":"Tue, 24 Nov 2026 19:54:44 GMT"},"responseBody":"{\"error\":{\"code\":\"authentication_error\",\"message\":\"invalid x-api-key\",\"param\":null,\"type\":\"authentication_error\"}}\n","metadata":{"url":"http://127.0.0.1:8080/v1/chat/completions"}}}}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO "part" VALUES('prt_20f1fd612001rNgLbwaR0vN0aG','msg_20f1fd60a001wPPcWg3HhHPa25','ses_df0e030b7ffeDMDrDHimhIqcma',1795550074389,1795550074391,'{"type":"text","text":"\"say done\""}');
INSERT INTO "part" VALUES('prt_20f1ff61e001Mx7J3yxowgvMQx','msg_20f1fd830001ze6w1OoYTAdmx7','ses_df0e030b7ffeDMDrDHimhIqcma',1795550082590,1795550082593,'{"snapshot":"5dadd1311caf60dbb1c640bf8060a87309319eee","type":"step-start"}');
INSERT INTO "part" VALUES('prt_20f1ff622001b1eMMtUMQ9b8M8','msg_20f1fd830001ze6w1OoYTAdmx7','ses_df0e030b7ffeDMDrDHimhIqcma',1795550082594,1795550082758,'{"type":"text","text":"I will use a tool.","time":{"start":1795550082594,"end":1795550082757}}');
INSERT INTO "part" VALUES('prt_20f1ff6290016HelJjWA38Jf5X','msg_20f1fd830001ze6w1OoYTAdmx7','ses_df0e030b7ffeDMDrDHimhIqcma',1795550082601,1795550083137,'{"type":"tool","tool":"task","callID":"call_gcgf5r6oymujrsldxv6zvfoq","state":{"status":"error","input":{"description":"look","prompt":"look around in the folder","subagent_type":"general"},"error":"Subagent failed (task_id: ses_df0e0099effeCpRLWb5Enh8S11): invalid x-api-key","metadata":{"parentSessionId":"ses_df0e030b7ffeDMDrDHimhIqcma","sessionId":"ses_df0e0099effeCpRLWb5Enh8S11","model":{"modelID":"demo-1","providerID":"fake"}},"time":{"start":1795550082671,"end":1795550083136}}}');
INSERT INTO "part" VALUES('prt_20f1ff687001AX4zlBJPXaM3Om','msg_20f1ff67c0010KWjfg5S5Wemfo','ses_df0e0099effeCpRLWb5Enh8S11',1795550082697,1795550082698,'{"type":"text","text":"look around in the folder"}');
INSERT INTO "part" VALUES('prt_20f1ffa69001Y6QmIkQ2JV68z5','msg_20f1fd830001ze6w1OoYTAdmx7','ses_df0e030b7ffeDMDrDHimhIqcma',1795550083689,1795550083693,'{"reason":"tool-calls","snapshot":"5dadd1311caf60dbb1c640bf8060a87309319eee","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
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
INSERT INTO "session" VALUES('ses_df0e030b7ffeDMDrDHimhIqcma','global',NULL,NULL,'silent-cabin','/home/dev/work/demo','','Demo task','1.18.33',NULL,0,0,0,NULL,NULL,0.0,100,10,0,0,0,NULL,'[{"permission":"question","pattern":"*","action":"deny"},{"permission":"plan_enter","pattern":"*","action":"deny"},{"permission":"plan_exit","pattern":"*","action":"deny"}]','build','{"id":"demo-1","providerID":"fake","variant":"default"}',1795550072648,1795550084161,NULL,NULL);
INSERT INTO "session" VALUES('ses_df0e0099effeCpRLWb5Enh8S11','global',NULL,'ses_df0e030b7ffeDMDrDHimhIqcma','tidy-eagle','/home/dev/work/demo','','look (@general subagent)','1.18.33',NULL,0,0,0,NULL,NULL,0.0,0,0,0,0,0,NULL,'[{"permission":"question","pattern":"*","action":"deny"},{"permission":"plan_enter","pattern":"*","action":"deny"},{"permission":"plan_exit","pattern":"*","action":"deny"},{"permission":"task","pattern":"*","action":"deny"}]','general','{"id":"demo-1","providerID":"fake","variant":"default"}',1795550082658,1795550082940,NULL,NULL);
