CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO "message" VALUES('msg_1fb88af62001vZNboy7U8L2EWe','ses_e04775143ffegyhlBlKPAJ1Lg4',1795221401442,1795221403668,'{"role":"user","time":{"created":1795221401442},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb88b6d5001isNT1a5e3oN2rN','ses_e04775143ffegyhlBlKPAJ1Lg4',1795221403349,1795221411133,'{"parentID":"msg_1fb88af62001vZNboy7U8L2EWe","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"input":0,"output":0,"reasoning":0,"cache":{"read":0,"write":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795221403349,"completed":1795221411131}}');
INSERT INTO "message" VALUES('msg_1fb88c52f0018FHQ5FAAPp6AxB','ses_e04775143ffegyhlBlKPAJ1Lg4',1795221407023,1795221407027,'{"role":"user","time":{"created":1795221407023},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"}}');
INSERT INTO "message" VALUES('msg_1fb88e173001s2QN3JBQHdO4fx','ses_e04775143ffegyhlBlKPAJ1Lg4',1795221414259,1795221415493,'{"role":"user","time":{"created":1795221414259},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb88e1ea001ra1UbWKjBq0VRi','ses_e04775143ffegyhlBlKPAJ1Lg4',1795221414378,1795221415282,'{"parentID":"msg_1fb88e173001s2QN3JBQHdO4fx","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795221414378,"completed":1795221415280},"finish":"stop"}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO "part" VALUES('prt_1fb88af70001qHPbvJXSKR7bQ9','msg_1fb88af62001vZNboy7U8L2EWe','ses_e04775143ffegyhlBlKPAJ1Lg4',1795221401463,1795221401467,'{"type":"text","text":"Say hello"}');
INSERT INTO "part" VALUES('prt_1fb88c531001elEHUkwqcFcFfP','msg_1fb88c52f0018FHQ5FAAPp6AxB','ses_e04775143ffegyhlBlKPAJ1Lg4',1795221407029,1795221407031,'{"type":"text","text":"continue"}');
INSERT INTO "part" VALUES('prt_1fb88e176001H1q9R0Rizdv39J','msg_1fb88e173001s2QN3JBQHdO4fx','ses_e04775143ffegyhlBlKPAJ1Lg4',1795221414270,1795221414271,'{"type":"text","text":"continue"}');
INSERT INTO "part" VALUES('prt_1fb88e39200111BaEoWfTsTQli','msg_1fb88e1ea001ra1UbWKjBq0VRi','ses_e04775143ffegyhlBlKPAJ1Lg4',1795221414802,1795221414861,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb88e3d5001TzysZfqcRwrhD4','msg_1fb88e1ea001ra1UbWKjBq0VRi','ses_e04775143ffegyhlBlKPAJ1Lg4',1795221414869,1795221414895,'{"type":"text","text":"All done.","time":{"start":1795221414869,"end":1795221414893}}');
INSERT INTO "part" VALUES('prt_1fb88e483001fKvX5L0MtDNVQK','msg_1fb88e1ea001ra1UbWKjBq0VRi','ses_e04775143ffegyhlBlKPAJ1Lg4',1795221415043,1795221415054,'{"reason":"stop","snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
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
INSERT INTO "session" VALUES('ses_e04775143ffegyhlBlKPAJ1Lg4','4fec041d2e3fbede80f0ef44d449743f1a257638',NULL,NULL,'tidy-planet','/home/dev/work/demo','','Demo','1.18.33',NULL,0,0,0,NULL,NULL,0.0,100,10,0,0,0,NULL,NULL,'build','{"id":"demo-1","providerID":"fake","variant":"default"}',1795221401276,1795221415343,NULL,NULL);
CREATE INDEX `message_session_time_created_id_idx` ON `message` (`session_id`,`time_created`,`id`);
CREATE INDEX `part_message_id_id_idx` ON `part` (`message_id`,`id`);
