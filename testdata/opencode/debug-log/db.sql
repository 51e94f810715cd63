CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO "message" VALUES('msg_1fb921a7e001s8qLUtxxC5XQ6I','ses_e046de60cffefayLhJbOq4mGos',1795222018686,1795222020327,'{"role":"user","time":{"created":1795222018686},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb921fa2001zayqyVrvi4H8WA','ses_e046de60cffefayLhJbOq4mGos',1795222020002,1795222022295,'{"parentID":"msg_1fb921a7e001s8qLUtxxC5XQ6I","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795222020002,"completed":1795222022294},"finish":"stop"}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO "part" VALUES('prt_1fb921a8a0016guHuY6FQ9Rb1f','msg_1fb921a7e001s8qLUtxxC5XQ6I','ses_e046de60cffefayLhJbOq4mGos',1795222018703,1795222018706,'{"type":"text","text":"\"Say hello\""}');
INSERT INTO "part" VALUES('prt_1fb922857001dIT0AjMe8swMJE','msg_1fb921fa2001zayqyVrvi4H8WA','ses_e046de60cffefayLhJbOq4mGos',1795222022231,1795222022233,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb92285b001h2WgufBfvW62jf','msg_1fb921fa2001zayqyVrvi4H8WA','ses_e046de60cffefayLhJbOq4mGos',1795222022235,1795222022239,'{"type":"text","text":"All done.","time":{"start":1795222022235,"end":1795222022238}}');
INSERT INTO "part" VALUES('prt_1fb92287f00101FejqUoO36LPo','msg_1fb921fa2001zayqyVrvi4H8WA','ses_e046de60cffefayLhJbOq4mGos',1795222022271,1795222022273,'{"reason":"stop","snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
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
INSERT INTO "session" VALUES('ses_e046de60cffefayLhJbOq4mGos','c0b1dcc11382e2440d2b5d95ec6f32e494c077e9',NULL,NULL,'shiny-wolf','/home/dev/work/demo','','Demo task','1.18.33',NULL,0,0,0,NULL,NULL,0.0,100,10,0,0,0,NULL,'[{"permission":"question","pattern":"*","action":"deny"},{"permission":"plan_enter","pattern":"*","action":"deny"},{"permission":"plan_exit","pattern":"*","action":"deny"}]','build','{"id":"demo-1","providerID":"fake","variant":"default"}',1795222018547,1795222022303,NULL,NULL);
CREATE INDEX `message_session_time_created_id_idx` ON `message` (`session_id`,`time_created`,`id`);
CREATE INDEX `part_message_id_id_idx` ON `part` (`message_id`,`id`);
