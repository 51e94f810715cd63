CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO "message" VALUES('msg_1fb792439001WAKbICx9Z0YLrZ','ses_e0486dc7affeQJFIUXRUEWDHT3',1795220382777,1795220384690,'{"role":"user","time":{"created":1795220382777},"agent":"build","model":{"providerID":"anthropic","modelID":"demo-claude"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb792a21001Jqtrvw3DfVv5V2','ses_e0486dc7affeQJFIUXRUEWDHT3',1795220384289,1795220386476,'{"parentID":"msg_1fb792439001WAKbICx9Z0YLrZ","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"input":0,"output":0,"reasoning":0,"cache":{"read":0,"write":0}},"modelID":"demo-claude","providerID":"anthropic","time":{"created":1795220384289,"completed":1795220386473}}');
INSERT INTO "message" VALUES('msg_1fb7932ae001P8PewuAa7Syfd4','ses_e0486dc7affeQJFIUXRUEWDHT3',1795220386478,1795220387126,'{"role":"user","model":{"providerID":"anthropic","modelID":"demo-claude"},"agent":"build","time":{"created":1795220386478},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb7932c1001ZPTvKWdYRUEpWM','ses_e0486dc7affeQJFIUXRUEWDHT3',1795220386497,1795220386941,'{"role":"assistant","parentID":"msg_1fb7932ae001P8PewuAa7Syfd4","mode":"compaction","agent":"compaction","summary":true,"path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-claude","providerID":"anthropic","time":{"created":1795220386497,"completed":1795220386938},"finish":"stop"}');
INSERT INTO "message" VALUES('msg_1fb793480001q8lIS8WBqB38sz','ses_e0486dc7affeQJFIUXRUEWDHT3',1795220386944,1795220386945,'{"role":"user","time":{"created":1795220386944},"agent":"build","model":{"providerID":"anthropic","modelID":"demo-claude"}}');
INSERT INTO "message" VALUES('msg_1fb79348b001SmQWo49nimjmyR','ses_e0486dc7affeQJFIUXRUEWDHT3',1795220386955,1795220387239,'{"parentID":"msg_1fb793480001q8lIS8WBqB38sz","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-claude","providerID":"anthropic","time":{"created":1795220386955,"completed":1795220387237},"finish":"stop"}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO "part" VALUES('prt_1fb792447001xYECk92iWhgw4n','msg_1fb792439001WAKbICx9Z0YLrZ','ses_e0486dc7affeQJFIUXRUEWDHT3',1795220382799,1795220382803,'{"type":"text","text":"\"Say hello\""}');
INSERT INTO "part" VALUES('prt_1fb7932b2001FV2E88YUo9NsD5','msg_1fb7932ae001P8PewuAa7Syfd4','ses_e0486dc7affeQJFIUXRUEWDHT3',1795220386482,1795220386485,'{"type":"compaction","auto":true,"overflow":true}');
INSERT INTO "part" VALUES('prt_1fb793359001FZtyS7oG06aBrx','msg_1fb7932c1001ZPTvKWdYRUEpWM','ses_e0486dc7affeQJFIUXRUEWDHT3',1795220386649,1795220386653,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb7933600011VyVceqDmjNinX','msg_1fb7932c1001ZPTvKWdYRUEpWM','ses_e0486dc7affeQJFIUXRUEWDHT3',1795220386657,1795220386667,'{"type":"text","text":"## Summary\nGoal: say hello.","time":{"start":1795220386656,"end":1795220386665}}');
INSERT INTO "part" VALUES('prt_1fb7933f9001LAgq8PaE2hzRJ4','msg_1fb7932c1001ZPTvKWdYRUEpWM','ses_e0486dc7affeQJFIUXRUEWDHT3',1795220386810,1795220386813,'{"reason":"stop","snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO "part" VALUES('prt_1fb793483001YTzLAu0AQeSKlz','msg_1fb793480001q8lIS8WBqB38sz','ses_e0486dc7affeQJFIUXRUEWDHT3',1795220386947,1795220386949,'{"type":"text","metadata":{"compaction_continue":true},"synthetic":true,"text":"The previous request exceeded the provider''s size limit due to large media attachments. The conversation was compacted and media files were removed from context. If the user was asking about attached images or files, explain that the attachments were too large to process and suggest they try again with smaller or fewer files.\n\nContinue if you have next steps, or stop and ask for clarification if you are unsure how to proceed.","time":{"start":1795220386947,"end":1795220386947}}');
INSERT INTO "part" VALUES('prt_1fb79350b001eyazGXNvDNBJTs','msg_1fb79348b001SmQWo49nimjmyR','ses_e0486dc7affeQJFIUXRUEWDHT3',1795220387083,1795220387086,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb79350f0016ks2CesthYlRcC','msg_1fb79348b001SmQWo49nimjmyR','ses_e0486dc7affeQJFIUXRUEWDHT3',1795220387087,1795220387094,'{"type":"text","text":"Hello again.","time":{"start":1795220387087,"end":1795220387092}}');
INSERT INTO "part" VALUES('prt_1fb7935670014RUpiCUkhnPoX1','msg_1fb79348b001SmQWo49nimjmyR','ses_e0486dc7affeQJFIUXRUEWDHT3',1795220387175,1795220387177,'{"reason":"stop","snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
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
INSERT INTO "session" VALUES('ses_e0486dc7affeQJFIUXRUEWDHT3','cf96abe3fc571293fddcdbb8076e45d360351607',NULL,NULL,'proud-circuit','/home/dev/work/demo','','Demo task','1.18.33',NULL,0,0,0,NULL,NULL,0.0,200,20,0,0,0,NULL,'[{"permission":"question","pattern":"*","action":"deny"},{"permission":"plan_enter","pattern":"*","action":"deny"},{"permission":"plan_exit","pattern":"*","action":"deny"}]','build','{"id":"demo-claude","providerID":"anthropic","variant":"default"}',1795220382598,1795220387253,NULL,NULL);
CREATE INDEX `message_session_time_created_id_idx` ON `message` (`session_id`,`time_created`,`id`);
CREATE INDEX `part_message_id_id_idx` ON `part` (`message_id`,`id`);
