CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO "message" VALUES('msg_1fb78f845001Skj22ZJC7zlSZ0','ses_e0487094bffewivx8N6x1kHhXS',1795220371525,1795220375972,'{"role":"user","time":{"created":1795220371525},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb790525001SDOvk3hyM3hNk2','ses_e0487094bffewivx8N6x1kHhXS',1795220374821,1795220378211,'{"parentID":"msg_1fb78f845001Skj22ZJC7zlSZ0","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"input":0,"output":0,"reasoning":0,"cache":{"read":0,"write":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795220374821,"completed":1795220378209}}');
INSERT INTO "message" VALUES('msg_1fb791266001oJEIGcadM9eXXg','ses_e0487094bffewivx8N6x1kHhXS',1795220378214,1795220378758,'{"role":"user","model":{"providerID":"fake","modelID":"demo-1"},"agent":"build","time":{"created":1795220378214},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb791286001Orsowf03EGzp2B','ses_e0487094bffewivx8N6x1kHhXS',1795220378246,1795220378601,'{"role":"assistant","parentID":"msg_1fb791266001oJEIGcadM9eXXg","mode":"compaction","agent":"compaction","summary":true,"path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795220378246,"completed":1795220378600},"finish":"stop"}');
INSERT INTO "message" VALUES('msg_1fb7913eb001yUpcxReTBOH28I','ses_e0487094bffewivx8N6x1kHhXS',1795220378603,1795220378605,'{"role":"user","time":{"created":1795220378603},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"}}');
INSERT INTO "message" VALUES('msg_1fb7913fa001KHX3qnyMeZerS9','ses_e0487094bffewivx8N6x1kHhXS',1795220378618,1795220378933,'{"parentID":"msg_1fb7913eb001yUpcxReTBOH28I","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795220378618,"completed":1795220378932},"finish":"stop"}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO "part" VALUES('prt_1fb78f871001IQ0tBH4FnY3VXs','msg_1fb78f845001Skj22ZJC7zlSZ0','ses_e0487094bffewivx8N6x1kHhXS',1795220371587,1795220371591,'{"type":"text","text":"\"Say hello\""}');
INSERT INTO "part" VALUES('prt_1fb791269001VtXwpwQUbJORqW','msg_1fb791266001oJEIGcadM9eXXg','ses_e0487094bffewivx8N6x1kHhXS',1795220378218,1795220378221,'{"type":"compaction","auto":true,"overflow":true}');
INSERT INTO "part" VALUES('prt_1fb791330001YgCcv67N8QzF6t','msg_1fb791286001Orsowf03EGzp2B','ses_e0487094bffewivx8N6x1kHhXS',1795220378417,1795220378419,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb7913350015ajnViypl26Giq','msg_1fb791286001Orsowf03EGzp2B','ses_e0487094bffewivx8N6x1kHhXS',1795220378421,1795220378429,'{"type":"text","text":"## Summary\nGoal: say hello.","time":{"start":1795220378421,"end":1795220378428}}');
INSERT INTO "part" VALUES('prt_1fb7913b7001ssJrpYelLnvM8O','msg_1fb791286001Orsowf03EGzp2B','ses_e0487094bffewivx8N6x1kHhXS',1795220378551,1795220378557,'{"reason":"stop","snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO "part" VALUES('prt_1fb7913ef0013prUlB5o5be9rI','msg_1fb7913eb001yUpcxReTBOH28I','ses_e0487094bffewivx8N6x1kHhXS',1795220378607,1795220378613,'{"type":"text","metadata":{"compaction_continue":true},"synthetic":true,"text":"The previous request exceeded the provider''s size limit due to large media attachments. The conversation was compacted and media files were removed from context. If the user was asking about attached images or files, explain that the attachments were too large to process and suggest they try again with smaller or fewer files.\n\nContinue if you have next steps, or stop and ask for clarification if you are unsure how to proceed.","time":{"start":1795220378607,"end":1795220378607}}');
INSERT INTO "part" VALUES('prt_1fb7914ab001jMUxz56mbNoHv0','msg_1fb7913fa001KHX3qnyMeZerS9','ses_e0487094bffewivx8N6x1kHhXS',1795220378795,1795220378799,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb7914b10014oBy6q104mRcVs','msg_1fb7913fa001KHX3qnyMeZerS9','ses_e0487094bffewivx8N6x1kHhXS',1795220378801,1795220378812,'{"type":"text","text":"Hello again.","time":{"start":1795220378801,"end":1795220378810}}');
INSERT INTO "part" VALUES('prt_1fb7914f3001yNatKAFmG7mSmQ','msg_1fb7913fa001KHX3qnyMeZerS9','ses_e0487094bffewivx8N6x1kHhXS',1795220378867,1795220378869,'{"reason":"stop","snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
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
INSERT INTO "session" VALUES('ses_e0487094bffewivx8N6x1kHhXS','5b1951963ceaf1e853407085b1237e3af5588911',NULL,NULL,'calm-garden','/home/dev/work/demo','','Demo task','1.18.33',NULL,0,0,0,NULL,NULL,0.0,200,20,0,0,0,NULL,'[{"permission":"question","pattern":"*","action":"deny"},{"permission":"plan_enter","pattern":"*","action":"deny"},{"permission":"plan_exit","pattern":"*","action":"deny"}]','build','{"id":"demo-1","providerID":"fake","variant":"default"}',1795220371125,1795220378944,NULL,NULL);
CREATE INDEX `message_session_time_created_id_idx` ON `message` (`session_id`,`time_created`,`id`);
CREATE INDEX `part_message_id_id_idx` ON `part` (`message_id`,`id`);
