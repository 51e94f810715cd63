CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO "message" VALUES('msg_1fb8b5856001zjQCp0emYM07i4','ses_e0474a8e0ffetIUeopY2Q5WQ5H',1795221575766,1795221578209,'{"role":"user","time":{"created":1795221575766},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb8b5a100014F5p3f3zUCyVFE','ses_e0474a8e0ffetIUeopY2Q5WQ5H',1795221576208,1795221585913,'{"parentID":"msg_1fb8b5856001zjQCp0emYM07i4","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"input":0,"output":0,"reasoning":0,"cache":{"read":0,"write":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795221576208,"completed":1795221585910},"error":{"name":"APIError","data":{"message":"Rate limit reached for demo-1 in organization org-x on requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in 20s.","statusCode":429,"isRetryable":true,"responseHeaders":{"content-length":"225","content-type":"application/json","date":"Sat, 21 Nov 2026 00:39:45 GMT","retry-after":"0","server":"BaseHTTP/0.6 Python/3.11.7"},"responseBody":"{\"error\": {\"message\": \"Rate limit reached for demo-1 in organization org-x on requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in 20s.\", \"type\": \"requests\", \"param\": null, \"code\": \"rate_limit_exceeded\"}}","metadata":{"url":"http://127.0.0.1:18080/v1/chat/completions"}}}}');
INSERT INTO "message" VALUES('msg_1fb8b9cbc001gLgylVygzrGRew','ses_e0474a8e0ffetIUeopY2Q5WQ5H',1795221593276,1795221594643,'{"role":"user","time":{"created":1795221593276},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb8b9d93001K0Qj8YHdd1P46e','ses_e0474a8e0ffetIUeopY2Q5WQ5H',1795221593491,1795221594502,'{"parentID":"msg_1fb8b9cbc001gLgylVygzrGRew","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795221593491,"completed":1795221594498},"finish":"stop"}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO "part" VALUES('prt_1fb8b5874001CE2tBhSgekgDbp','msg_1fb8b5856001zjQCp0emYM07i4','ses_e0474a8e0ffetIUeopY2Q5WQ5H',1795221575844,1795221575896,'{"type":"text","text":"Say hello"}');
INSERT INTO "part" VALUES('prt_1fb8b9cbe001JZUfhmbQSz16tl','msg_1fb8b9cbc001gLgylVygzrGRew','ses_e0474a8e0ffetIUeopY2Q5WQ5H',1795221593285,1795221593397,'{"type":"text","text":"continue"}');
INSERT INTO "part" VALUES('prt_1fb8b9f56001sXZ10kZl11PZlc','msg_1fb8b9d93001K0Qj8YHdd1P46e','ses_e0474a8e0ffetIUeopY2Q5WQ5H',1795221593942,1795221593951,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb8b9f71001Ps2RrqYn9EjQOT','msg_1fb8b9d93001K0Qj8YHdd1P46e','ses_e0474a8e0ffetIUeopY2Q5WQ5H',1795221593969,1795221594018,'{"type":"text","text":"All done.","time":{"start":1795221593969,"end":1795221593979}}');
INSERT INTO "part" VALUES('prt_1fb8ba0ec001DnVUcsI1IP9g1r','msg_1fb8b9d93001K0Qj8YHdd1P46e','ses_e0474a8e0ffetIUeopY2Q5WQ5H',1795221594350,1795221594354,'{"reason":"stop","snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
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
INSERT INTO "session" VALUES('ses_e0474a8e0ffetIUeopY2Q5WQ5H','f86fa4f2f408e12f0bee72e47dc585b051308e7f',NULL,NULL,'mighty-canyon','/home/dev/work/demo','','Demo task','1.18.33',NULL,0,0,0,NULL,NULL,0.0,100,10,0,0,0,NULL,NULL,'build','{"id":"demo-1","providerID":"fake"}',1795221575455,1795221594512,NULL,NULL);
CREATE INDEX `message_session_time_created_id_idx` ON `message` (`session_id`,`time_created`,`id`);
CREATE INDEX `part_message_id_id_idx` ON `part` (`message_id`,`id`);
