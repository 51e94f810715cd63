CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO "message" VALUES('msg_1fb90d080001RxnA2tSD43EqpG','ses_e046f2fe0ffeM6JXeo9F3gAVYE',1795221934208,1795221935313,'{"role":"user","time":{"created":1795221934208},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb90d3fc0017xC4RJJ5X0dvRy','ses_e046f2fe0ffeM6JXeo9F3gAVYE',1795221935100,1795222018020,'{"parentID":"msg_1fb90d080001RxnA2tSD43EqpG","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"input":0,"output":0,"reasoning":0,"cache":{"read":0,"write":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795221935100,"completed":1795222018018},"error":{"name":"APIError","data":{"message":"SSE read timed out","isRetryable":true,"metadata":{"code":"ProviderResponseStreamError"}}}}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO "part" VALUES('prt_1fb90d089001LR9aK6Fvft1Z9U','msg_1fb90d080001RxnA2tSD43EqpG','ses_e046f2fe0ffeM6JXeo9F3gAVYE',1795221934222,1795221934224,'{"type":"text","text":"\"Say hello\""}');
INSERT INTO "part" VALUES('prt_1fb90d789001XNBbk6VPxZgOfb','msg_1fb90d3fc0017xC4RJJ5X0dvRy','ses_e046f2fe0ffeM6JXeo9F3gAVYE',1795221936009,1795221936014,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb90d790001Nbhs022Fzw4zr9','msg_1fb90d3fc0017xC4RJJ5X0dvRy','ses_e046f2fe0ffeM6JXeo9F3gAVYE',1795221936018,1795221936020,'{"type":"text","text":"","time":{"start":1795221936016}}');
INSERT INTO "part" VALUES('prt_1fb90ec72001itmmHvS8E4qhcq','msg_1fb90d3fc0017xC4RJJ5X0dvRy','ses_e046f2fe0ffeM6JXeo9F3gAVYE',1795221941363,1795221941364,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb90ec76001Jl99xew5NEKqmb','msg_1fb90d3fc0017xC4RJJ5X0dvRy','ses_e046f2fe0ffeM6JXeo9F3gAVYE',1795221941366,1795221941367,'{"type":"text","text":"","time":{"start":1795221941366}}');
INSERT INTO "part" VALUES('prt_1fb910a0b001bvYkvzL5cuZssn','msg_1fb90d3fc0017xC4RJJ5X0dvRy','ses_e046f2fe0ffeM6JXeo9F3gAVYE',1795221948939,1795221948941,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb910a0f0017QC6Y3OWGUG2qs','msg_1fb90d3fc0017xC4RJJ5X0dvRy','ses_e046f2fe0ffeM6JXeo9F3gAVYE',1795221948943,1795221948944,'{"type":"text","text":"","time":{"start":1795221948943}}');
INSERT INTO "part" VALUES('prt_1fb913644001yeMKL1bi8ActaS','msg_1fb90d3fc0017xC4RJJ5X0dvRy','ses_e046f2fe0ffeM6JXeo9F3gAVYE',1795221960260,1795221960261,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb913647001h01lYkORPsBY0F','msg_1fb90d3fc0017xC4RJJ5X0dvRy','ses_e046f2fe0ffeM6JXeo9F3gAVYE',1795221960263,1795221960264,'{"type":"text","text":"","time":{"start":1795221960263}}');
INSERT INTO "part" VALUES('prt_1fb918b0d001oc4rC9BMzPMV69','msg_1fb90d3fc0017xC4RJJ5X0dvRy','ses_e046f2fe0ffeM6JXeo9F3gAVYE',1795221981966,1795221981967,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb918b11001QWXu5F7ldkFmVJ','msg_1fb90d3fc0017xC4RJJ5X0dvRy','ses_e046f2fe0ffeM6JXeo9F3gAVYE',1795221981969,1795221981970,'{"type":"text","text":"","time":{"start":1795221981969}}');
INSERT INTO "part" VALUES('prt_1fb920c0b001lgKe5ac9pCe1vo','msg_1fb90d3fc0017xC4RJJ5X0dvRy','ses_e046f2fe0ffeM6JXeo9F3gAVYE',1795222014988,1795222014991,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb920c120010HIvXzYI9UCj8L','msg_1fb90d3fc0017xC4RJJ5X0dvRy','ses_e046f2fe0ffeM6JXeo9F3gAVYE',1795222014994,1795222018017,'{"type":"text","text":"I will now","time":{"start":1795222014994,"end":1795222018011}}');
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
INSERT INTO "session" VALUES('ses_e046f2fe0ffeM6JXeo9F3gAVYE','1bf7a5836939b50d4e9dfff6c60531c5e44edb65',NULL,NULL,'eager-planet','/home/dev/work/demo','','Demo task','1.18.33',NULL,0,0,0,NULL,NULL,0.0,0,0,0,0,0,NULL,'[{"permission":"question","pattern":"*","action":"deny"},{"permission":"plan_enter","pattern":"*","action":"deny"},{"permission":"plan_exit","pattern":"*","action":"deny"}]','build','{"id":"demo-1","providerID":"fake","variant":"default"}',1795221934111,1795221935302,NULL,NULL);
CREATE INDEX `message_session_time_created_id_idx` ON `message` (`session_id`,`time_created`,`id`);
CREATE INDEX `part_message_id_id_idx` ON `part` (`message_id`,`id`);
