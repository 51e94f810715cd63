CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO "message" VALUES('msg_1fb758b230013TDpSucmCahMTK','ses_e048a766cffeddCMOcz2N3KWXa',1795220146979,1795220148513,'{"role":"user","time":{"created":1795220146979},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb758fc3001Rzk8PoUdwizJ0i','ses_e048a766cffeddCMOcz2N3KWXa',1795220148163,1795220148166,'{"parentID":"msg_1fb758b230013TDpSucmCahMTK","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"input":0,"output":0,"reasoning":0,"cache":{"read":0,"write":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795220148163}}');
INSERT INTO "message" VALUES('msg_1fb75c0a8001UTDpzkQCLX07Uv','ses_e048a766cffeddCMOcz2N3KWXa',1795220160680,1795220161714,'{"role":"user","time":{"created":1795220160680},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb75c442001iKx238RI1iyTBY','ses_e048a766cffeddCMOcz2N3KWXa',1795220161602,1795220162996,'{"parentID":"msg_1fb75c0a8001UTDpzkQCLX07Uv","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795220161602,"completed":1795220162994},"finish":"stop"}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO "part" VALUES('prt_1fb758b2e001535XOxj6FdOpY4','msg_1fb758b230013TDpSucmCahMTK','ses_e048a766cffeddCMOcz2N3KWXa',1795220146995,1795220146998,'{"type":"text","text":"\"Say hello\""}');
INSERT INTO "part" VALUES('prt_1fb75c0ac001JmPxuFNCX41lVv','msg_1fb75c0a8001UTDpzkQCLX07Uv','ses_e048a766cffeddCMOcz2N3KWXa',1795220160695,1795220160697,'{"type":"text","text":"continue"}');
INSERT INTO "part" VALUES('prt_1fb75c9320010AE2Rh7kqW9X3c','msg_1fb75c442001iKx238RI1iyTBY','ses_e048a766cffeddCMOcz2N3KWXa',1795220162866,1795220162869,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb75c93a001FoBlQAMDbHrIbi','msg_1fb75c442001iKx238RI1iyTBY','ses_e048a766cffeddCMOcz2N3KWXa',1795220162874,1795220162885,'{"type":"text","text":"All done.","time":{"start":1795220162874,"end":1795220162883}}');
INSERT INTO "part" VALUES('prt_1fb75c97d001FCPA5HfqqX1M9E','msg_1fb75c442001iKx238RI1iyTBY','ses_e048a766cffeddCMOcz2N3KWXa',1795220162942,1795220162945,'{"reason":"stop","snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
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
INSERT INTO "session" VALUES('ses_e048a766cffeddCMOcz2N3KWXa','98568eea87405a94716e3369e194ea50ee933b4b',NULL,NULL,'shiny-wolf','/home/dev/work/demo','','Demo task','1.18.33',NULL,0,0,0,NULL,NULL,0.0,100,10,0,0,0,NULL,'[{"permission":"question","pattern":"*","action":"deny"},{"permission":"plan_enter","pattern":"*","action":"deny"},{"permission":"plan_exit","pattern":"*","action":"deny"}]','build','{"id":"demo-1","providerID":"fake","variant":"default"}',1795220146579,1795220163006,NULL,NULL);
CREATE INDEX `message_session_time_created_id_idx` ON `message` (`session_id`,`time_created`,`id`);
CREATE INDEX `part_message_id_id_idx` ON `part` (`message_id`,`id`);
