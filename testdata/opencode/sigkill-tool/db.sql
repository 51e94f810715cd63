CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO "message" VALUES('msg_1fb924fba001WNRN8T7g5dKkxX','ses_e046db0dbffexNT7nwG5GSb5aB',1795222032314,1795222033601,'{"role":"user","time":{"created":1795222032314},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb9253b7001BeWvD17PfZ0Dab','ses_e046db0dbffexNT7nwG5GSb5aB',1795222033336,1795222033338,'{"parentID":"msg_1fb924fba001WNRN8T7g5dKkxX","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"input":0,"output":0,"reasoning":0,"cache":{"read":0,"write":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795222033336}}');
INSERT INTO "message" VALUES('msg_1fb9278cf001smAPHqFac0mVq7','ses_e046db0dbffexNT7nwG5GSb5aB',1795222042831,1795222043766,'{"role":"user","time":{"created":1795222042831},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb927c2e0019Q4siOsFtmuPQu','ses_e046db0dbffexNT7nwG5GSb5aB',1795222043694,1795222044729,'{"parentID":"msg_1fb9278cf001smAPHqFac0mVq7","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795222043694,"completed":1795222044728},"finish":"stop"}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO "part" VALUES('prt_1fb924fc6001OtJ5jBHaqJnIdx','msg_1fb924fba001WNRN8T7g5dKkxX','ses_e046db0dbffexNT7nwG5GSb5aB',1795222032333,1795222032335,'{"type":"text","text":"\"Say hello\""}');
INSERT INTO "part" VALUES('prt_1fb925828001j8YoszkQz4L1ji','msg_1fb9253b7001BeWvD17PfZ0Dab','ses_e046db0dbffexNT7nwG5GSb5aB',1795222034472,1795222034476,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb925831001ZTvZ3uJp4SzuYE','msg_1fb9253b7001BeWvD17PfZ0Dab','ses_e046db0dbffexNT7nwG5GSb5aB',1795222034482,1795222034592,'{"type":"text","text":"Waiting.","time":{"start":1795222034481,"end":1795222034588}}');
INSERT INTO "part" VALUES('prt_1fb925840001RtkKWhjlJkHbfA','msg_1fb9253b7001BeWvD17PfZ0Dab','ses_e046db0dbffexNT7nwG5GSb5aB',1795222034496,1795222034731,'{"type":"tool","tool":"bash","callID":"call_1795222034462","state":{"metadata":{"output":""},"status":"running","input":{"command":"sleep 60","description":"Wait"},"time":{"start":1795222034566}}}');
INSERT INTO "part" VALUES('prt_1fb9278d3001Q4prbr3a5ElTEo','msg_1fb9278cf001smAPHqFac0mVq7','ses_e046db0dbffexNT7nwG5GSb5aB',1795222042848,1795222042850,'{"type":"text","text":"continue"}');
INSERT INTO "part" VALUES('prt_1fb927fb1001LBiAekbVTnseJm','msg_1fb927c2e0019Q4siOsFtmuPQu','ses_e046db0dbffexNT7nwG5GSb5aB',1795222044593,1795222044597,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb927fba001b13JJblYcUP6Al','msg_1fb927c2e0019Q4siOsFtmuPQu','ses_e046db0dbffexNT7nwG5GSb5aB',1795222044603,1795222044657,'{"type":"text","text":"All done.","time":{"start":1795222044602,"end":1795222044654}}');
INSERT INTO "part" VALUES('prt_1fb92801a001tr01T0CxdAnoPr','msg_1fb927c2e0019Q4siOsFtmuPQu','ses_e046db0dbffexNT7nwG5GSb5aB',1795222044698,1795222044700,'{"reason":"stop","snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
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
INSERT INTO "session" VALUES('ses_e046db0dbffexNT7nwG5GSb5aB','8718169f519ad70f376744da6b94937e21680890',NULL,NULL,'swift-engine','/home/dev/work/demo','','Demo task','1.18.33',NULL,0,0,0,NULL,NULL,0.0,100,10,0,0,0,NULL,'[{"permission":"question","pattern":"*","action":"deny"},{"permission":"plan_enter","pattern":"*","action":"deny"},{"permission":"plan_exit","pattern":"*","action":"deny"}]','build','{"id":"demo-1","providerID":"fake","variant":"default"}',1795222032168,1795222044749,NULL,NULL);
CREATE INDEX `message_session_time_created_id_idx` ON `message` (`session_id`,`time_created`,`id`);
CREATE INDEX `part_message_id_id_idx` ON `part` (`message_id`,`id`);
