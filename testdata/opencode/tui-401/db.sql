CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO "message" VALUES('msg_1fb7e8509001XckWDq4Wseb7SU','ses_e04817d92ffe8Dyly1MPh6t21Q',1795220735241,1795220763428,'{"role":"user","time":{"created":1795220735241},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb7e87e9001g9cWqX28sYIMLT','ses_e04817d92ffe8Dyly1MPh6t21Q',1795220735977,1795220780346,'{"parentID":"msg_1fb7e8509001XckWDq4Wseb7SU","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"input":0,"output":0,"reasoning":0,"cache":{"read":0,"write":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795220735977,"completed":1795220780343},"error":{"name":"APIError","data":{"message":"Incorrect API key provided: dummy.","statusCode":401,"isRetryable":false,"responseHeaders":{"content-length":"120","content-type":"application/json","date":"Sat, 21 Nov 2026 00:26:19 GMT","server":"BaseHTTP/0.6 Python/3.11.7"},"responseBody":"{\"error\": {\"message\": \"Incorrect API key provided: dummy.\", \"type\": \"invalid_request_error\", \"code\": \"invalid_api_key\"}}","metadata":{"url":"http://127.0.0.1:18080/v1/chat/completions"}}}}');
INSERT INTO "message" VALUES('msg_1fb7f48930017peeHVXaVpd3wl','ses_e04817d92ffe8Dyly1MPh6t21Q',1795220785299,1795220789579,'{"role":"user","time":{"created":1795220785299},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb7f48cb001VQdGGPXXrEWVUh','ses_e04817d92ffe8Dyly1MPh6t21Q',1795220785355,1795220789065,'{"parentID":"msg_1fb7f48930017peeHVXaVpd3wl","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795220785355,"completed":1795220789051},"finish":"stop"}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO "part" VALUES('prt_1fb7e8558001ElOB4dXSSh1Qh3','msg_1fb7e8509001XckWDq4Wseb7SU','ses_e04817d92ffe8Dyly1MPh6t21Q',1795220735521,1795220735558,'{"type":"text","text":"Say hello"}');
INSERT INTO "part" VALUES('prt_1fb7f4895001PIfJRjYfUz4BKh','msg_1fb7f48930017peeHVXaVpd3wl','ses_e04817d92ffe8Dyly1MPh6t21Q',1795220785305,1795220785306,'{"type":"text","text":"continue"}');
INSERT INTO "part" VALUES('prt_1fb7f4ee5001RLNBntSYuAOwCK','msg_1fb7f48cb001VQdGGPXXrEWVUh','ses_e04817d92ffe8Dyly1MPh6t21Q',1795220786917,1795220786919,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb7f4f0f001RxlIvGOwW3ZaYg','msg_1fb7f48cb001VQdGGPXXrEWVUh','ses_e04817d92ffe8Dyly1MPh6t21Q',1795220786960,1795220787078,'{"type":"text","text":"All done.","time":{"start":1795220786959,"end":1795220787035}}');
INSERT INTO "part" VALUES('prt_1fb7f52d4001UV4ceiwKUOhd6y','msg_1fb7f48cb001VQdGGPXXrEWVUh','ses_e04817d92ffe8Dyly1MPh6t21Q',1795220787932,1795220787935,'{"reason":"stop","snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
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
INSERT INTO "session" VALUES('ses_e04817d92ffe8Dyly1MPh6t21Q','272358dd20d10ed6fac8a55f010beb41eb24158c',NULL,NULL,'misty-garden','/home/dev/work/demo','','Demo task','1.18.33',NULL,0,0,0,NULL,NULL,0.0,100,10,0,0,0,NULL,NULL,'build','{"id":"demo-1","providerID":"fake"}',1795220734574,1795220789095,NULL,NULL);
CREATE INDEX `message_session_time_created_id_idx` ON `message` (`session_id`,`time_created`,`id`);
CREATE INDEX `part_message_id_id_idx` ON `part` (`message_id`,`id`);
