CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO "message" VALUES('msg_1fb89e7ad001a6fX4mQ8w1VA8Q','ses_e047618edffeUYiHBgwbZxwMaO',1795221481389,1795221483144,'{"role":"user","time":{"created":1795221481389},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb89ecb5001fK7b20najNzN1Z','ses_e047618edffeUYiHBgwbZxwMaO',1795221482677,1795221484836,'{"parentID":"msg_1fb89e7ad001a6fX4mQ8w1VA8Q","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795221482677,"completed":1795221484835},"finish":"stop"}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO "part" VALUES('prt_1fb89e7c3001ksjuZjZWSnWr69','msg_1fb89e7ad001a6fX4mQ8w1VA8Q','ses_e047618edffeUYiHBgwbZxwMaO',1795221481427,1795221481435,'{"type":"text","text":"\"Say hello\""}');
INSERT INTO "part" VALUES('prt_1fb89f47a001V4atVMm5Y1V1bZ','msg_1fb89ecb5001fK7b20najNzN1Z','ses_e047618edffeUYiHBgwbZxwMaO',1795221484666,1795221484668,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb89f48a001XDh0qqlJYIjT2c','msg_1fb89ecb5001fK7b20najNzN1Z','ses_e047618edffeUYiHBgwbZxwMaO',1795221484683,1795221484695,'{"type":"text","text":"All done.","time":{"start":1795221484682,"end":1795221484691}}');
INSERT INTO "part" VALUES('prt_1fb89f4d1001BdCS8auVEsM8Xd','msg_1fb89ecb5001fK7b20najNzN1Z','ses_e047618edffeUYiHBgwbZxwMaO',1795221484754,1795221484755,'{"reason":"stop","snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
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
INSERT INTO "session" VALUES('ses_e047618edffeUYiHBgwbZxwMaO','34cd9d736edb8ea3d1eda1ae4a902e24950cf6ab',NULL,NULL,'kind-planet','/home/dev/work/demo','','Demo task','1.18.33',NULL,0,0,0,NULL,NULL,0.0,100,10,0,0,0,NULL,'[{"permission":"question","pattern":"*","action":"deny"},{"permission":"plan_enter","pattern":"*","action":"deny"},{"permission":"plan_exit","pattern":"*","action":"deny"}]','build','{"id":"demo-1","providerID":"fake","variant":"default"}',1795221481235,1795221484848,NULL,NULL);
CREATE INDEX `message_session_time_created_id_idx` ON `message` (`session_id`,`time_created`,`id`);
CREATE INDEX `part_message_id_id_idx` ON `part` (`message_id`,`id`);
