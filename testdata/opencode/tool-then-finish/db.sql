CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO "message" VALUES('msg_1fb6e4f6b001V3jDm4rtFoNNZa','ses_e0491b5f6ffeS64TqfIw5iLA7S',1795219672939,1795219704451,'{"role":"user","time":{"created":1795219672939},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[{"file":"hi.txt","patch":"Index: hi.txt\n===================================================================\n--- hi.txt\t\n+++ hi.txt\t\n@@ -0,0 +1,1 @@\n+hi\n","additions":1,"deletions":0,"status":"added"}]}}');
INSERT INTO "message" VALUES('msg_1fb6e893c001zCXkxwwdJK7FFF','ses_e0491b5f6ffeS64TqfIw5iLA7S',1795219687740,1795219702746,'{"parentID":"msg_1fb6e4f6b001V3jDm4rtFoNNZa","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795219687740,"completed":1795219702708},"finish":"tool-calls"}');
INSERT INTO "message" VALUES('msg_1fb6ec41e0013cwe8W3weKV3ms','ses_e0491b5f6ffeS64TqfIw5iLA7S',1795219702814,1795219705505,'{"parentID":"msg_1fb6e4f6b001V3jDm4rtFoNNZa","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795219702814,"completed":1795219705483},"finish":"stop"}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO "part" VALUES('prt_1fb6e4fef001PF59Oh183YrxmN','msg_1fb6e4f6b001V3jDm4rtFoNNZa','ses_e0491b5f6ffeS64TqfIw5iLA7S',1795219673204,1795219673342,'{"type":"text","text":"\"Say hello\""}');
INSERT INTO "part" VALUES('prt_1fb6eb7c4001fXEx6Sn7Ioj5uc','msg_1fb6e893c001zCXkxwwdJK7FFF','ses_e0491b5f6ffeS64TqfIw5iLA7S',1795219699669,1795219699674,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb6eb7dc001QDnq5w05AqEhFl','msg_1fb6e893c001zCXkxwwdJK7FFF','ses_e0491b5f6ffeS64TqfIw5iLA7S',1795219699720,1795219699997,'{"type":"text","text":"I will write a file.","time":{"start":1795219699676,"end":1795219699961}}');
INSERT INTO "part" VALUES('prt_1fb6eb84b001kNjwjNiT4NIrFt','msg_1fb6e893c001zCXkxwwdJK7FFF','ses_e0491b5f6ffeS64TqfIw5iLA7S',1795219699788,1795219701733,'{"type":"tool","tool":"bash","callID":"call_1795219699539","state":{"status":"completed","input":{"command":"echo hi >hi.txt; cat hi.txt","description":"Write a file"},"output":"hi\n","metadata":{"output":"hi\n","exit":0,"truncated":false},"title":"echo hi >hi.txt; cat hi.txt","time":{"start":1795219699863,"end":1795219701562}}}');
INSERT INTO "part" VALUES('prt_1fb6ec1dd001slGdk6GpV0a3of','msg_1fb6e893c001zCXkxwwdJK7FFF','ses_e0491b5f6ffeS64TqfIw5iLA7S',1795219702237,1795219702246,'{"reason":"tool-calls","snapshot":"31c48feb07a6f334b38c29bae6b6e5491cbad229","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO "part" VALUES('prt_1fb6ec37c001uLgvKag37UtWyf','msg_1fb6e893c001zCXkxwwdJK7FFF','ses_e0491b5f6ffeS64TqfIw5iLA7S',1795219702652,1795219702704,'{"type":"patch","hash":"424a01b9db1c80e5959204a3de3765809b17c8ca","files":["/home/dev/work/demo/hi.txt"]}');
INSERT INTO "part" VALUES('prt_1fb6ec84a001OEy2S0zB8ijHit','msg_1fb6ec41e0013cwe8W3weKV3ms','ses_e0491b5f6ffeS64TqfIw5iLA7S',1795219703883,1795219703901,'{"snapshot":"31c48feb07a6f334b38c29bae6b6e5491cbad229","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb6ec86d0015ZGR7HmnYH5QyG','msg_1fb6ec41e0013cwe8W3weKV3ms','ses_e0491b5f6ffeS64TqfIw5iLA7S',1795219703917,1795219703963,'{"type":"text","text":"All done.","time":{"start":1795219703917,"end":1795219703961}}');
INSERT INTO "part" VALUES('prt_1fb6ecb95001n6vf7I3XWqL9Xk','msg_1fb6ec41e0013cwe8W3weKV3ms','ses_e0491b5f6ffeS64TqfIw5iLA7S',1795219704725,1795219704749,'{"reason":"stop","snapshot":"31c48feb07a6f334b38c29bae6b6e5491cbad229","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
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
INSERT INTO "session" VALUES('ses_e0491b5f6ffeS64TqfIw5iLA7S','447d6ff91d4875c689a93a5718ee959c2e04580f',NULL,NULL,'shiny-forest','/home/dev/work/demo','','Demo task','1.18.33',NULL,0,0,0,NULL,NULL,0.0,200,20,0,0,0,NULL,'[{"permission":"question","pattern":"*","action":"deny"},{"permission":"plan_enter","pattern":"*","action":"deny"},{"permission":"plan_exit","pattern":"*","action":"deny"}]','build','{"id":"demo-1","providerID":"fake","variant":"default"}',1795219671561,1795219705753,NULL,NULL);
CREATE INDEX `message_session_time_created_id_idx` ON `message` (`session_id`,`time_created`,`id`);
CREATE INDEX `part_message_id_id_idx` ON `part` (`message_id`,`id`);
