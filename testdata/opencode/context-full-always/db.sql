CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO "message" VALUES('msg_1fb79456a001ircMfmH9tD4oTa','ses_e0486bb1fffe8plz1n1H5HFVxp',1795220391274,1795220393713,'{"role":"user","time":{"created":1795220391274},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb794cca001CaoTiFBz7FSwjb','ses_e0486bb1fffe8plz1n1H5HFVxp',1795220393162,1795220396236,'{"parentID":"msg_1fb79456a001ircMfmH9tD4oTa","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"input":0,"output":0,"reasoning":0,"cache":{"read":0,"write":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795220393162,"completed":1795220396233}}');
INSERT INTO "message" VALUES('msg_1fb7958cf001Hr2Tx2pUzLOu8T','ses_e0486bb1fffe8plz1n1H5HFVxp',1795220396239,1795220396241,'{"role":"user","model":{"providerID":"fake","modelID":"demo-1"},"agent":"build","time":{"created":1795220396239}}');
INSERT INTO "message" VALUES('msg_1fb7958e20014qQLrTtfWOIF5o','ses_e0486bb1fffe8plz1n1H5HFVxp',1795220396258,1795220396657,'{"role":"assistant","parentID":"msg_1fb7958cf001Hr2Tx2pUzLOu8T","mode":"compaction","agent":"compaction","summary":true,"path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"output":0,"input":0,"reasoning":0,"cache":{"read":0,"write":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795220396258,"completed":1795220396635},"error":{"name":"ContextOverflowError","data":{"message":"Session too large to compact - context exceeds model limit even after stripping media"}},"finish":"error"}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO "part" VALUES('prt_1fb794579001RjVSYEYf57lC5P','msg_1fb79456a001ircMfmH9tD4oTa','ses_e0486bb1fffe8plz1n1H5HFVxp',1795220391299,1795220391304,'{"type":"text","text":"\"Say hello\""}');
INSERT INTO "part" VALUES('prt_1fb7958d4001524ICPS2yPzULa','msg_1fb7958cf001Hr2Tx2pUzLOu8T','ses_e0486bb1fffe8plz1n1H5HFVxp',1795220396244,1795220396246,'{"type":"compaction","auto":true,"overflow":true}');
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
INSERT INTO "session" VALUES('ses_e0486bb1fffe8plz1n1H5HFVxp','c0f8a54b06e0afb88be45f4428c59f0fed39eda3',NULL,NULL,'tidy-moon','/home/dev/work/demo','','Demo task','1.18.33',NULL,0,0,0,NULL,NULL,0.0,0,0,0,0,0,NULL,'[{"permission":"question","pattern":"*","action":"deny"},{"permission":"plan_enter","pattern":"*","action":"deny"},{"permission":"plan_exit","pattern":"*","action":"deny"}]','build','{"id":"demo-1","providerID":"fake","variant":"default"}',1795220391142,1795220393694,NULL,NULL);
CREATE INDEX `message_session_time_created_id_idx` ON `message` (`session_id`,`time_created`,`id`);
CREATE INDEX `part_message_id_id_idx` ON `part` (`message_id`,`id`);
