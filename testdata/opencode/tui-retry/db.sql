CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO "message" VALUES('msg_1fb7ae2b4001cYvOviT3cW5TP0','ses_e04851f36ffe6dVqVMMDxqOwUa',1795220497077,1795220507578,'{"role":"user","time":{"created":1795220497077},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb7ae597001KKRYhHNe7nEPvX','ses_e04851f36ffe6dVqVMMDxqOwUa',1795220497815,1795220520964,'{"parentID":"msg_1fb7ae2b4001cYvOviT3cW5TP0","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"input":0,"output":0,"reasoning":0,"cache":{"read":0,"write":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795220497815,"completed":1795220520958}}');
INSERT INTO "message" VALUES('msg_1fb7b4d94001xtH8s5IOydisVq','ses_e04851f36ffe6dVqVMMDxqOwUa',1795220524436,1795220526264,'{"role":"user","time":{"created":1795220524436},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb7b4dd30011Q2irei5ImGaMn','ses_e04851f36ffe6dVqVMMDxqOwUa',1795220524499,1795220525764,'{"parentID":"msg_1fb7b4d94001xtH8s5IOydisVq","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795220524499,"completed":1795220525751},"finish":"stop"}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO "part" VALUES('prt_1fb7ae2c60011gBLBMB924u9rT','msg_1fb7ae2b4001cYvOviT3cW5TP0','ses_e04851f36ffe6dVqVMMDxqOwUa',1795220497183,1795220497204,'{"type":"text","text":"Say hello"}');
INSERT INTO "part" VALUES('prt_1fb7b4da0001mYMZ5cDPrqNcc5','msg_1fb7b4d94001xtH8s5IOydisVq','ses_e04851f36ffe6dVqVMMDxqOwUa',1795220524456,1795220524466,'{"type":"text","text":"continue"}');
INSERT INTO "part" VALUES('prt_1fb7b4f00001D7NtILKdMEIQ69','msg_1fb7b4dd30011Q2irei5ImGaMn','ses_e04851f36ffe6dVqVMMDxqOwUa',1795220524806,1795220524822,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb7b4f350014r2KYZlXxwiaaq','msg_1fb7b4dd30011Q2irei5ImGaMn','ses_e04851f36ffe6dVqVMMDxqOwUa',1795220524854,1795220524918,'{"type":"text","text":"All done.","time":{"start":1795220524853,"end":1795220524877}}');
INSERT INTO "part" VALUES('prt_1fb7b5184001YUx3QWYU9UAp1h','msg_1fb7b4dd30011Q2irei5ImGaMn','ses_e04851f36ffe6dVqVMMDxqOwUa',1795220525444,1795220525449,'{"reason":"stop","snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
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
INSERT INTO "session" VALUES('ses_e04851f36ffe6dVqVMMDxqOwUa','0626bd87ffc7e4c553e2644b44191c231e4676a7',NULL,NULL,'curious-circuit','/home/dev/work/demo','','Demo task','1.18.33',NULL,0,0,0,NULL,NULL,0.0,100,10,0,0,0,NULL,NULL,'build','{"id":"demo-1","providerID":"fake"}',1795220496585,1795220526121,NULL,NULL);
CREATE INDEX `message_session_time_created_id_idx` ON `message` (`session_id`,`time_created`,`id`);
CREATE INDEX `part_message_id_id_idx` ON `part` (`message_id`,`id`);
