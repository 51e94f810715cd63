CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO "message" VALUES('msg_1fb7d9de5001SEcgZ89s3rBO85','ses_e048265bdffenFRLmPcSF45Ei1',1795220676070,1795220694824,'{"role":"user","time":{"created":1795220676070},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb7db5ac001pCPQCzvDEtCGT2','ses_e048265bdffenFRLmPcSF45Ei1',1795220682156,1795220694262,'{"parentID":"msg_1fb7d9de5001SEcgZ89s3rBO85","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"input":0,"output":0,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795220682156,"completed":1795220694257},"finish":"unknown"}');
INSERT INTO "message" VALUES('msg_1fb7de508001s2gPfMBR7k51a4','ses_e048265bdffenFRLmPcSF45Ei1',1795220694280,1795220695563,'{"parentID":"msg_1fb7d9de5001SEcgZ89s3rBO85","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795220694280,"completed":1795220695561},"finish":"stop"}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO "part" VALUES('prt_1fb7d9df6001DcqRKz5d4a5ogp','msg_1fb7d9de5001SEcgZ89s3rBO85','ses_e048265bdffenFRLmPcSF45Ei1',1795220676096,1795220676100,'{"type":"text","text":"\"Say hello\""}');
INSERT INTO "part" VALUES('prt_1fb7de12f001xy7S54AYUEWwEL','msg_1fb7db5ac001pCPQCzvDEtCGT2','ses_e048265bdffenFRLmPcSF45Ei1',1795220693295,1795220693307,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb7de14b001GBQYrycIh16kLE','msg_1fb7db5ac001pCPQCzvDEtCGT2','ses_e048265bdffenFRLmPcSF45Ei1',1795220693324,1795220693578,'{"type":"text","text":"I will now","time":{"start":1795220693323,"end":1795220693562}}');
INSERT INTO "part" VALUES('prt_1fb7de391001TGuec12OWmk5hy','msg_1fb7db5ac001pCPQCzvDEtCGT2','ses_e048265bdffenFRLmPcSF45Ei1',1795220693905,1795220693918,'{"reason":"unknown","snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-finish","tokens":{"input":0,"output":0,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO "part" VALUES('prt_1fb7de692001LIIzSeSKSVQkUp','msg_1fb7de508001s2gPfMBR7k51a4','ses_e048265bdffenFRLmPcSF45Ei1',1795220694674,1795220694681,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb7de6a1001FAuw9z0IuMQ8zr','msg_1fb7de508001s2gPfMBR7k51a4','ses_e048265bdffenFRLmPcSF45Ei1',1795220694690,1795220694712,'{"type":"text","text":"All done.","time":{"start":1795220694689,"end":1795220694709}}');
INSERT INTO "part" VALUES('prt_1fb7de8da001NeV9kDddctzMzC','msg_1fb7de508001s2gPfMBR7k51a4','ses_e048265bdffenFRLmPcSF45Ei1',1795220695259,1795220695277,'{"reason":"stop","snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
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
INSERT INTO "session" VALUES('ses_e048265bdffenFRLmPcSF45Ei1','7a52c03e548f46851620fe545f15e0ec80504c95',NULL,NULL,'proud-engine','/home/dev/work/demo','','Demo task','1.18.33',NULL,0,0,0,NULL,NULL,0.0,100,10,0,0,0,NULL,'[{"permission":"question","pattern":"*","action":"deny"},{"permission":"plan_enter","pattern":"*","action":"deny"},{"permission":"plan_exit","pattern":"*","action":"deny"}]','build','{"id":"demo-1","providerID":"fake","variant":"default"}',1795220675138,1795220695608,NULL,NULL);
CREATE INDEX `message_session_time_created_id_idx` ON `message` (`session_id`,`time_created`,`id`);
CREATE INDEX `part_message_id_id_idx` ON `part` (`message_id`,`id`);
