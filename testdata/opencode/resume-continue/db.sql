CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO "message" VALUES('msg_1fb855cf0001MaSsBbxdAoVyYE','ses_e047aa689ffeTJrGESJRznea0r',1795221183743,1795221189506,'{"role":"user","time":{"created":1795221183743},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb856dbe001ZiZqECHJ9gVlHY','ses_e047aa689ffeTJrGESJRznea0r',1795221188032,1795221193662,'{"parentID":"msg_1fb855cf0001MaSsBbxdAoVyYE","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"input":0,"output":0,"reasoning":0,"cache":{"read":0,"write":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795221188032,"completed":1795221193651},"error":{"name":"APIError","data":{"message":"Rate limit reached for demo-1 in organization org-x on requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in 20s.","statusCode":429,"isRetryable":true,"responseHeaders":{"content-length":"225","content-type":"application/json","date":"Sat, 21 Nov 2026 00:33:13 GMT","retry-after":"0","server":"BaseHTTP/0.6 Python/3.11.7"},"responseBody":"{\"error\": {\"message\": \"Rate limit reached for demo-1 in organization org-x on requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in 20s.\", \"type\": \"requests\", \"param\": null, \"code\": \"rate_limit_exceeded\"}}","metadata":{"url":"http://127.0.0.1:18080/v1/chat/completions"}}}}');
INSERT INTO "message" VALUES('msg_1fb859940001zxRwUewPwYchlE','ses_e047aa689ffeTJrGESJRznea0r',1795221199168,1795221202708,'{"role":"user","time":{"created":1795221199168},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb85a57d001T4OHsh8cUYfNBZ','ses_e047aa689ffeTJrGESJRznea0r',1795221202301,1795221205037,'{"parentID":"msg_1fb859940001zxRwUewPwYchlE","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795221202301,"completed":1795221205031},"finish":"stop"}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO "part" VALUES('prt_1fb855d6a001n751mYqOpKidv3','msg_1fb855cf0001MaSsBbxdAoVyYE','ses_e047aa689ffeTJrGESJRznea0r',1795221183902,1795221183935,'{"type":"text","text":"\"Say hello\""}');
INSERT INTO "part" VALUES('prt_1fb85994b001La0DCMA4vFnqUb','msg_1fb859940001zxRwUewPwYchlE','ses_e047aa689ffeTJrGESJRznea0r',1795221199255,1795221199260,'{"type":"text","text":"\"Please continue\""}');
INSERT INTO "part" VALUES('prt_1fb85aeb0001ZIlzvLjixlXfAP','msg_1fb85a57d001T4OHsh8cUYfNBZ','ses_e047aa689ffeTJrGESJRznea0r',1795221204656,1795221204659,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb85aebd001sLzQM1UJSnaUtg','msg_1fb85a57d001T4OHsh8cUYfNBZ','ses_e047aa689ffeTJrGESJRznea0r',1795221204670,1795221204681,'{"type":"text","text":"All done.","time":{"start":1795221204670,"end":1795221204679}}');
INSERT INTO "part" VALUES('prt_1fb85af59001w5NqGBSjY4aNy6','msg_1fb85a57d001T4OHsh8cUYfNBZ','ses_e047aa689ffeTJrGESJRznea0r',1795221204830,1795221204834,'{"reason":"stop","snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
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
INSERT INTO "session" VALUES('ses_e047aa689ffeTJrGESJRznea0r','6e76874b4506e9496c8338577f0214d15d650037',NULL,NULL,'kind-circuit','/home/dev/work/demo','','Demo task','1.18.33',NULL,0,0,0,NULL,NULL,0.0,100,10,0,0,0,NULL,'[{"permission":"question","pattern":"*","action":"deny"},{"permission":"plan_enter","pattern":"*","action":"deny"},{"permission":"plan_exit","pattern":"*","action":"deny"}]','build','{"id":"demo-1","providerID":"fake","variant":"default"}',1795221182838,1795221205105,NULL,NULL);
CREATE INDEX `message_session_time_created_id_idx` ON `message` (`session_id`,`time_created`,`id`);
CREATE INDEX `part_message_id_id_idx` ON `part` (`message_id`,`id`);
