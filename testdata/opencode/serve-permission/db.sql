CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO "message" VALUES('msg_1fb891150001A95v1bXiGNbfD0','ses_e0476f029ffeqrpj481x1QdPa6',1795221426512,1795221442098,'{"role":"user","time":{"created":1795221426512},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[{"file":"hi.txt","patch":"Index: hi.txt\n===================================================================\n--- hi.txt\t\n+++ hi.txt\t\n@@ -0,0 +1,1 @@\n+hi\n","additions":1,"deletions":0,"status":"added"}]}}');
INSERT INTO "message" VALUES('msg_1fb8925ef0013UUJmZlZm38ShS','ses_e0476f029ffeqrpj481x1QdPa6',1795221431791,1795221441568,'{"parentID":"msg_1fb891150001A95v1bXiGNbfD0","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795221431791,"completed":1795221441563},"finish":"tool-calls"}');
INSERT INTO "message" VALUES('msg_1fb894c24001PTcUewt4aVoxN1','ses_e0476f029ffeqrpj481x1QdPa6',1795221441573,1795221441971,'{"parentID":"msg_1fb891150001A95v1bXiGNbfD0","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795221441573,"completed":1795221441970},"finish":"stop"}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO "part" VALUES('prt_1fb891177001K2uCC4WKX2ALkd','msg_1fb891150001A95v1bXiGNbfD0','ses_e0476f029ffeqrpj481x1QdPa6',1795221426606,1795221426620,'{"type":"text","text":"Say hello"}');
INSERT INTO "part" VALUES('prt_1fb8936da001ZbSRxnDilNupG1','msg_1fb8925ef0013UUJmZlZm38ShS','ses_e0476f029ffeqrpj481x1QdPa6',1795221436122,1795221436124,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb8936df001W3N4W2kc323voj','msg_1fb8925ef0013UUJmZlZm38ShS','ses_e0476f029ffeqrpj481x1QdPa6',1795221436128,1795221436315,'{"type":"text","text":"I will write a file.","time":{"start":1795221436127,"end":1795221436313}}');
INSERT INTO "part" VALUES('prt_1fb8936f8001LscC5qGj51qRQ6','msg_1fb8925ef0013UUJmZlZm38ShS','ses_e0476f029ffeqrpj481x1QdPa6',1795221436152,1795221441361,'{"type":"tool","tool":"bash","callID":"call_1795221436065","state":{"status":"completed","input":{"command":"echo hi >hi.txt; cat hi.txt","description":"Write a file"},"output":"hi\n","metadata":{"output":"hi\n","exit":0,"truncated":false},"title":"echo hi >hi.txt; cat hi.txt","time":{"start":1795221436206,"end":1795221441360}}}');
INSERT INTO "part" VALUES('prt_1fb894bc8001XsAm5YsF8DCoMx','msg_1fb8925ef0013UUJmZlZm38ShS','ses_e0476f029ffeqrpj481x1QdPa6',1795221441480,1795221441482,'{"reason":"tool-calls","snapshot":"31c48feb07a6f334b38c29bae6b6e5491cbad229","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO "part" VALUES('prt_1fb894c15001SvJ7UbLZTiliii','msg_1fb8925ef0013UUJmZlZm38ShS','ses_e0476f029ffeqrpj481x1QdPa6',1795221441558,1795221441559,'{"type":"patch","hash":"424a01b9db1c80e5959204a3de3765809b17c8ca","files":["/home/dev/work/demo/hi.txt"]}');
INSERT INTO "part" VALUES('prt_1fb894cc00017LnhcRu5pIFMAc','msg_1fb894c24001PTcUewt4aVoxN1','ses_e0476f029ffeqrpj481x1QdPa6',1795221441728,1795221441731,'{"snapshot":"31c48feb07a6f334b38c29bae6b6e5491cbad229","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb894cc5001VyfdZJKU5U50Bg','msg_1fb894c24001PTcUewt4aVoxN1','ses_e0476f029ffeqrpj481x1QdPa6',1795221441734,1795221441742,'{"type":"text","text":"All done.","time":{"start":1795221441733,"end":1795221441738}}');
INSERT INTO "part" VALUES('prt_1fb894d74001ldceTg5XDqEdv3','msg_1fb894c24001PTcUewt4aVoxN1','ses_e0476f029ffeqrpj481x1QdPa6',1795221441909,1795221441914,'{"reason":"stop","snapshot":"31c48feb07a6f334b38c29bae6b6e5491cbad229","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
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
INSERT INTO "session" VALUES('ses_e0476f029ffeqrpj481x1QdPa6','e1ae83b1e53f876507c5d630577bbd80bddf8a4d',NULL,NULL,'eager-rocket','/home/dev/work/demo','','Demo','1.18.33',NULL,0,0,0,NULL,NULL,0.0,200,20,0,0,0,NULL,NULL,'build','{"id":"demo-1","providerID":"fake","variant":"default"}',1795221426134,1795221441987,NULL,NULL);
CREATE INDEX `message_session_time_created_id_idx` ON `message` (`session_id`,`time_created`,`id`);
CREATE INDEX `part_message_id_id_idx` ON `part` (`message_id`,`id`);
