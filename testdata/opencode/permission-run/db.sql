CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO "message" VALUES('msg_1fb79f065001SbOecwHl1fCx0R','ses_e04861059ffer7QfviLTUBIrwX',1795220435045,1795220437116,'{"role":"user","time":{"created":1795220435045},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb79f6f10012wNgb345RiXHB3','ses_e04861059ffer7QfviLTUBIrwX',1795220436721,1795220440173,'{"parentID":"msg_1fb79f065001SbOecwHl1fCx0R","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795220436721,"completed":1795220440159},"finish":"tool-calls"}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO "part" VALUES('prt_1fb79f077001GNiugBkzXEQ6z7','msg_1fb79f065001SbOecwHl1fCx0R','ses_e04861059ffer7QfviLTUBIrwX',1795220435075,1795220435083,'{"type":"text","text":"\"Say hello\""}');
INSERT INTO "part" VALUES('prt_1fb7a014c00187AZS6W0ROLzaF','msg_1fb79f6f10012wNgb345RiXHB3','ses_e04861059ffer7QfviLTUBIrwX',1795220439373,1795220439397,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb7a01900015Q8xE4XPn4PLCp','msg_1fb79f6f10012wNgb345RiXHB3','ses_e04861059ffer7QfviLTUBIrwX',1795220439441,1795220439648,'{"type":"text","text":"I will write a file.","time":{"start":1795220439440,"end":1795220439645}}');
INSERT INTO "part" VALUES('prt_1fb7a0218001xbV7jtRwcEWQKv','msg_1fb79f6f10012wNgb345RiXHB3','ses_e04861059ffer7QfviLTUBIrwX',1795220439587,1795220439855,'{"type":"tool","tool":"bash","callID":"call_1795220439325","state":{"status":"error","input":{"command":"echo hi >hi.txt; cat hi.txt","description":"Write a file"},"error":"The user rejected permission to use this specific tool call.","time":{"start":1795220439621,"end":1795220439847}}}');
INSERT INTO "part" VALUES('prt_1fb7a03b6001E45nsKdWy41eBD','msg_1fb79f6f10012wNgb345RiXHB3','ses_e04861059ffer7QfviLTUBIrwX',1795220439996,1795220439998,'{"reason":"tool-calls","snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
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
INSERT INTO "session" VALUES('ses_e04861059ffer7QfviLTUBIrwX','80ef29c044b11c4c9b65adc1677d5faaf6ddd15d',NULL,NULL,'nimble-rocket','/home/dev/work/demo','','Demo task','1.18.33',NULL,0,0,0,NULL,NULL,0.0,100,10,0,0,0,NULL,'[{"permission":"question","pattern":"*","action":"deny"},{"permission":"plan_enter","pattern":"*","action":"deny"},{"permission":"plan_exit","pattern":"*","action":"deny"}]','build','{"id":"demo-1","providerID":"fake","variant":"default"}',1795220434855,1795220440209,NULL,NULL);
CREATE INDEX `message_session_time_created_id_idx` ON `message` (`session_id`,`time_created`,`id`);
CREATE INDEX `part_message_id_id_idx` ON `part` (`message_id`,`id`);
