CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO "message" VALUES('msg_1fb90495e0018446UvD8ZDiBZv','ses_e046fb6ffffeCXL12M1XKN01yJ',1795221899614,1795221901864,'{"role":"user","time":{"created":1795221899614},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb904fd7001lXZK36uDdfDpsw','ses_e046fb6ffffeCXL12M1XKN01yJ',1795221901272,1795221906496,'{"parentID":"msg_1fb90495e0018446UvD8ZDiBZv","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"input":0,"output":0,"reasoning":0,"cache":{"read":0,"write":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795221901272,"completed":1795221906493},"error":{"name":"MessageAbortedError","data":{"message":"Aborted"}}}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO "part" VALUES('prt_1fb90496c0014fFTzN0ZImHvRk','msg_1fb90495e0018446UvD8ZDiBZv','ses_e046fb6ffffeCXL12M1XKN01yJ',1795221899635,1795221899638,'{"type":"text","text":"Say hello"}');
INSERT INTO "part" VALUES('prt_1fb905842001G089UP18NfZ6sR','msg_1fb904fd7001lXZK36uDdfDpsw','ses_e046fb6ffffeCXL12M1XKN01yJ',1795221903465,1795221903468,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb90586f001wtxylW0J62JD2W','msg_1fb904fd7001lXZK36uDdfDpsw','ses_e046fb6ffffeCXL12M1XKN01yJ',1795221903471,1795221903513,'{"type":"text","text":"Waiting.","time":{"start":1795221903471,"end":1795221903511}}');
INSERT INTO "part" VALUES('prt_1fb90587c001sPQHtuixM1Ad65','msg_1fb904fd7001lXZK36uDdfDpsw','ses_e046fb6ffffeCXL12M1XKN01yJ',1795221903485,1795221906455,'{"type":"tool","tool":"bash","callID":"call_1795221903394","state":{"status":"completed","input":{"command":"sleep 60","description":"Wait"},"output":"(no output)\n\n<shell_metadata>\nUser aborted the command\n</shell_metadata>","metadata":{"output":"(no output)\n\n<shell_metadata>\nUser aborted the command\n</shell_metadata>","exit":null,"truncated":false},"title":"sleep 60","time":{"start":1795221903499,"end":1795221906453}}}');
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
INSERT INTO "session" VALUES('ses_e046fb6ffffeCXL12M1XKN01yJ','e0a89a689d0c92c74a04b4a30f6cdca1d4d8e554',NULL,NULL,'lucky-circuit','/home/dev/work/demo','','Demo','1.18.33',NULL,0,0,0,NULL,NULL,0.0,0,0,0,0,0,NULL,NULL,'build','{"id":"demo-1","providerID":"fake","variant":"default"}',1795221899520,1795221901850,NULL,NULL);
CREATE INDEX `message_session_time_created_id_idx` ON `message` (`session_id`,`time_created`,`id`);
CREATE INDEX `part_message_id_id_idx` ON `part` (`message_id`,`id`);
