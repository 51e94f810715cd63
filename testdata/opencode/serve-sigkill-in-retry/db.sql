CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO "message" VALUES('msg_1fb8a9542001kB4oXCEfQuO45g','ses_e04756d2effePsAm9xwpoLLoRG',1795221525826,1795221534153,'{"role":"user","time":{"created":1795221525826},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb8ab309001JmcMOHkUouLt7U','ses_e04756d2effePsAm9xwpoLLoRG',1795221533449,1795221533451,'{"parentID":"msg_1fb8a9542001kB4oXCEfQuO45g","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"input":0,"output":0,"reasoning":0,"cache":{"read":0,"write":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795221533449}}');
INSERT INTO "message" VALUES('msg_1fb8af2f80017FJioPOq1bGWoB','ses_e04756d2effePsAm9xwpoLLoRG',1795221549816,1795221553041,'{"role":"user","time":{"created":1795221549816},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb8afe00001YHJYQ4z2DdaofZ','ses_e04756d2effePsAm9xwpoLLoRG',1795221552641,1795221556077,'{"parentID":"msg_1fb8af2f80017FJioPOq1bGWoB","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795221552641,"completed":1795221556071},"finish":"stop"}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO "part" VALUES('prt_1fb8a9598001l9dLBlx5QgNcNV','msg_1fb8a9542001kB4oXCEfQuO45g','ses_e04756d2effePsAm9xwpoLLoRG',1795221525985,1795221526032,'{"type":"text","text":"Say hello"}');
INSERT INTO "part" VALUES('prt_1fb8af307001V4FY7pnov1gT13','msg_1fb8af2f80017FJioPOq1bGWoB','ses_e04756d2effePsAm9xwpoLLoRG',1795221549889,1795221549900,'{"type":"text","text":"continue"}');
INSERT INTO "part" VALUES('prt_1fb8b097b001hY3gPAqRqp1BoL','msg_1fb8afe00001YHJYQ4z2DdaofZ','ses_e04756d2effePsAm9xwpoLLoRG',1795221555580,1795221555584,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb8b0989001sam01X4OOjArW8','msg_1fb8afe00001YHJYQ4z2DdaofZ','ses_e04756d2effePsAm9xwpoLLoRG',1795221555593,1795221555614,'{"type":"text","text":"All done.","time":{"start":1795221555593,"end":1795221555609}}');
INSERT INTO "part" VALUES('prt_1fb8b0a96001jf2r5getHLZdbb','msg_1fb8afe00001YHJYQ4z2DdaofZ','ses_e04756d2effePsAm9xwpoLLoRG',1795221555862,1795221555867,'{"reason":"stop","snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
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
INSERT INTO "session" VALUES('ses_e04756d2effePsAm9xwpoLLoRG','eb4b97698d8ca7a530f21c24ca1bd0bce03d4ee6',NULL,NULL,'mighty-wizard','/home/dev/work/demo','','Demo','1.18.33',NULL,0,0,0,NULL,NULL,0.0,100,10,0,0,0,NULL,NULL,'build','{"id":"demo-1","providerID":"fake","variant":"default"}',1795221525201,1795221553019,NULL,NULL);
CREATE INDEX `message_session_time_created_id_idx` ON `message` (`session_id`,`time_created`,`id`);
CREATE INDEX `part_message_id_id_idx` ON `part` (`message_id`,`id`);
