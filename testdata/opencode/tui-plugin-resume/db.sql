CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO "message" VALUES('msg_1fb893916001KYNHbfrt5ktTmk','ses_e0476c7a1ffeo4mO18TznH3D3D',1795221436694,1795221437983,'{"role":"user","time":{"created":1795221436694},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb89399f001glTOaB5IlIlMmG','ses_e0476c7a1ffeo4mO18TznH3D3D',1795221436831,1795221446152,'{"parentID":"msg_1fb893916001KYNHbfrt5ktTmk","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"input":0,"output":0,"reasoning":0,"cache":{"read":0,"write":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795221436831,"completed":1795221446149}}');
INSERT INTO "message" VALUES('msg_1fb896991001t6BHtDMLl0hXWE','ses_e0476c7a1ffeo4mO18TznH3D3D',1795221449105,1795221450016,'{"role":"user","time":{"created":1795221449105},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb8969af001z6J2jIryK6yzFi','ses_e0476c7a1ffeo4mO18TznH3D3D',1795221449135,1795221449808,'{"parentID":"msg_1fb896991001t6BHtDMLl0hXWE","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795221449135,"completed":1795221449806},"finish":"stop"}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO "part" VALUES('prt_1fb89391f001DDIU4IquoXHCdY','msg_1fb893916001KYNHbfrt5ktTmk','ses_e0476c7a1ffeo4mO18TznH3D3D',1795221436727,1795221436744,'{"type":"text","text":"Say hello"}');
INSERT INTO "part" VALUES('prt_1fb8969930017tG5aA26I3Jzup','msg_1fb896991001t6BHtDMLl0hXWE','ses_e0476c7a1ffeo4mO18TznH3D3D',1795221449111,1795221449113,'{"type":"text","text":"continue"}');
INSERT INTO "part" VALUES('prt_1fb896ab7001Vp71WwliRfvTVL','msg_1fb8969af001z6J2jIryK6yzFi','ses_e0476c7a1ffeo4mO18TznH3D3D',1795221449399,1795221449405,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb896abf001eG4bdMBTDZlfQS','msg_1fb8969af001z6J2jIryK6yzFi','ses_e0476c7a1ffeo4mO18TznH3D3D',1795221449407,1795221449438,'{"type":"text","text":"All done.","time":{"start":1795221449407,"end":1795221449428}}');
INSERT INTO "part" VALUES('prt_1fb896b79001C3B50PbKHSUq2U','msg_1fb8969af001z6J2jIryK6yzFi','ses_e0476c7a1ffeo4mO18TznH3D3D',1795221449593,1795221449595,'{"reason":"stop","snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
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
INSERT INTO "session" VALUES('ses_e0476c7a1ffeo4mO18TznH3D3D','5d69ea81061795007f1da787a6504e55d7861e49',NULL,NULL,'crisp-engine','/home/dev/work/demo','','Demo task','1.18.33',NULL,0,0,0,NULL,NULL,0.0,100,10,0,0,0,NULL,NULL,'build','{"id":"demo-1","providerID":"fake"}',1795221436516,1795221449873,NULL,NULL);
CREATE INDEX `message_session_time_created_id_idx` ON `message` (`session_id`,`time_created`,`id`);
CREATE INDEX `part_message_id_id_idx` ON `part` (`message_id`,`id`);
