CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO "message" VALUES('msg_1fb85ade1001ix0xMlcksDoB2z','ses_e047a531cffesBeTRrTfaQc0DI',1795221204449,1795221207292,'{"role":"user","time":{"created":1795221204449},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb85b6190014pI2qMqIJK8H6o','ses_e047a531cffesBeTRrTfaQc0DI',1795221206553,1795221209254,'{"parentID":"msg_1fb85ade1001ix0xMlcksDoB2z","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"input":0,"output":0,"reasoning":0,"cache":{"read":0,"write":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795221206553,"completed":1795221209251},"error":{"name":"APIError","data":{"message":"Rate limit reached for demo-1 in organization org-x on requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in 20s.","statusCode":429,"isRetryable":true,"responseHeaders":{"content-length":"225","content-type":"application/json","date":"Sat, 21 Nov 2026 00:33:29 GMT","retry-after":"0","server":"BaseHTTP/0.6 Python/3.11.7"},"responseBody":"{\"error\": {\"message\": \"Rate limit reached for demo-1 in organization org-x on requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in 20s.\", \"type\": \"requests\", \"param\": null, \"code\": \"rate_limit_exceeded\"}}","metadata":{"url":"http://127.0.0.1:18080/v1/chat/completions"}}}}');
INSERT INTO "message" VALUES('msg_1fb85d191001xbtvweD2GRaRkN','ses_e047a2e80ffe34AMcmCAqNvjIK',1795221204449,1795221213588,'{"role":"user","time":{"created":1795221204449},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb85d19d001xVe1OhRbAP7vD2','ses_e047a2e80ffe34AMcmCAqNvjIK',1795221206553,1795221213598,'{"parentID":"msg_1fb85d191001xbtvweD2GRaRkN","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"input":0,"output":0,"reasoning":0,"cache":{"read":0,"write":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795221206553,"completed":1795221209251},"error":{"name":"APIError","data":{"message":"Rate limit reached for demo-1 in organization org-x on requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in 20s.","statusCode":429,"isRetryable":true,"responseHeaders":{"content-length":"225","content-type":"application/json","date":"Sat, 21 Nov 2026 00:33:29 GMT","retry-after":"0","server":"BaseHTTP/0.6 Python/3.11.7"},"responseBody":"{\"error\": {\"message\": \"Rate limit reached for demo-1 in organization org-x on requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in 20s.\", \"type\": \"requests\", \"param\": null, \"code\": \"rate_limit_exceeded\"}}","metadata":{"url":"http://127.0.0.1:18080/v1/chat/completions"}}}}');
INSERT INTO "message" VALUES('msg_1fb85d201001TeEoI0Gp0ElR6v','ses_e047a2e80ffe34AMcmCAqNvjIK',1795221213697,1795221215618,'{"role":"user","time":{"created":1795221213697},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb85d90b001DlVcKXWfm4rTp2','ses_e047a2e80ffe34AMcmCAqNvjIK',1795221215499,1795221217579,'{"parentID":"msg_1fb85d201001TeEoI0Gp0ElR6v","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795221215499,"completed":1795221217577},"finish":"stop"}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO "part" VALUES('prt_1fb85ade9001dlVYNcqujkLdQj','msg_1fb85ade1001ix0xMlcksDoB2z','ses_e047a531cffesBeTRrTfaQc0DI',1795221204462,1795221204465,'{"type":"text","text":"\"Say hello\""}');
INSERT INTO "part" VALUES('prt_1fb85d1960012iA4lIH5HeNIwO','msg_1fb85d191001xbtvweD2GRaRkN','ses_e047a2e80ffe34AMcmCAqNvjIK',1795221213590,1795221213592,'{"type":"text","text":"\"Say hello\""}');
INSERT INTO "part" VALUES('prt_1fb85d20c001ikhKxbOYLsYaW9','msg_1fb85d201001TeEoI0Gp0ElR6v','ses_e047a2e80ffe34AMcmCAqNvjIK',1795221213711,1795221213713,'{"type":"text","text":"continue"}');
INSERT INTO "part" VALUES('prt_1fb85e0740019uVex4GXnRa4VS','msg_1fb85d90b001DlVcKXWfm4rTp2','ses_e047a2e80ffe34AMcmCAqNvjIK',1795221217397,1795221217399,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb85e07e001zITEsTrFLy56yw','msg_1fb85d90b001DlVcKXWfm4rTp2','ses_e047a2e80ffe34AMcmCAqNvjIK',1795221217406,1795221217413,'{"type":"text","text":"All done.","time":{"start":1795221217406,"end":1795221217411}}');
INSERT INTO "part" VALUES('prt_1fb85e0a3001XCP9Hpf4wooWgp','msg_1fb85d90b001DlVcKXWfm4rTp2','ses_e047a2e80ffe34AMcmCAqNvjIK',1795221217443,1795221217449,'{"reason":"stop","snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
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
INSERT INTO "session" VALUES('ses_e047a531cffesBeTRrTfaQc0DI','5c1b9527f12009e27ca9023d7468fbde6922fe2e',NULL,NULL,'nimble-sailor','/home/dev/work/demo','','Demo task','1.18.33',NULL,0,0,0,NULL,NULL,0.0,0,0,0,0,0,NULL,'[{"permission":"question","pattern":"*","action":"deny"},{"permission":"plan_enter","pattern":"*","action":"deny"},{"permission":"plan_exit","pattern":"*","action":"deny"}]','build','{"id":"demo-1","providerID":"fake","variant":"default"}',1795221204195,1795221207250,NULL,NULL);
INSERT INTO "session" VALUES('ses_e047a2e80ffe34AMcmCAqNvjIK','5c1b9527f12009e27ca9023d7468fbde6922fe2e',NULL,NULL,'quick-comet','/home/dev/work/demo','','Demo task (fork #1)','1.18.33',NULL,0,0,0,NULL,NULL,0.0,100,10,0,0,0,NULL,NULL,'build','{"id":"demo-1","providerID":"fake","variant":"default"}',1795221213567,1795221217605,NULL,NULL);
CREATE INDEX `message_session_time_created_id_idx` ON `message` (`session_id`,`time_created`,`id`);
CREATE INDEX `part_message_id_id_idx` ON `part` (`message_id`,`id`);
