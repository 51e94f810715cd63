CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO "message" VALUES('msg_1fb74d16b001eJiPlkMv1uI93q','ses_e048b2f48ffeBP7yYcgZrisRy9',1795220099435,1795220101985,'{"role":"user","time":{"created":1795220099435},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb74d9ad001xfa04Hbi5STbbi','ses_e048b2f48ffeBP7yYcgZrisRy9',1795220101549,1795220103755,'{"parentID":"msg_1fb74d16b001eJiPlkMv1uI93q","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"input":0,"output":0,"reasoning":0,"cache":{"read":0,"write":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795220101549,"completed":1795220103740},"error":{"name":"APIError","data":{"message":"Rate limit reached for demo-1 in organization org-x on requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in 20s.","statusCode":429,"isRetryable":true,"responseHeaders":{"content-length":"225","content-type":"application/json","date":"Sat, 21 Nov 2026 00:15:03 GMT","retry-after":"0","server":"BaseHTTP/0.6 Python/3.11.7"},"responseBody":"{\"error\": {\"message\": \"Rate limit reached for demo-1 in organization org-x on requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in 20s.\", \"type\": \"requests\", \"param\": null, \"code\": \"rate_limit_exceeded\"}}","metadata":{"url":"http://127.0.0.1:18080/v1/chat/completions"}}}}');
INSERT INTO "message" VALUES('msg_1fb74eb710013C329ziIR5g7F6','ses_e048b2f48ffeBP7yYcgZrisRy9',1795220106097,1795220107232,'{"role":"user","time":{"created":1795220106097},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb74ef6d001Cwri6U24XQMaxZ','ses_e048b2f48ffeBP7yYcgZrisRy9',1795220107118,1795220108328,'{"parentID":"msg_1fb74eb710013C329ziIR5g7F6","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795220107118,"completed":1795220108326},"finish":"stop"}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO "part" VALUES('prt_1fb74d1770016D9PWUqaWYdFuj','msg_1fb74d16b001eJiPlkMv1uI93q','ses_e048b2f48ffeBP7yYcgZrisRy9',1795220099458,1795220099461,'{"type":"text","text":"\"Say hello\""}');
INSERT INTO "part" VALUES('prt_1fb74eb75001yuxFF7OKO0nhTX','msg_1fb74eb710013C329ziIR5g7F6','ses_e048b2f48ffeBP7yYcgZrisRy9',1795220106116,1795220106119,'{"type":"text","text":"continue"}');
INSERT INTO "part" VALUES('prt_1fb74f3be001wfSv7Ah64i7ruU','msg_1fb74ef6d001Cwri6U24XQMaxZ','ses_e048b2f48ffeBP7yYcgZrisRy9',1795220108222,1795220108225,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb74f3c5001cttUU08tKtMTiQ','msg_1fb74ef6d001Cwri6U24XQMaxZ','ses_e048b2f48ffeBP7yYcgZrisRy9',1795220108229,1795220108237,'{"type":"text","text":"All done.","time":{"start":1795220108229,"end":1795220108235}}');
INSERT INTO "part" VALUES('prt_1fb74f3f8001592V0Ax7ME8v0M','msg_1fb74ef6d001Cwri6U24XQMaxZ','ses_e048b2f48ffeBP7yYcgZrisRy9',1795220108281,1795220108283,'{"reason":"stop","snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
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
INSERT INTO "session" VALUES('ses_e048b2f48ffeBP7yYcgZrisRy9','81266b79e9240457da5f19c790d914c9d8177cf4',NULL,NULL,'eager-comet','/home/dev/work/demo','','Demo task','1.18.33',NULL,0,0,0,NULL,NULL,0.0,100,10,0,0,0,NULL,'[{"permission":"question","pattern":"*","action":"deny"},{"permission":"plan_enter","pattern":"*","action":"deny"},{"permission":"plan_exit","pattern":"*","action":"deny"}]','build','{"id":"demo-1","providerID":"fake","variant":"default"}',1795220099255,1795220108339,NULL,NULL);
CREATE INDEX `message_session_time_created_id_idx` ON `message` (`session_id`,`time_created`,`id`);
CREATE INDEX `part_message_id_id_idx` ON `part` (`message_id`,`id`);
