CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO "message" VALUES('msg_1fb9048ac001FFaZnXapT2bf4B','ses_e046fb79affeLIKEmcX5ip1BMQ',1795221899436,1795221901796,'{"role":"user","time":{"created":1795221899436},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb905051001FbzEHMaSpbeMoZ','ses_e046fb79affeLIKEmcX5ip1BMQ',1795221901394,1795221906330,'{"parentID":"msg_1fb9048ac001FFaZnXapT2bf4B","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"input":0,"output":0,"reasoning":0,"cache":{"read":0,"write":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795221901394,"completed":1795221906328},"error":{"name":"MessageAbortedError","data":{"message":"Aborted"}}}');
INSERT INTO "message" VALUES('msg_1fb906bf0001zkmehO51RofFvT','ses_e046fb79affeLIKEmcX5ip1BMQ',1795221908464,1795221908599,'{"role":"user","time":{"created":1795221908464},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb906c0b0014j2FAnmZi5EzoB','ses_e046fb79affeLIKEmcX5ip1BMQ',1795221908491,1795221908839,'{"parentID":"msg_1fb906bf0001zkmehO51RofFvT","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795221908491,"completed":1795221908837},"finish":"stop"}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO "part" VALUES('prt_1fb9048b4001QjTAr0AVzoNZMe','msg_1fb9048ac001FFaZnXapT2bf4B','ses_e046fb79affeLIKEmcX5ip1BMQ',1795221899449,1795221899451,'{"type":"text","text":"Say hello"}');
INSERT INTO "part" VALUES('prt_1fb9057a7001koaH2RyMTWv9wi','msg_1fb905051001FbzEHMaSpbeMoZ','ses_e046fb79affeLIKEmcX5ip1BMQ',1795221903271,1795221903273,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb905b7500197L0oU1GqLhdkW','msg_1fb905051001FbzEHMaSpbeMoZ','ses_e046fb79affeLIKEmcX5ip1BMQ',1795221904246,1795221906327,'{"type":"text","text":"one two three ","time":{"start":1795221904245,"end":1795221906325}}');
INSERT INTO "part" VALUES('prt_1fb906bf100142L2Tzb9HOQd6o','msg_1fb906bf0001zkmehO51RofFvT','ses_e046fb79affeLIKEmcX5ip1BMQ',1795221908470,1795221908472,'{"type":"text","text":"continue"}');
INSERT INTO "part" VALUES('prt_1fb906c8b001UeD7dytJfI116m','msg_1fb906c0b0014j2FAnmZi5EzoB','ses_e046fb79affeLIKEmcX5ip1BMQ',1795221908619,1795221908624,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb906c92001FS5IOG9hSnbBce','msg_1fb906c0b0014j2FAnmZi5EzoB','ses_e046fb79affeLIKEmcX5ip1BMQ',1795221908626,1795221908645,'{"type":"text","text":"All done.","time":{"start":1795221908626,"end":1795221908639}}');
INSERT INTO "part" VALUES('prt_1fb906cff001ZgVxCA0dhrwz6X','msg_1fb906c0b0014j2FAnmZi5EzoB','ses_e046fb79affeLIKEmcX5ip1BMQ',1795221908736,1795221908740,'{"reason":"stop","snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
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
INSERT INTO "session" VALUES('ses_e046fb79affeLIKEmcX5ip1BMQ','e0a89a689d0c92c74a04b4a30f6cdca1d4d8e554',NULL,NULL,'swift-knight','/home/dev/work/demo','','Demo','1.18.33',NULL,0,0,0,NULL,NULL,0.0,100,10,0,0,0,NULL,NULL,'build','{"id":"demo-1","providerID":"fake","variant":"default"}',1795221899365,1795221908592,NULL,NULL);
CREATE INDEX `message_session_time_created_id_idx` ON `message` (`session_id`,`time_created`,`id`);
CREATE INDEX `part_message_id_id_idx` ON `part` (`message_id`,`id`);
