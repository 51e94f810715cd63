CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO "message" VALUES('msg_1fb75d577001wYZCMeUafBhQHu','ses_e048a2b17ffezInEDB17WUXXe7',1795220166007,1795220167672,'{"role":"user","time":{"created":1795220166007},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb75dab6001OFuuPr6hiKb02X','ses_e048a2b17ffezInEDB17WUXXe7',1795220167350,1795220189124,'{"parentID":"msg_1fb75d577001wYZCMeUafBhQHu","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795220167350,"completed":1795220189122},"finish":"stop"}');
INSERT INTO "message" VALUES('msg_1fb75f28d0014yQmHGaK4tWQZw','ses_e048a2b17ffezInEDB17WUXXe7',1795220173453,1795220175018,'{"role":"user","time":{"created":1795220173453},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb75f8200010hG4W2zRYuNdy6','ses_e048a2b17ffezInEDB17WUXXe7',1795220174881,1795220176413,'{"parentID":"msg_1fb75f28d0014yQmHGaK4tWQZw","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795220174881,"completed":1795220176411},"finish":"stop"}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO "part" VALUES('prt_1fb75d584001uzf8PDJiTK5xxP','msg_1fb75d577001wYZCMeUafBhQHu','ses_e048a2b17ffezInEDB17WUXXe7',1795220166028,1795220166031,'{"type":"text","text":"\"Say hello\""}');
INSERT INTO "part" VALUES('prt_1fb75f290001L9SF30pbEUyr2o','msg_1fb75f28d0014yQmHGaK4tWQZw','ses_e048a2b17ffezInEDB17WUXXe7',1795220173471,1795220173475,'{"type":"text","text":"continue"}');
INSERT INTO "part" VALUES('prt_1fb75fd99001A5cChUI0tRWnIC','msg_1fb75f8200010hG4W2zRYuNdy6','ses_e048a2b17ffezInEDB17WUXXe7',1795220176281,1795220176284,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb75fda00012PYKoldhfeMCrP','msg_1fb75f8200010hG4W2zRYuNdy6','ses_e048a2b17ffezInEDB17WUXXe7',1795220176288,1795220176300,'{"type":"text","text":"All done.","time":{"start":1795220176288,"end":1795220176297}}');
INSERT INTO "part" VALUES('prt_1fb75fde5001SszvcaL4YsDygc','msg_1fb75f8200010hG4W2zRYuNdy6','ses_e048a2b17ffezInEDB17WUXXe7',1795220176357,1795220176359,'{"reason":"stop","snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO "part" VALUES('prt_1fb762f3d001VdQLHkAGDXFHZd','msg_1fb75dab6001OFuuPr6hiKb02X','ses_e048a2b17ffezInEDB17WUXXe7',1795220188989,1795220188992,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb762f42001rBM8B141jW6sFx','msg_1fb75dab6001OFuuPr6hiKb02X','ses_e048a2b17ffezInEDB17WUXXe7',1795220188994,1795220189001,'{"type":"text","text":"First process, after its wait.","time":{"start":1795220188994,"end":1795220188999}}');
INSERT INTO "part" VALUES('prt_1fb762f83001gZ5ibFZxJSUIs0','msg_1fb75dab6001OFuuPr6hiKb02X','ses_e048a2b17ffezInEDB17WUXXe7',1795220189059,1795220189062,'{"reason":"stop","snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
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
INSERT INTO "session" VALUES('ses_e048a2b17ffezInEDB17WUXXe7','80471e979f8176f420cf902de57b3003d4d6ed37',NULL,NULL,'playful-mountain','/home/dev/work/demo','','Demo task','1.18.33',NULL,0,0,0,NULL,NULL,0.0,200,20,0,0,0,NULL,'[{"permission":"question","pattern":"*","action":"deny"},{"permission":"plan_enter","pattern":"*","action":"deny"},{"permission":"plan_exit","pattern":"*","action":"deny"}]','build','{"id":"demo-1","providerID":"fake","variant":"default"}',1795220165864,1795220189134,NULL,NULL);
CREATE INDEX `message_session_time_created_id_idx` ON `message` (`session_id`,`time_created`,`id`);
CREATE INDEX `part_message_id_id_idx` ON `part` (`message_id`,`id`);
