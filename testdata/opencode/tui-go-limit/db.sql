CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO "message" VALUES('msg_1fb7e2aeb001PwYSnPnVK4eSa6','ses_e0481d6adffe8wmM7yYhDZ4909',1795220712171,1795220729561,'{"role":"user","time":{"created":1795220712171},"agent":"build","model":{"providerID":"opencode-go","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb7e2bbd001FpMrfkuZcm3L4E','ses_e0481d6adffe8wmM7yYhDZ4909',1795220712381,1795220754264,'{"parentID":"msg_1fb7e2aeb001PwYSnPnVK4eSa6","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"input":0,"output":0,"reasoning":0,"cache":{"read":0,"write":0}},"modelID":"demo-1","providerID":"opencode-go","time":{"created":1795220712381,"completed":1795220754239}}');
INSERT INTO "message" VALUES('msg_1fb7edc630014198TkF5tUjjq4','ses_e0481d6adffe8wmM7yYhDZ4909',1795220757603,1795220761611,'{"role":"user","time":{"created":1795220757603},"agent":"build","model":{"providerID":"opencode-go","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb7edd47001iPKQmL6NISkmDw','ses_e0481d6adffe8wmM7yYhDZ4909',1795220757831,1795220760651,'{"parentID":"msg_1fb7edc630014198TkF5tUjjq4","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-1","providerID":"opencode-go","time":{"created":1795220757831,"completed":1795220760649},"finish":"stop"}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO "part" VALUES('prt_1fb7e2aff001XSuIYMk35ZeoEp','msg_1fb7e2aeb001PwYSnPnVK4eSa6','ses_e0481d6adffe8wmM7yYhDZ4909',1795220712223,1795220712232,'{"type":"text","text":"Say hello"}');
INSERT INTO "part" VALUES('prt_1fb7edc64001viOkTD5OykPkno','msg_1fb7edc630014198TkF5tUjjq4','ses_e0481d6adffe8wmM7yYhDZ4909',1795220757670,1795220757672,'{"type":"text","text":"continue"}');
INSERT INTO "part" VALUES('prt_1fb7ee267001os4SKXaievn3Sv','msg_1fb7edd47001iPKQmL6NISkmDw','ses_e0481d6adffe8wmM7yYhDZ4909',1795220759144,1795220759162,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb7ee2b5001KufOaXiBrDbrrV','msg_1fb7edd47001iPKQmL6NISkmDw','ses_e0481d6adffe8wmM7yYhDZ4909',1795220759222,1795220759329,'{"type":"text","text":"All done.","time":{"start":1795220759221,"end":1795220759289}}');
INSERT INTO "part" VALUES('prt_1fb7ee498001CKdp3iIJ96Rxya','msg_1fb7edd47001iPKQmL6NISkmDw','ses_e0481d6adffe8wmM7yYhDZ4909',1795220759704,1795220759707,'{"reason":"stop","snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
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
INSERT INTO "session" VALUES('ses_e0481d6adffe8wmM7yYhDZ4909','fe8258360bb0977d9a82a9c7ed1cd2a60f0d80db',NULL,NULL,'witty-orchid','/home/dev/work/demo','','Demo task','1.18.33',NULL,0,0,0,NULL,NULL,0.0,100,10,0,0,0,NULL,NULL,'build','{"id":"demo-1","providerID":"opencode-go"}',1795220711762,1795220760852,NULL,NULL);
CREATE INDEX `message_session_time_created_id_idx` ON `message` (`session_id`,`time_created`,`id`);
CREATE INDEX `part_message_id_id_idx` ON `part` (`message_id`,`id`);
