CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO "message" VALUES('msg_1fb816ffe001zv8vzmdBeqveH4','ses_e047e9161ffeAUA1KLfPK9Byx7',1795220926462,1795220943359,'{"role":"user","time":{"created":1795220926462},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb81715b001xmcgo7W0Aj9wF2','ses_e047e9161ffeAUA1KLfPK9Byx7',1795220926811,1795220943075,'{"parentID":"msg_1fb816ffe001zv8vzmdBeqveH4","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795220926811,"completed":1795220943073},"finish":"stop"}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO "part" VALUES('prt_1fb817013001nLFQso9jdNzV3u','msg_1fb816ffe001zv8vzmdBeqveH4','ses_e047e9161ffeAUA1KLfPK9Byx7',1795220926523,1795220926549,'{"type":"text","text":"Say hello"}');
INSERT INTO "part" VALUES('prt_1fb81ade7001cJjw2eUW0vsSy2','msg_1fb81715b001xmcgo7W0Aj9wF2','ses_e047e9161ffeAUA1KLfPK9Byx7',1795220942311,1795220942328,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb81ae36001G2PQVAw3lBbzTQ','msg_1fb81715b001xmcgo7W0Aj9wF2','ses_e047e9161ffeAUA1KLfPK9Byx7',1795220942391,1795220942403,'{"type":"text","text":"All done.","time":{"start":1795220942390,"end":1795220942401}}');
INSERT INTO "part" VALUES('prt_1fb81af21001LIVE05I71bLT3n','msg_1fb81715b001xmcgo7W0Aj9wF2','ses_e047e9161ffeAUA1KLfPK9Byx7',1795220942625,1795220942639,'{"reason":"stop","snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
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
INSERT INTO "session" VALUES('ses_e047e9161ffeAUA1KLfPK9Byx7','1e15e935efc9c684d894c6494ee34db78a67ef5a',NULL,NULL,'mighty-lagoon','/home/dev/work/demo','','Demo task','1.18.33',NULL,0,0,0,NULL,NULL,0.0,100,10,0,0,0,NULL,NULL,'build','{"id":"demo-1","providerID":"fake"}',1795220926110,1795220943127,NULL,NULL);
CREATE INDEX `message_session_time_created_id_idx` ON `message` (`session_id`,`time_created`,`id`);
CREATE INDEX `part_message_id_id_idx` ON `part` (`message_id`,`id`);
