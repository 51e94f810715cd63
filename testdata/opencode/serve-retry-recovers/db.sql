CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO "message" VALUES('msg_1fb88a9730019LNq8g8S4UuJBu','ses_e047759efffeRf1Rur3nnxoSv4',1795221399923,1795221409573,'{"role":"user","time":{"created":1795221399923},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb88ae81001NFij6TUy037Wyp','ses_e047759efffeRf1Rur3nnxoSv4',1795221401218,1795221409513,'{"parentID":"msg_1fb88a9730019LNq8g8S4UuJBu","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795221401218,"completed":1795221409512},"finish":"stop"}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO "part" VALUES('prt_1fb88a98f001TE5MkfBQsztGgK','msg_1fb88a9730019LNq8g8S4UuJBu','ses_e047759efffeRf1Rur3nnxoSv4',1795221399964,1795221399975,'{"type":"text","text":"Say hello"}');
INSERT INTO "part" VALUES('prt_1fb88ce2a001AHx9NsyQSojdA7','msg_1fb88ae81001NFij6TUy037Wyp','ses_e047759efffeRf1Rur3nnxoSv4',1795221409323,1795221409332,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb88ce38001N8Hj1j6DNbJGjz','msg_1fb88ae81001NFij6TUy037Wyp','ses_e047759efffeRf1Rur3nnxoSv4',1795221409337,1795221409370,'{"type":"text","text":"All done.","time":{"start":1795221409336,"end":1795221409368}}');
INSERT INTO "part" VALUES('prt_1fb88ce9d001YwgkL5zkh1kGPM','msg_1fb88ae81001NFij6TUy037Wyp','ses_e047759efffeRf1Rur3nnxoSv4',1795221409437,1795221409439,'{"reason":"stop","snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
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
INSERT INTO "session" VALUES('ses_e047759efffeRf1Rur3nnxoSv4','4fec041d2e3fbede80f0ef44d449743f1a257638',NULL,NULL,'stellar-comet','/home/dev/work/demo','','Demo','1.18.33',NULL,0,0,0,NULL,NULL,0.0,100,10,0,0,0,NULL,NULL,'build','{"id":"demo-1","providerID":"fake","variant":"default"}',1795221399060,1795221409520,NULL,NULL);
CREATE INDEX `message_session_time_created_id_idx` ON `message` (`session_id`,`time_created`,`id`);
CREATE INDEX `part_message_id_id_idx` ON `part` (`message_id`,`id`);
