CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO "message" VALUES('msg_1fb7bcb3c001Y6I0tKAQAgf5WD','ses_e04843622ffeBCx5tcpKLhZXWP',1795220556604,1795220557989,'{"role":"user","time":{"created":1795220556604},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb7bcbb6001kbN1f1XAkYhML1','ses_e04843622ffeBCx5tcpKLhZXWP',1795220556726,1795220566013,'{"parentID":"msg_1fb7bcb3c001Y6I0tKAQAgf5WD","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"input":0,"output":0,"reasoning":0,"cache":{"read":0,"write":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795220556726,"completed":1795220566010},"error":{"name":"APIError","data":{"message":"Rate limit reached for demo-1 in organization org-x on requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in 20s.","statusCode":429,"isRetryable":true,"responseHeaders":{"content-length":"225","content-type":"application/json","date":"Sat, 21 Nov 2026 00:22:45 GMT","retry-after":"0","server":"BaseHTTP/0.6 Python/3.11.7"},"responseBody":"{\"error\": {\"message\": \"Rate limit reached for demo-1 in organization org-x on requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in 20s.\", \"type\": \"requests\", \"param\": null, \"code\": \"rate_limit_exceeded\"}}","metadata":{"url":"http://127.0.0.1:18080/v1/chat/completions"}}}}');
INSERT INTO "message" VALUES('msg_1fb7c07e0001u68fCLoozc6oS7','ses_e04843622ffeBCx5tcpKLhZXWP',1795220572128,1795220576914,'{"role":"user","time":{"created":1795220572128},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb7c090a001WbCs569QNFRDry','ses_e04843622ffeBCx5tcpKLhZXWP',1795220572427,1795220575666,'{"parentID":"msg_1fb7c07e0001u68fCLoozc6oS7","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795220572427,"completed":1795220575664},"finish":"stop"}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO "part" VALUES('prt_1fb7bcb47001VUXDi2XNHKMROs','msg_1fb7bcb3c001Y6I0tKAQAgf5WD','ses_e04843622ffeBCx5tcpKLhZXWP',1795220556639,1795220556641,'{"type":"text","text":"Say hello"}');
INSERT INTO "part" VALUES('prt_1fb7c07f4001nNwh65H6i8ca4a','msg_1fb7c07e0001u68fCLoozc6oS7','ses_e04843622ffeBCx5tcpKLhZXWP',1795220572199,1795220572231,'{"type":"text","text":"continue"}');
INSERT INTO "part" VALUES('prt_1fb7c0fe00014t8vfW4VhFJ9lw','msg_1fb7c090a001WbCs569QNFRDry','ses_e04843622ffeBCx5tcpKLhZXWP',1795220574177,1795220574179,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb7c1009001yqHIk7UWrWB5s9','msg_1fb7c090a001WbCs569QNFRDry','ses_e04843622ffeBCx5tcpKLhZXWP',1795220574217,1795220574290,'{"type":"text","text":"All done.","time":{"start":1795220574217,"end":1795220574279}}');
INSERT INTO "part" VALUES('prt_1fb7c136a001HjEiS1iW4K8xhw','msg_1fb7c090a001WbCs569QNFRDry','ses_e04843622ffeBCx5tcpKLhZXWP',1795220575083,1795220575110,'{"reason":"stop","snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
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
INSERT INTO "session" VALUES('ses_e04843622ffeBCx5tcpKLhZXWP','1064f9eb569ed71e4ac8cd56e5e9701ad3f5ad63',NULL,NULL,'nimble-cabin','/home/dev/work/demo','','Demo task','1.18.33',NULL,0,0,0,NULL,NULL,0.0,100,10,0,0,0,NULL,NULL,'build','{"id":"demo-1","providerID":"fake"}',1795220556254,1795220575905,NULL,NULL);
CREATE INDEX `message_session_time_created_id_idx` ON `message` (`session_id`,`time_created`,`id`);
CREATE INDEX `part_message_id_id_idx` ON `part` (`message_id`,`id`);
