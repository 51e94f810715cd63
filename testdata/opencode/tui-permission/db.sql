CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO "message" VALUES('msg_1fb801148001N9Z3Gh8xtpwKPx','ses_e047fefc4ffeCQJVLTjGVA6cL5',1795220836680,1795220875844,'{"role":"user","time":{"created":1795220836680},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[{"file":"hi.txt","patch":"Index: hi.txt\n===================================================================\n--- hi.txt\t\n+++ hi.txt\t\n@@ -0,0 +1,1 @@\n+hi\n","additions":1,"deletions":0,"status":"added"}]}}');
INSERT INTO "message" VALUES('msg_1fb8013df0012m1myyKMm3VD21','ses_e047fefc4ffeCQJVLTjGVA6cL5',1795220837343,1795220872513,'{"parentID":"msg_1fb801148001N9Z3Gh8xtpwKPx","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795220837343,"completed":1795220872512},"finish":"tool-calls"}');
INSERT INTO "message" VALUES('msg_1fb809d6a001YuUGoRarP6R9vU','ses_e047fefc4ffeCQJVLTjGVA6cL5',1795220872554,1795220875139,'{"parentID":"msg_1fb801148001N9Z3Gh8xtpwKPx","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795220872554,"completed":1795220875137},"finish":"stop"}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO "part" VALUES('prt_1fb801158001TH27PXKxzbmLSH','msg_1fb801148001N9Z3Gh8xtpwKPx','ses_e047fefc4ffeCQJVLTjGVA6cL5',1795220836815,1795220836894,'{"type":"text","text":"Say hello"}');
INSERT INTO "part" VALUES('prt_1fb808041001isscpmfEdAOlQi','msg_1fb8013df0012m1myyKMm3VD21','ses_e047fefc4ffeCQJVLTjGVA6cL5',1795220865090,1795220865092,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb80806e0017sTpP2g4bstv6u','msg_1fb8013df0012m1myyKMm3VD21','ses_e047fefc4ffeCQJVLTjGVA6cL5',1795220865134,1795220865485,'{"type":"text","text":"I will write a file.","time":{"start":1795220865134,"end":1795220865428}}');
INSERT INTO "part" VALUES('prt_1fb8080a9001tEbWQ9f2u2MQTS','msg_1fb8013df0012m1myyKMm3VD21','ses_e047fefc4ffeCQJVLTjGVA6cL5',1795220865194,1795220870691,'{"type":"tool","tool":"bash","callID":"call_1795220865025","state":{"status":"completed","input":{"command":"echo hi >hi.txt; cat hi.txt","description":"Write a file"},"output":"hi\n","metadata":{"output":"hi\n","exit":0,"truncated":false},"title":"echo hi >hi.txt; cat hi.txt","time":{"start":1795220865280,"end":1795220870676}}}');
INSERT INTO "part" VALUES('prt_1fb8099a90013NItjqnAVJgOWT','msg_1fb8013df0012m1myyKMm3VD21','ses_e047fefc4ffeCQJVLTjGVA6cL5',1795220871593,1795220871598,'{"reason":"tool-calls","snapshot":"31c48feb07a6f334b38c29bae6b6e5491cbad229","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO "part" VALUES('prt_1fb809d35001PJnBYMzu71Gv2q','msg_1fb8013df0012m1myyKMm3VD21','ses_e047fefc4ffeCQJVLTjGVA6cL5',1795220872501,1795220872507,'{"type":"patch","hash":"424a01b9db1c80e5959204a3de3765809b17c8ca","files":["/home/dev/work/demo/hi.txt"]}');
INSERT INTO "part" VALUES('prt_1fb80a379001J5GAynBsVGibMh','msg_1fb809d6a001YuUGoRarP6R9vU','ses_e047fefc4ffeCQJVLTjGVA6cL5',1795220874105,1795220874107,'{"snapshot":"31c48feb07a6f334b38c29bae6b6e5491cbad229","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb80a386001rwuzSCtZWOQpFq','msg_1fb809d6a001YuUGoRarP6R9vU','ses_e047fefc4ffeCQJVLTjGVA6cL5',1795220874126,1795220874155,'{"type":"text","text":"All done.","time":{"start":1795220874118,"end":1795220874153}}');
INSERT INTO "part" VALUES('prt_1fb80a5b3001vJr3auuB739k8S','msg_1fb809d6a001YuUGoRarP6R9vU','ses_e047fefc4ffeCQJVLTjGVA6cL5',1795220874676,1795220874678,'{"reason":"stop","snapshot":"31c48feb07a6f334b38c29bae6b6e5491cbad229","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
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
INSERT INTO "session" VALUES('ses_e047fefc4ffeCQJVLTjGVA6cL5','f51d901749184b7b5157e08d85bb69583cd0f687',NULL,NULL,'jolly-eagle','/home/dev/work/demo','','Demo task','1.18.33',NULL,0,0,0,NULL,NULL,0.0,200,20,0,0,0,NULL,NULL,'build','{"id":"demo-1","providerID":"fake"}',1795220836412,1795220875212,NULL,NULL);
CREATE INDEX `message_session_time_created_id_idx` ON `message` (`session_id`,`time_created`,`id`);
CREATE INDEX `part_message_id_id_idx` ON `part` (`message_id`,`id`);
