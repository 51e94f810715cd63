CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO "message" VALUES('msg_1fb7b9ec50018Xs3QesDJKFdHy','ses_e04846561ffeysJvcZUB07S7Bn',1795220545224,1795220557054,'{"role":"user","time":{"created":1795220545224},"agent":"build","model":{"providerID":"anthropic","modelID":"demo-claude"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb7bc082001xv05NQHHn81s0I','ses_e04846561ffeysJvcZUB07S7Bn',1795220553858,1795220637417,'{"parentID":"msg_1fb7b9ec50018Xs3QesDJKFdHy","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"input":0,"output":0,"reasoning":0,"cache":{"read":0,"write":0}},"modelID":"demo-claude","providerID":"anthropic","time":{"created":1795220553858,"completed":1795220637386},"error":{"name":"APIError","data":{"message":"Overloaded","statusCode":529,"isRetryable":true,"responseHeaders":{"content-length":"81","content-type":"application/json","date":"Sat, 21 Nov 2026 00:23:55 GMT","server":"BaseHTTP/0.6 Python/3.11.7"},"responseBody":"{\"type\": \"error\", \"error\": {\"type\": \"overloaded_error\", \"message\": \"Overloaded\"}}","metadata":{"url":"http://127.0.0.1:18080/v1/messages"}}}}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO "part" VALUES('prt_1fb7b9f4c001raXdcqm3wQ8Aiq','msg_1fb7b9ec50018Xs3QesDJKFdHy','ses_e04846561ffeysJvcZUB07S7Bn',1795220545392,1795220545437,'{"type":"text","text":"\"Say hello\""}');
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
INSERT INTO "session" VALUES('ses_e04846561ffeysJvcZUB07S7Bn','496759d5f11f75d327456065476add62630f4a84',NULL,NULL,'swift-circuit','/home/dev/work/demo','','Demo task','1.18.33',NULL,0,0,0,NULL,NULL,0.0,0,0,0,0,0,NULL,'[{"permission":"question","pattern":"*","action":"deny"},{"permission":"plan_enter","pattern":"*","action":"deny"},{"permission":"plan_exit","pattern":"*","action":"deny"}]','build','{"id":"demo-claude","providerID":"anthropic","variant":"default"}',1795220544158,1795220556980,NULL,NULL);
CREATE INDEX `message_session_time_created_id_idx` ON `message` (`session_id`,`time_created`,`id`);
CREATE INDEX `part_message_id_id_idx` ON `part` (`message_id`,`id`);
