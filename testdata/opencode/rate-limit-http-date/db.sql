CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO "message" VALUES('msg_1fb70435a001WS55SKVr94o2Ur','ses_e048fc232ffeT9Tq1oD0Va0q2D',1795219800922,1795219819489,'{"role":"user","time":{"created":1795219800922},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb707876001XVA7tOda61slWX','ses_e048fc232ffeT9Tq1oD0Va0q2D',1795219814518,1795219838440,'{"parentID":"msg_1fb70435a001WS55SKVr94o2Ur","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795219814518,"completed":1795219838438},"finish":"stop"}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO "part" VALUES('prt_1fb7043ae001SHZSDWaSIUJHJ6','msg_1fb70435a001WS55SKVr94o2Ur','ses_e048fc232ffeT9Tq1oD0Va0q2D',1795219801039,1795219801063,'{"type":"text","text":"\"Say hello\""}');
INSERT INTO "part" VALUES('prt_1fb70d13d00109zoI3eaClFtIh','msg_1fb707876001XVA7tOda61slWX','ses_e048fc232ffeT9Tq1oD0Va0q2D',1795219837245,1795219837247,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb70d14d001b3mugoe969BzLk','msg_1fb707876001XVA7tOda61slWX','ses_e048fc232ffeT9Tq1oD0Va0q2D',1795219837261,1795219837291,'{"type":"text","text":"All done.","time":{"start":1795219837261,"end":1795219837290}}');
INSERT INTO "part" VALUES('prt_1fb70d3ab00127FtQR5QlfHYE3','msg_1fb707876001XVA7tOda61slWX','ses_e048fc232ffeT9Tq1oD0Va0q2D',1795219837867,1795219837871,'{"reason":"stop","snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
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
INSERT INTO "session" VALUES('ses_e048fc232ffeT9Tq1oD0Va0q2D','67d72ecc0ee253d012bf3f6a80bc174b8e780ad5',NULL,NULL,'lucky-river','/home/dev/work/demo','','Demo task','1.18.33',NULL,0,0,0,NULL,NULL,0.0,100,10,0,0,0,NULL,'[{"permission":"question","pattern":"*","action":"deny"},{"permission":"plan_enter","pattern":"*","action":"deny"},{"permission":"plan_exit","pattern":"*","action":"deny"}]','build','{"id":"demo-1","providerID":"fake","variant":"default"}',1795219799501,1795219838532,NULL,NULL);
CREATE INDEX `message_session_time_created_id_idx` ON `message` (`session_id`,`time_created`,`id`);
CREATE INDEX `part_message_id_id_idx` ON `part` (`message_id`,`id`);
