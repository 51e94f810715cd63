CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO "message" VALUES('msg_1fb7527fe0018zTBRhueVh82nn','ses_e048ad9eeffemZ4Qaw0K60Ru1x',1795220121598,1795220125240,'{"role":"user","time":{"created":1795220121598},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[{"file":"hi.txt","patch":"Index: hi.txt\n===================================================================\n--- hi.txt\t\n+++ hi.txt\t\n@@ -0,0 +1,1 @@\n+hi\n","additions":1,"deletions":0,"status":"added"}]}}');
INSERT INTO "message" VALUES('msg_1fb752cce0016liSlU5bW0so6P','ses_e048ad9eeffemZ4Qaw0K60Ru1x',1795220122831,1795220125048,'{"parentID":"msg_1fb7527fe0018zTBRhueVh82nn","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795220122831,"completed":1795220125046},"finish":"tool-calls"}');
INSERT INTO "message" VALUES('msg_1fb75357e0015suOzqz0GoLiGo','ses_e048ad9eeffemZ4Qaw0K60Ru1x',1795220125054,1795220130461,'{"parentID":"msg_1fb7527fe0018zTBRhueVh82nn","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"input":0,"output":0,"reasoning":0,"cache":{"read":0,"write":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795220125054,"completed":1795220130459},"error":{"name":"APIError","data":{"message":"Rate limit reached for demo-1 in organization org-x on requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in 20s.","statusCode":429,"isRetryable":true,"responseHeaders":{"content-length":"225","content-type":"application/json","date":"Sat, 21 Nov 2026 00:15:30 GMT","retry-after":"1","server":"BaseHTTP/0.6 Python/3.11.7"},"responseBody":"{\"error\": {\"message\": \"Rate limit reached for demo-1 in organization org-x on requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in 20s.\", \"type\": \"requests\", \"param\": null, \"code\": \"rate_limit_exceeded\"}}","metadata":{"url":"http://127.0.0.1:18080/v1/chat/completions"}}}}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO "part" VALUES('prt_1fb75280b001ECFfDHB5iXV2w2','msg_1fb7527fe0018zTBRhueVh82nn','ses_e048ad9eeffemZ4Qaw0K60Ru1x',1795220121618,1795220121621,'{"type":"text","text":"\"Say hello\""}');
INSERT INTO "part" VALUES('prt_1fb7533b6001tBYyhqaS5AnrXH','msg_1fb752cce0016liSlU5bW0so6P','ses_e048ad9eeffemZ4Qaw0K60Ru1x',1795220124599,1795220124601,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb7533bc0015LVis72KxQTGm3','msg_1fb752cce0016liSlU5bW0so6P','ses_e048ad9eeffemZ4Qaw0K60Ru1x',1795220124605,1795220124639,'{"type":"text","text":"I will write a file.","time":{"start":1795220124604,"end":1795220124636}}');
INSERT INTO "part" VALUES('prt_1fb7533c5001ZlhNdqRZhuex8S','msg_1fb752cce0016liSlU5bW0so6P','ses_e048ad9eeffemZ4Qaw0K60Ru1x',1795220124613,1795220124799,'{"type":"tool","tool":"bash","callID":"call_1795220124581","state":{"status":"completed","input":{"command":"echo hi >hi.txt; cat hi.txt","description":"Write a file"},"output":"hi\n","metadata":{"output":"hi\n","exit":0,"truncated":false},"title":"echo hi >hi.txt; cat hi.txt","time":{"start":1795220124625,"end":1795220124797}}}');
INSERT INTO "part" VALUES('prt_1fb75352a001tgwKUD5UBkPgyl','msg_1fb752cce0016liSlU5bW0so6P','ses_e048ad9eeffemZ4Qaw0K60Ru1x',1795220124970,1795220124973,'{"reason":"tool-calls","snapshot":"31c48feb07a6f334b38c29bae6b6e5491cbad229","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO "part" VALUES('prt_1fb75356f00173FeoKBXM3trHM','msg_1fb752cce0016liSlU5bW0so6P','ses_e048ad9eeffemZ4Qaw0K60Ru1x',1795220125039,1795220125042,'{"type":"patch","hash":"424a01b9db1c80e5959204a3de3765809b17c8ca","files":["/home/dev/work/demo/hi.txt"]}');
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
INSERT INTO "session" VALUES('ses_e048ad9eeffemZ4Qaw0K60Ru1x','1d21bafc49daf19a441a97dade18fbe6f9a07e7f',NULL,NULL,'stellar-pixel','/home/dev/work/demo','','Demo task','1.18.33',NULL,0,0,0,NULL,NULL,0.0,100,10,0,0,0,NULL,'[{"permission":"question","pattern":"*","action":"deny"},{"permission":"plan_enter","pattern":"*","action":"deny"},{"permission":"plan_exit","pattern":"*","action":"deny"}]','build','{"id":"demo-1","providerID":"fake","variant":"default"}',1795220121106,1795220125058,NULL,NULL);
CREATE INDEX `message_session_time_created_id_idx` ON `message` (`session_id`,`time_created`,`id`);
CREATE INDEX `part_message_id_id_idx` ON `part` (`message_id`,`id`);
