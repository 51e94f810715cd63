CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO "message" VALUES('msg_1fb8b79e60013i63i62z1StXzu','ses_e04748794ffeMZyx0BXP0O15Em',1795221584358,1795221587130,'{"role":"user","time":{"created":1795221584358},"agent":"build","model":{"providerID":"anthropic","modelID":"demo-claude"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb8b82fc001qNSMRqcR1Zl0jJ','ses_e04748794ffeMZyx0BXP0O15Em',1795221586684,1795221655024,'{"parentID":"msg_1fb8b79e60013i63i62z1StXzu","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"input":0,"output":0,"reasoning":0,"cache":{"read":0,"write":0}},"modelID":"demo-claude","providerID":"anthropic","time":{"created":1795221586684,"completed":1795221655022},"error":{"name":"UnknownError","data":{"message":"{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}"}}}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO "part" VALUES('prt_1fb8b7a01001P7RH8BImv54XsX','msg_1fb8b79e60013i63i62z1StXzu','ses_e04748794ffeMZyx0BXP0O15Em',1795221584415,1795221584423,'{"type":"text","text":"\"Say hello\""}');
INSERT INTO "part" VALUES('prt_1fb8b89be001qgzarkCCA6akaL','msg_1fb8b82fc001qNSMRqcR1Zl0jJ','ses_e04748794ffeMZyx0BXP0O15Em',1795221588415,1795221588418,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb8b89c40013zvY38evDoJBtZ','msg_1fb8b82fc001qNSMRqcR1Zl0jJ','ses_e04748794ffeMZyx0BXP0O15Em',1795221588420,1795221588422,'{"type":"text","text":"","time":{"start":1795221588420}}');
INSERT INTO "part" VALUES('prt_1fb8b93b4001zx5zTOAP9T9YW5','msg_1fb8b82fc001qNSMRqcR1Zl0jJ','ses_e04748794ffeMZyx0BXP0O15Em',1795221590965,1795221590973,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb8b93c10016mrLWG9H4aILex','msg_1fb8b82fc001qNSMRqcR1Zl0jJ','ses_e04748794ffeMZyx0BXP0O15Em',1795221590978,1795221590980,'{"type":"text","text":"","time":{"start":1795221590977}}');
INSERT INTO "part" VALUES('prt_1fb8ba4b8001sZhHlk4zrnhAEr','msg_1fb8b82fc001qNSMRqcR1Zl0jJ','ses_e04748794ffeMZyx0BXP0O15Em',1795221595320,1795221595324,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb8ba4c2001CSDpHPFOctCxam','msg_1fb8b82fc001qNSMRqcR1Zl0jJ','ses_e04748794ffeMZyx0BXP0O15Em',1795221595330,1795221595332,'{"type":"text","text":"","time":{"start":1795221595330}}');
INSERT INTO "part" VALUES('prt_1fb8bcc27001SuYZVFMM6ZQTn3','msg_1fb8b82fc001qNSMRqcR1Zl0jJ','ses_e04748794ffeMZyx0BXP0O15Em',1795221605415,1795221605428,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb8bcc3b001DQUP0n0u4Ogkie','msg_1fb8b82fc001qNSMRqcR1Zl0jJ','ses_e04748794ffeMZyx0BXP0O15Em',1795221605435,1795221605463,'{"type":"text","text":"","time":{"start":1795221605435}}');
INSERT INTO "part" VALUES('prt_1fb8c1868001zoKQ5E0jsrTvhG','msg_1fb8b82fc001qNSMRqcR1Zl0jJ','ses_e04748794ffeMZyx0BXP0O15Em',1795221624936,1795221624938,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb8c1870001fb5mpKGdy41TkX','msg_1fb8b82fc001qNSMRqcR1Zl0jJ','ses_e04748794ffeMZyx0BXP0O15Em',1795221624945,1795221624947,'{"type":"text","text":"","time":{"start":1795221624944}}');
INSERT INTO "part" VALUES('prt_1fb8c8db9001wKwEQitw8n9GnU','msg_1fb8b82fc001qNSMRqcR1Zl0jJ','ses_e04748794ffeMZyx0BXP0O15Em',1795221654969,1795221654971,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb8c8dbc001SwXyQTDUNCIHWF','msg_1fb8b82fc001qNSMRqcR1Zl0jJ','ses_e04748794ffeMZyx0BXP0O15Em',1795221654973,1795221655021,'{"type":"text","text":"I will","time":{"start":1795221654972,"end":1795221655017}}');
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
INSERT INTO "session" VALUES('ses_e04748794ffeMZyx0BXP0O15Em','70a867d55b8ecb0603905e768631422a93399cfc',NULL,NULL,'hidden-river','/home/dev/work/demo','','Demo task','1.18.33',NULL,0,0,0,NULL,NULL,0.0,0,0,0,0,0,NULL,'[{"permission":"question","pattern":"*","action":"deny"},{"permission":"plan_enter","pattern":"*","action":"deny"},{"permission":"plan_exit","pattern":"*","action":"deny"}]','build','{"id":"demo-claude","providerID":"anthropic","variant":"default"}',1795221583979,1795221587115,NULL,NULL);
CREATE INDEX `message_session_time_created_id_idx` ON `message` (`session_id`,`time_created`,`id`);
CREATE INDEX `part_message_id_id_idx` ON `part` (`message_id`,`id`);
