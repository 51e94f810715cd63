CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO "message" VALUES('msg_1fb86e16b001y7R1KutHQU7E21','ses_e04792038ffecmzMLm7XdxX9mw',1795221283179,1795221287402,'{"role":"user","time":{"created":1795221283179},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb86ecdf001A3b4E1ebBk01zY','ses_e04792038ffecmzMLm7XdxX9mw',1795221286111,1795221289239,'{"parentID":"msg_1fb86e16b001y7R1KutHQU7E21","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795221286111,"completed":1795221289234},"finish":"length"}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO "part" VALUES('prt_1fb86e18f001JGT6ihQKwzUkOb','msg_1fb86e16b001y7R1KutHQU7E21','ses_e04792038ffecmzMLm7XdxX9mw',1795221283228,1795221283241,'{"type":"text","text":"\"Say hello\""}');
INSERT INTO "part" VALUES('prt_1fb86f84f001qmoW96OH6qFxKm','msg_1fb86ecdf001A3b4E1ebBk01zY','ses_e04792038ffecmzMLm7XdxX9mw',1795221289039,1795221289042,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb86f854001rS4MMCDmriGAQC','msg_1fb86ecdf001A3b4E1ebBk01zY','ses_e04792038ffecmzMLm7XdxX9mw',1795221289044,1795221289052,'{"type":"text","text":"This is a long ans","time":{"start":1795221289044,"end":1795221289050}}');
INSERT INTO "part" VALUES('prt_1fb86f8d20014HeTUB8TYOln58','msg_1fb86ecdf001A3b4E1ebBk01zY','ses_e04792038ffecmzMLm7XdxX9mw',1795221289170,1795221289173,'{"reason":"length","snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
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
INSERT INTO "session" VALUES('ses_e04792038ffecmzMLm7XdxX9mw','a34a3a8a212690af1e479c3a9a4acfd7881d117c',NULL,NULL,'proud-island','/home/dev/work/demo','','Demo task','1.18.33',NULL,0,0,0,NULL,NULL,0.0,100,10,0,0,0,NULL,'[{"permission":"question","pattern":"*","action":"deny"},{"permission":"plan_enter","pattern":"*","action":"deny"},{"permission":"plan_exit","pattern":"*","action":"deny"}]','build','{"id":"demo-1","providerID":"fake","variant":"default"}',1795221282759,1795221289254,NULL,NULL);
CREATE INDEX `message_session_time_created_id_idx` ON `message` (`session_id`,`time_created`,`id`);
CREATE INDEX `part_message_id_id_idx` ON `part` (`message_id`,`id`);
