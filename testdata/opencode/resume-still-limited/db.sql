CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO "message" VALUES('msg_1fb85c83200106ZvefPK6U9lRM','ses_e047a38e8ffeifti5XoBTv2DQ0',1795221211186,1795221213705,'{"role":"user","time":{"created":1795221211186},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb85cf54001a9PYJQTXQy7NjW','ses_e047a38e8ffeifti5XoBTv2DQ0',1795221213012,1795221215952,'{"parentID":"msg_1fb85c83200106ZvefPK6U9lRM","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"input":0,"output":0,"reasoning":0,"cache":{"read":0,"write":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795221213012,"completed":1795221215940},"error":{"name":"APIError","data":{"message":"Rate limit reached for demo-1 in organization org-x on requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in 20s.","statusCode":429,"isRetryable":true,"responseHeaders":{"content-length":"225","content-type":"application/json","date":"Sat, 21 Nov 2026 00:33:35 GMT","retry-after":"0","server":"BaseHTTP/0.6 Python/3.11.7"},"responseBody":"{\"error\": {\"message\": \"Rate limit reached for demo-1 in organization org-x on requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in 20s.\", \"type\": \"requests\", \"param\": null, \"code\": \"rate_limit_exceeded\"}}","metadata":{"url":"http://127.0.0.1:18080/v1/chat/completions"}}}}');
INSERT INTO "message" VALUES('msg_1fb85eba1001yrvZtoYKo8I0tY','ses_e047a38e8ffeifti5XoBTv2DQ0',1795221220257,1795221222837,'{"role":"user","time":{"created":1795221220257},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb85f443001i50qwsmcCeB7N8','ses_e047a38e8ffeifti5XoBTv2DQ0',1795221222467,1795221225269,'{"parentID":"msg_1fb85eba1001yrvZtoYKo8I0tY","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"input":0,"output":0,"reasoning":0,"cache":{"read":0,"write":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795221222467,"completed":1795221225261},"error":{"name":"APIError","data":{"message":"Rate limit reached for demo-1 in organization org-x on requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in 20s.","statusCode":429,"isRetryable":true,"responseHeaders":{"content-length":"225","content-type":"application/json","date":"Sat, 21 Nov 2026 00:33:45 GMT","retry-after":"0","server":"BaseHTTP/0.6 Python/3.11.7"},"responseBody":"{\"error\": {\"message\": \"Rate limit reached for demo-1 in organization org-x on requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in 20s.\", \"type\": \"requests\", \"param\": null, \"code\": \"rate_limit_exceeded\"}}","metadata":{"url":"http://127.0.0.1:18080/v1/chat/completions"}}}}');
INSERT INTO "message" VALUES('msg_1fb861273001KMIUsJvLnI98hL','ses_e047a38e8ffeifti5XoBTv2DQ0',1795221230195,1795221233633,'{"role":"user","time":{"created":1795221230195},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb861ec0001SBxtv6B3TOj76h','ses_e047a38e8ffeifti5XoBTv2DQ0',1795221233344,1795221238076,'{"parentID":"msg_1fb861273001KMIUsJvLnI98hL","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"input":0,"output":0,"reasoning":0,"cache":{"read":0,"write":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795221233344,"completed":1795221238065},"error":{"name":"APIError","data":{"message":"Rate limit reached for demo-1 in organization org-x on requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in 20s.","statusCode":429,"isRetryable":true,"responseHeaders":{"content-length":"225","content-type":"application/json","date":"Sat, 21 Nov 2026 00:33:57 GMT","retry-after":"0","server":"BaseHTTP/0.6 Python/3.11.7"},"responseBody":"{\"error\": {\"message\": \"Rate limit reached for demo-1 in organization org-x on requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in 20s.\", \"type\": \"requests\", \"param\": null, \"code\": \"rate_limit_exceeded\"}}","metadata":{"url":"http://127.0.0.1:18080/v1/chat/completions"}}}}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO "part" VALUES('prt_1fb85c84f001VvX6Ekst5rVRhZ','msg_1fb85c83200106ZvefPK6U9lRM','ses_e047a38e8ffeifti5XoBTv2DQ0',1795221211220,1795221211222,'{"type":"text","text":"\"Say hello\""}');
INSERT INTO "part" VALUES('prt_1fb85eba90015sUS6FiXFbxcmT','msg_1fb85eba1001yrvZtoYKo8I0tY','ses_e047a38e8ffeifti5XoBTv2DQ0',1795221220291,1795221220298,'{"type":"text","text":"continue"}');
INSERT INTO "part" VALUES('prt_1fb861283001R3PADnmbL6DS3B','msg_1fb861273001KMIUsJvLnI98hL','ses_e047a38e8ffeifti5XoBTv2DQ0',1795221230250,1795221230256,'{"type":"text","text":"continue"}');
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
INSERT INTO "session" VALUES('ses_e047a38e8ffeifti5XoBTv2DQ0','e2ac01075fbd3b0083055d61af8ad2de59b06991',NULL,NULL,'brave-star','/home/dev/work/demo','','Demo task','1.18.33',NULL,0,0,0,NULL,NULL,0.0,0,0,0,0,0,NULL,'[{"permission":"question","pattern":"*","action":"deny"},{"permission":"plan_enter","pattern":"*","action":"deny"},{"permission":"plan_exit","pattern":"*","action":"deny"}]','build','{"id":"demo-1","providerID":"fake","variant":"default"}',1795221210903,1795221233578,NULL,NULL);
CREATE INDEX `message_session_time_created_id_idx` ON `message` (`session_id`,`time_created`,`id`);
CREATE INDEX `part_message_id_id_idx` ON `part` (`message_id`,`id`);
