CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO "message" VALUES('msg_1fb763adf001tMG7nID42MWg0M','ses_e0489c593ffetkzWtnr7bvFsmT',1795220191967,1795220193590,'{"role":"user","time":{"created":1795220191967},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb763fd40014WwOZd3Sb10Xrv','ses_e0489c593ffetkzWtnr7bvFsmT',1795220193236,1795220195168,'{"parentID":"msg_1fb763adf001tMG7nID42MWg0M","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795220193236,"completed":1795220195166},"finish":"stop"}');
INSERT INTO "message" VALUES('msg_1fb767a5e001pnCo6sY6dOW8jv','ses_e0489c593ffetkzWtnr7bvFsmT',1795220208222,1795220209508,'{"role":"user","time":{"created":1795220208222},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb767f0d001CRbWov2X7aFPhl','ses_e0489c593ffetkzWtnr7bvFsmT',1795220209422,1795220210930,'{"parentID":"msg_1fb767a5e001pnCo6sY6dOW8jv","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795220209422,"completed":1795220210928},"finish":"stop"}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO "part" VALUES('prt_1fb763ae70014RtJ8FhfHyMZv2','msg_1fb763adf001tMG7nID42MWg0M','ses_e0489c593ffetkzWtnr7bvFsmT',1795220191980,1795220191983,'{"type":"text","text":"\"Say hello\""}');
INSERT INTO "part" VALUES('prt_1fb7646bd001TwPbBKHb8AQfg3','msg_1fb763fd40014WwOZd3Sb10Xrv','ses_e0489c593ffetkzWtnr7bvFsmT',1795220195005,1795220195008,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb7646c4001yO5hGBwABlP9fs','msg_1fb763fd40014WwOZd3Sb10Xrv','ses_e0489c593ffetkzWtnr7bvFsmT',1795220195012,1795220195023,'{"type":"text","text":"All done.","time":{"start":1795220195012,"end":1795220195020}}');
INSERT INTO "part" VALUES('prt_1fb76471b001MytlbUJV7O36Xx','msg_1fb763fd40014WwOZd3Sb10Xrv','ses_e0489c593ffetkzWtnr7bvFsmT',1795220195099,1795220195101,'{"reason":"stop","snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO "part" VALUES('prt_1fb767a63001H5kn77bE93Wu95','msg_1fb767a5e001pnCo6sY6dOW8jv','ses_e0489c593ffetkzWtnr7bvFsmT',1795220208243,1795220208247,'{"type":"text","text":"please go on\n"}');
INSERT INTO "part" VALUES('prt_1fb768472001iWj2NBRfKCWbT8','msg_1fb767f0d001CRbWov2X7aFPhl','ses_e0489c593ffetkzWtnr7bvFsmT',1795220210802,1795220210805,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb768479001Zwi75UXyf3c9ij','msg_1fb767f0d001CRbWov2X7aFPhl','ses_e0489c593ffetkzWtnr7bvFsmT',1795220210809,1795220210818,'{"type":"text","text":"All done.","time":{"start":1795220210809,"end":1795220210816}}');
INSERT INTO "part" VALUES('prt_1fb7684b8001E8RQX65O46hRLP','msg_1fb767f0d001CRbWov2X7aFPhl','ses_e0489c593ffetkzWtnr7bvFsmT',1795220210872,1795220210874,'{"reason":"stop","snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
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
INSERT INTO "session" VALUES('ses_e0489c593ffetkzWtnr7bvFsmT','e6c3479b08183bb09f99da4e1c25f759452648d5',NULL,NULL,'misty-falcon','/home/dev/work/demo','','Demo task','1.18.33',NULL,0,0,0,NULL,NULL,0.0,200,20,0,0,0,NULL,'[{"permission":"question","pattern":"*","action":"deny"},{"permission":"plan_enter","pattern":"*","action":"deny"},{"permission":"plan_exit","pattern":"*","action":"deny"}]','build','{"id":"demo-1","providerID":"fake","variant":"default"}',1795220191852,1795220210959,NULL,NULL);
CREATE INDEX `message_session_time_created_id_idx` ON `message` (`session_id`,`time_created`,`id`);
CREATE INDEX `part_message_id_id_idx` ON `part` (`message_id`,`id`);
