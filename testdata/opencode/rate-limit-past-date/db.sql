CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO "message" VALUES('msg_1fb7035cf001xjGL8vyuyYhiwJ','ses_e048fcfc4ffe4gZ5RIkn1Km0zq',1795219797455,1795219815697,'{"role":"user","time":{"created":1795219797455},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb706e7c001cn1qHaMISY27IZ','ses_e048fcfc4ffe4gZ5RIkn1Km0zq',1795219811988,1795219829975,'{"parentID":"msg_1fb7035cf001xjGL8vyuyYhiwJ","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795219811988,"completed":1795219829973},"finish":"stop"}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO "part" VALUES('prt_1fb703685001Thu7tYCBMZJ9FI','msg_1fb7035cf001xjGL8vyuyYhiwJ','ses_e048fcfc4ffe4gZ5RIkn1Km0zq',1795219797660,1795219797703,'{"type":"text","text":"\"Say hello\""}');
INSERT INTO "part" VALUES('prt_1fb70ab9d001y8J0mfE3uHJ8NG','msg_1fb706e7c001cn1qHaMISY27IZ','ses_e048fcfc4ffe4gZ5RIkn1Km0zq',1795219827614,1795219827626,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb70abeb001GVY4EWboLYqMCT','msg_1fb706e7c001cn1qHaMISY27IZ','ses_e048fcfc4ffe4gZ5RIkn1Km0zq',1795219827691,1795219827760,'{"type":"text","text":"All done.","time":{"start":1795219827691,"end":1795219827758}}');
INSERT INTO "part" VALUES('prt_1fb70af20001HBN3lWKzXwxW1J','msg_1fb706e7c001cn1qHaMISY27IZ','ses_e048fcfc4ffe4gZ5RIkn1Km0zq',1795219828513,1795219828520,'{"reason":"stop","snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
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
INSERT INTO "session" VALUES('ses_e048fcfc4ffe4gZ5RIkn1Km0zq','67d72ecc0ee253d012bf3f6a80bc174b8e780ad5',NULL,NULL,'kind-cabin','/home/dev/work/demo','','Demo task','1.18.33',NULL,0,0,0,NULL,NULL,0.0,100,10,0,0,0,NULL,'[{"permission":"question","pattern":"*","action":"deny"},{"permission":"plan_enter","pattern":"*","action":"deny"},{"permission":"plan_exit","pattern":"*","action":"deny"}]','build','{"id":"demo-1","providerID":"fake","variant":"default"}',1795219796028,1795219830302,NULL,NULL);
CREATE INDEX `message_session_time_created_id_idx` ON `message` (`session_id`,`time_created`,`id`);
CREATE INDEX `part_message_id_id_idx` ON `part` (`message_id`,`id`);
