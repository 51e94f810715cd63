CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO "message" VALUES('msg_1fb7cf54b001bwh6rzjVF5LirY','ses_e04830decffeecVqfRPmv7xeos',1795220632907,1795220692176,'{"role":"user","time":{"created":1795220632907},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb7d0594001Ik5z6R7gZLAdrM','ses_e04830decffeecVqfRPmv7xeos',1795220637076,1795220690959,'{"parentID":"msg_1fb7cf54b001bwh6rzjVF5LirY","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795220637076,"completed":1795220690956},"finish":"stop"}');
INSERT INTO "message" VALUES('msg_1fb7d83c9001t25Bgtk6Uvk9iG','ses_e04830decffeecVqfRPmv7xeos',1795220669385,1795220693536,'{"role":"user","time":{"created":1795220669385},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb7dd81f001fEPaQ3R3ALche6','ses_e04830decffeecVqfRPmv7xeos',1795220690976,1795220693188,'{"parentID":"msg_1fb7d83c9001t25Bgtk6Uvk9iG","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795220690976,"completed":1795220693185},"finish":"stop"}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO "part" VALUES('prt_1fb7cf5800010eO6VXYxDlO2A1','msg_1fb7cf54b001bwh6rzjVF5LirY','ses_e04830decffeecVqfRPmv7xeos',1795220633055,1795220633137,'{"type":"text","text":"Say hello"}');
INSERT INTO "part" VALUES('prt_1fb7d83cb001XPmItVZz7KLK65','msg_1fb7d83c9001t25Bgtk6Uvk9iG','ses_e04830decffeecVqfRPmv7xeos',1795220669406,1795220669414,'{"type":"text","text":"continue"}');
INSERT INTO "part" VALUES('prt_1fb7dd555001ZcJDUyX7DkCH6z','msg_1fb7d0594001Ik5z6R7gZLAdrM','ses_e04830decffeecVqfRPmv7xeos',1795220690261,1795220690269,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb7dd569001CCyQ4gl4ALKyjM','msg_1fb7d0594001Ik5z6R7gZLAdrM','ses_e04830decffeecVqfRPmv7xeos',1795220690281,1795220690334,'{"type":"text","text":"All done.","time":{"start":1795220690281,"end":1795220690299}}');
INSERT INTO "part" VALUES('prt_1fb7dd6f1001755xA8BXsY1o4F','msg_1fb7d0594001Ik5z6R7gZLAdrM','ses_e04830decffeecVqfRPmv7xeos',1795220690673,1795220690694,'{"reason":"stop","snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO "part" VALUES('prt_1fb7ddde4001DRTbo9ksSraNL4','msg_1fb7dd81f001fEPaQ3R3ALche6','ses_e04830decffeecVqfRPmv7xeos',1795220692454,1795220692463,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb7dddfc001yaJROfmkP3SnmU','msg_1fb7dd81f001fEPaQ3R3ALche6','ses_e04830decffeecVqfRPmv7xeos',1795220692479,1795220692527,'{"type":"text","text":"Second answer.","time":{"start":1795220692476,"end":1795220692516}}');
INSERT INTO "part" VALUES('prt_1fb7ddf52001ZMpZIGKIi4qWll','msg_1fb7dd81f001fEPaQ3R3ALche6','ses_e04830decffeecVqfRPmv7xeos',1795220692818,1795220692831,'{"reason":"stop","snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
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
INSERT INTO "session" VALUES('ses_e04830decffeecVqfRPmv7xeos','35a6306de799c656d1a9a8111415f48f8e1bc33a',NULL,NULL,'eager-planet','/home/dev/work/demo','','Demo task','1.18.33',NULL,0,0,0,NULL,NULL,0.0,200,20,0,0,0,NULL,NULL,'build','{"id":"demo-1","providerID":"fake"}',1795220632083,1795220693288,NULL,NULL);
CREATE INDEX `message_session_time_created_id_idx` ON `message` (`session_id`,`time_created`,`id`);
CREATE INDEX `part_message_id_id_idx` ON `part` (`message_id`,`id`);
