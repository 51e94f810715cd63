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
INSERT INTO "session" VALUES('ses_e046db0dbffexNT7nwG5GSb5aB','8718169f519ad70f376744da6b94937e21680890',NULL,NULL,'swift-engine','/home/dev/work/demo','','Demo task','1.18.33',NULL,0,0,0,NULL,NULL,0.0,0,0,0,0,0,NULL,'[{"permission":"question","pattern":"*","action":"deny"},{"permission":"plan_enter","pattern":"*","action":"deny"},{"permission":"plan_exit","pattern":"*","action":"deny"}]','build','{"id":"demo-1","providerID":"fake","variant":"default"}',1795222032168,1795222033592,NULL,NULL);
