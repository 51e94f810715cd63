CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO "message" VALUES('msg_1fb706f9e001izN9J7tZPaclcr','ses_e048f9a16ffesso38bRjVi8Qxm',1795219812254,1795219823466,'{"role":"user","time":{"created":1795219812254},"agent":"build","model":{"providerID":"anthropic","modelID":"demo-claude"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb709303001qsvvMiLC8fGA48','ses_e048f9a16ffesso38bRjVi8Qxm',1795219821315,1795219841411,'{"parentID":"msg_1fb706f9e001izN9J7tZPaclcr","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"input":0,"output":0,"reasoning":0,"cache":{"read":0,"write":0}},"modelID":"demo-claude","providerID":"anthropic","time":{"created":1795219821315,"completed":1795219841406},"error":{"name":"APIError","data":{"message":"This request would exceed your organization''s rate limit of 50,000 input tokens per minute. Please try again later.","statusCode":429,"isRetryable":true,"responseHeaders":{"anthropic-ratelimit-input-tokens-reset":"2026-11-21T00:11:25Z","anthropic-ratelimit-requests-limit":"50","anthropic-ratelimit-requests-remaining":"0","anthropic-ratelimit-requests-reset":"2026-11-21T00:11:10Z","content-length":"211","content-type":"application/json","date":"Sat, 21 Nov 2026 00:10:40 GMT","request-id":"req_011","retry-after":"1","server":"BaseHTTP/0.6 Python/3.11.7"},"responseBody":"{\"type\": \"error\", \"error\": {\"type\": \"rate_limit_error\", \"message\": \"This request would exceed your organization''s rate limit of 50,000 input tokens per minute. Please try again later.\"}, \"request_id\": \"req_011\"}","metadata":{"url":"http://127.0.0.1:18080/v1/messages"}}}}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO "part" VALUES('prt_1fb707004001UCP29pudLCC5Lz','msg_1fb706f9e001izN9J7tZPaclcr','ses_e048f9a16ffesso38bRjVi8Qxm',1795219812432,1795219812436,'{"type":"text","text":"\"Say hello\""}');
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
INSERT INTO "session" VALUES('ses_e048f9a16ffesso38bRjVi8Qxm','eda18cbee25d233d426087567a29e0348928bb46',NULL,NULL,'clever-sailor','/home/dev/work/demo','','Demo task','1.18.33',NULL,0,0,0,NULL,NULL,0.0,0,0,0,0,0,NULL,'[{"permission":"question","pattern":"*","action":"deny"},{"permission":"plan_enter","pattern":"*","action":"deny"},{"permission":"plan_exit","pattern":"*","action":"deny"}]','build','{"id":"demo-claude","providerID":"anthropic","variant":"default"}',1795219809770,1795219823282,NULL,NULL);
CREATE INDEX `message_session_time_created_id_idx` ON `message` (`session_id`,`time_created`,`id`);
CREATE INDEX `part_message_id_id_idx` ON `part` (`message_id`,`id`);
