CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO "message" VALUES('msg_1fb8c09fe00164D6IaAnwak4Kz','ses_e0473f6c5ffel4EVpOslylZqn4',1795221621246,1795221623079,'{"role":"user","time":{"created":1795221621246},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb8c0f81001BOjpeoRneMNpdE','ses_e0473f6c5ffel4EVpOslylZqn4',1795221622657,1795221622660,'{"parentID":"msg_1fb8c09fe00164D6IaAnwak4Kz","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"input":0,"output":0,"reasoning":0,"cache":{"read":0,"write":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795221622657}}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO "part" VALUES('prt_1fb8c0a0d0010gSi9ReoThVWy5','msg_1fb8c09fe00164D6IaAnwak4Kz','ses_e0473f6c5ffel4EVpOslylZqn4',1795221621269,1795221621272,'{"type":"text","text":"\"Say hello\""}');
INSERT INTO "part" VALUES('prt_1fb8c1698001AqxgZ1yUdIrlHe','msg_1fb8c0f81001BOjpeoRneMNpdE','ses_e0473f6c5ffel4EVpOslylZqn4',1795221624474,1795221624479,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb8c16a5001ZnjGkwJpiPq46H','msg_1fb8c0f81001BOjpeoRneMNpdE','ses_e0473f6c5ffel4EVpOslylZqn4',1795221624486,1795221624649,'{"type":"text","text":"Waiting.","time":{"start":1795221624485,"end":1795221624647}}');
INSERT INTO "part" VALUES('prt_1fb8c16b4001S4NBjyvC6wvIfo','msg_1fb8c0f81001BOjpeoRneMNpdE','ses_e0473f6c5ffel4EVpOslylZqn4',1795221624500,1795221624735,'{"type":"tool","tool":"bash","callID":"call_1795221624456","state":{"metadata":{"output":""},"status":"running","input":{"command":"sleep 60","description":"Wait"},"time":{"start":1795221624558}}}');
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
INSERT INTO "session" VALUES('ses_e0473f6c5ffel4EVpOslylZqn4','f7958be9708fd533b14f787d8dafa0a86decc43b',NULL,NULL,'neon-river','/home/dev/work/demo','','Demo task','1.18.33',NULL,0,0,0,NULL,NULL,0.0,0,0,0,0,0,NULL,'[{"permission":"question","pattern":"*","action":"deny"},{"permission":"plan_enter","pattern":"*","action":"deny"},{"permission":"plan_exit","pattern":"*","action":"deny"}]','build','{"id":"demo-1","providerID":"fake","variant":"default"}',1795221621050,1795221623065,NULL,NULL);
CREATE INDEX `message_session_time_created_id_idx` ON `message` (`session_id`,`time_created`,`id`);
CREATE INDEX `part_message_id_id_idx` ON `part` (`message_id`,`id`);
