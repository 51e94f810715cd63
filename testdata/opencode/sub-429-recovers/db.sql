CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO "message" VALUES('msg_20f2273c5001hPTruVyZNwAxhd','ses_df0dd8da7ffeBshsNRGyfqg9GV',1795550245829,1795550248602,'{"role":"user","time":{"created":1795550245829},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_20f2274b2001FeRAD0pGlXLjYo','ses_df0dd8da7ffeBshsNRGyfqg9GV',1795550246066,1795550248288,'{"parentID":"msg_20f2273c5001hPTruVyZNwAxhd","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795550246066,"completed":1795550248286},"finish":"tool-calls"}');
INSERT INTO "message" VALUES('msg_20f227a800016rMX4rFggtXzc4','ses_df0dd8588ffeuxjwycs7Wxfnqw',1795550247553,1795550248476,'{"role":"user","time":{"created":1795550247553},"agent":"general","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_20f227a99001txVs4ym3fImqfg','ses_df0dd8588ffeuxjwycs7Wxfnqw',1795550247577,1795550248179,'{"parentID":"msg_20f227a800016rMX4rFggtXzc4","role":"assistant","mode":"general","agent":"general","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795550247577,"completed":1795550248177},"finish":"stop"}');
INSERT INTO "message" VALUES('msg_20f227d64001ZpnB0upkakfVdv','ses_df0dd8da7ffeBshsNRGyfqg9GV',1795550248292,1795550248740,'{"parentID":"msg_20f2273c5001hPTruVyZNwAxhd","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795550248292,"completed":1795550248739},"finish":"stop"}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO "part" VALUES('prt_20f2273fc001h1Zur1GGssWxCG','msg_20f2273c5001hPTruVyZNwAxhd','ses_df0dd8da7ffeBshsNRGyfqg9GV',1795550245910,1795550245940,'{"type":"text","text":"\"say done\""}');
INSERT INTO "part" VALUES('prt_20f227a650011mb3B6yMKdD0Hk','msg_20f2274b2001FeRAD0pGlXLjYo','ses_df0dd8da7ffeBshsNRGyfqg9GV',1795550247525,1795550247527,'{"snapshot":"5dadd1311caf60dbb1c640bf8060a87309319eee","type":"step-start"}');
INSERT INTO "part" VALUES('prt_20f227a680012UvVLJoNWSG0MH','msg_20f2274b2001FeRAD0pGlXLjYo','ses_df0dd8da7ffeBshsNRGyfqg9GV',1795550247528,1795550247571,'{"type":"text","text":"I will use a tool.","time":{"start":1795550247528,"end":1795550247570}}');
INSERT INTO "part" VALUES('prt_20f227a6e001yHVRyFHQ3odys4','msg_20f2274b2001FeRAD0pGlXLjYo','ses_df0dd8da7ffeBshsNRGyfqg9GV',1795550247534,1795550248190,'{"type":"tool","tool":"task","callID":"call_zyfxbnp67e3v3s5y2uynkqc2","state":{"status":"completed","input":{"description":"look","prompt":"look around in the folder","subagent_type":"general"},"output":"<task id=\"ses_df0dd8588ffeuxjwycs7Wxfnqw\" state=\"completed\">\n<task_result>\nNothing is there.\n</task_result>\n</task>","metadata":{"parentSessionId":"ses_df0dd8da7ffeBshsNRGyfqg9GV","sessionId":"ses_df0dd8588ffeuxjwycs7Wxfnqw","model":{"modelID":"demo-1","providerID":"fake"},"truncated":false},"title":"look","time":{"start":1795550247548,"end":1795550248188}}}');
INSERT INTO "part" VALUES('prt_20f227a86001drTILEgpgMy6D3','msg_20f227a800016rMX4rFggtXzc4','ses_df0dd8588ffeuxjwycs7Wxfnqw',1795550247560,1795550247561,'{"type":"text","text":"look around in the folder"}');
INSERT INTO "part" VALUES('prt_20f227c7c001aK3YcW8sNtJEkQ','msg_20f227a99001txVs4ym3fImqfg','ses_df0dd8588ffeuxjwycs7Wxfnqw',1795550248060,1795550248061,'{"snapshot":"5dadd1311caf60dbb1c640bf8060a87309319eee","type":"step-start"}');
INSERT INTO "part" VALUES('prt_20f227c81001xwGYTuT6r52MCs','msg_20f227a99001txVs4ym3fImqfg','ses_df0dd8588ffeuxjwycs7Wxfnqw',1795550248065,1795550248073,'{"type":"text","text":"Nothing is there.","time":{"start":1795550248065,"end":1795550248072}}');
INSERT INTO "part" VALUES('prt_20f227cc5001DD7MjrzZAZrdU2','msg_20f227a99001txVs4ym3fImqfg','ses_df0dd8588ffeuxjwycs7Wxfnqw',1795550248133,1795550248134,'{"reason":"stop","snapshot":"5dadd1311caf60dbb1c640bf8060a87309319eee","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO "part" VALUES('prt_20f227d45001666ZRcj1TZq8Ue','msg_20f2274b2001FeRAD0pGlXLjYo','ses_df0dd8da7ffeBshsNRGyfqg9GV',1795550248261,1795550248263,'{"reason":"tool-calls","snapshot":"5dadd1311caf60dbb1c640bf8060a87309319eee","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO "part" VALUES('prt_20f227e75001VKERk4lfHmLlB1','msg_20f227d64001ZpnB0upkakfVdv','ses_df0dd8da7ffeBshsNRGyfqg9GV',1795550248565,1795550248568,'{"snapshot":"5dadd1311caf60dbb1c640bf8060a87309319eee","type":"step-start"}');
INSERT INTO "part" VALUES('prt_20f227e79001Gln3p0i4jgpzEs','msg_20f227d64001ZpnB0upkakfVdv','ses_df0dd8da7ffeBshsNRGyfqg9GV',1795550248584,1795550248595,'{"type":"text","text":"All done.","time":{"start":1795550248569,"end":1795550248592}}');
INSERT INTO "part" VALUES('prt_20f227ef5001y3BASokdj397Q0','msg_20f227d64001ZpnB0upkakfVdv','ses_df0dd8da7ffeBshsNRGyfqg9GV',1795550248694,1795550248696,'{"reason":"stop","snapshot":"5dadd1311caf60dbb1c640bf8060a87309319eee","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
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
INSERT INTO "session" VALUES('ses_df0dd8da7ffeBshsNRGyfqg9GV','global',NULL,NULL,'happy-engine','/home/dev/work/demo','','Demo task','1.18.33',NULL,0,0,0,NULL,NULL,0.0,200,20,0,0,0,NULL,'[{"permission":"question","pattern":"*","action":"deny"},{"permission":"plan_enter","pattern":"*","action":"deny"},{"permission":"plan_exit","pattern":"*","action":"deny"}]','build','{"id":"demo-1","providerID":"fake","variant":"default"}',1795550245464,1795550248745,NULL,NULL);
INSERT INTO "session" VALUES('ses_df0dd8588ffeuxjwycs7Wxfnqw','global',NULL,'ses_df0dd8da7ffeBshsNRGyfqg9GV','proud-tiger','/home/dev/work/demo','','look (@general subagent)','1.18.33',NULL,0,0,0,NULL,NULL,0.0,100,10,0,0,0,NULL,'[{"permission":"question","pattern":"*","action":"deny"},{"permission":"plan_enter","pattern":"*","action":"deny"},{"permission":"plan_exit","pattern":"*","action":"deny"},{"permission":"task","pattern":"*","action":"deny"}]','general','{"id":"demo-1","providerID":"fake","variant":"default"}',1795550247543,1795550248194,NULL,NULL);
