CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO "message" VALUES('msg_1fb6f49880017RO8BnTWLvQmMn','ses_e0490c1d1ffe1k3P16oZH9HyST',1795219736968,1795219750326,'{"role":"user","time":{"created":1795219736968},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb6f76e3001sLqR51WCVyHqmz','ses_e0490c1d1ffe1k3P16oZH9HyST',1795219748579,1795219765990,'{"parentID":"msg_1fb6f49880017RO8BnTWLvQmMn","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795219748579,"completed":1795219765984},"finish":"stop"}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO "part" VALUES('prt_1fb6f4aaa00103Z8fZfYADcVGW','msg_1fb6f49880017RO8BnTWLvQmMn','ses_e0490c1d1ffe1k3P16oZH9HyST',1795219737366,1795219737431,'{"type":"text","text":"\"Say hello\""}');
INSERT INTO "part" VALUES('prt_1fb6fb7e700180ln7tTFmMvnSv','msg_1fb6f76e3001sLqR51WCVyHqmz','ses_e0490c1d1ffe1k3P16oZH9HyST',1795219765223,1795219765231,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb6fb7fb001a1b1HYv9e2OUQQ','msg_1fb6f76e3001sLqR51WCVyHqmz','ses_e0490c1d1ffe1k3P16oZH9HyST',1795219765243,1795219765287,'{"type":"text","text":"All done.","time":{"start":1795219765243,"end":1795219765284}}');
INSERT INTO "part" VALUES('prt_1fb6fb9f4001zot1of3GIv7r9W','msg_1fb6f76e3001sLqR51WCVyHqmz','ses_e0490c1d1ffe1k3P16oZH9HyST',1795219765748,1795219765751,'{"reason":"stop","snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
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
INSERT INTO "session" VALUES('ses_e0490c1d1ffe1k3P16oZH9HyST','d70457aa50fa59ee23bc39a6d1a8104046e76216',NULL,NULL,'shiny-nebula','/home/dev/work/demo','','Demo task','1.18.33',NULL,0,0,0,NULL,NULL,0.0,100,10,0,0,0,NULL,'[{"permission":"question","pattern":"*","action":"deny"},{"permission":"plan_enter","pattern":"*","action":"deny"},{"permission":"plan_exit","pattern":"*","action":"deny"}]','build','{"id":"demo-1","providerID":"fake","variant":"default"}',1795219734062,1795219766079,NULL,NULL);
CREATE INDEX `message_session_time_created_id_idx` ON `message` (`session_id`,`time_created`,`id`);
CREATE INDEX `part_message_id_id_idx` ON `part` (`message_id`,`id`);
