CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO "message" VALUES('msg_1fb769171001dNarvFYYwhhGJX','ses_e0489704cffegHMY65z8jBa4XK',1795220214130,1795220215813,'{"role":"user","time":{"created":1795220214130},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb7696b7001mtHuv1hCT1hbFL','ses_e0489704cffegHMY65z8jBa4XK',1795220215479,1795220217208,'{"parentID":"msg_1fb769171001dNarvFYYwhhGJX","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795220215479,"completed":1795220217206},"finish":"stop"}');
INSERT INTO "message" VALUES('msg_1fb76a718001NaRubeWfZQ9p7H','ses_e0489704cffegHMY65z8jBa4XK',1795220219672,1795220222291,'{"role":"user","time":{"created":1795220219672},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb76ab4e001Tt2i2wUo6CRh0l','ses_e0489704cffegHMY65z8jBa4XK',1795220220750,1795220222244,'{"parentID":"msg_1fb76a718001NaRubeWfZQ9p7H","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795220220750,"completed":1795220222242},"finish":"stop"}');
INSERT INTO "message" VALUES('msg_1fb788177001JOcVkrXqNLhMNH','ses_e048780b0ffeCrCwXhDiQqoZE6',1795220341111,1795220343467,'{"role":"user","time":{"created":1795220341111},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb788868001XCRdT9kD68dbF3','ses_e048780b0ffeCrCwXhDiQqoZE6',1795220342888,1795220346408,'{"parentID":"msg_1fb788177001JOcVkrXqNLhMNH","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/other","root":"/home/dev/work/other"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795220342888,"completed":1795220346406},"finish":"stop"}');
INSERT INTO "message" VALUES('msg_1fb78acba001cSXXDIN8KFNonc','ses_e0489704cffegHMY65z8jBa4XK',1795220352186,1795220354295,'{"role":"user","time":{"created":1795220352186},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb78b48d001IVG2uBxoRqkTCG','ses_e0489704cffegHMY65z8jBa4XK',1795220354189,1795220355799,'{"parentID":"msg_1fb78acba001cSXXDIN8KFNonc","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795220354189,"completed":1795220355797},"finish":"stop"}');
INSERT INTO "message" VALUES('msg_1fb78c4a4001BA17MFVTpuGkIA','ses_e0489704cffegHMY65z8jBa4XK',1795220358308,1795220359789,'{"role":"user","time":{"created":1795220358308},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb78c9a8001W2jlECf7uavuip','ses_e0489704cffegHMY65z8jBa4XK',1795220359592,1795220362209,'{"parentID":"msg_1fb78c4a4001BA17MFVTpuGkIA","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795220359592,"completed":1795220362199},"finish":"stop"}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO "part" VALUES('prt_1fb76917e001ej1f9NHm6QrMY1','msg_1fb769171001dNarvFYYwhhGJX','ses_e0489704cffegHMY65z8jBa4XK',1795220214149,1795220214152,'{"type":"text","text":"\"Say hello\""}');
INSERT INTO "part" VALUES('prt_1fb769cf7001V9e632GE48kkNy','msg_1fb7696b7001mtHuv1hCT1hbFL','ses_e0489704cffegHMY65z8jBa4XK',1795220217079,1795220217083,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb769cfd001QncjnhsN5HLLHi','msg_1fb7696b7001mtHuv1hCT1hbFL','ses_e0489704cffegHMY65z8jBa4XK',1795220217086,1795220217093,'{"type":"text","text":"All done.","time":{"start":1795220217086,"end":1795220217091}}');
INSERT INTO "part" VALUES('prt_1fb769d34001eWkt07AmzRt8ta','msg_1fb7696b7001mtHuv1hCT1hbFL','ses_e0489704cffegHMY65z8jBa4XK',1795220217141,1795220217142,'{"reason":"stop","snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO "part" VALUES('prt_1fb76a71c0015r5PfwNFN28G02','msg_1fb76a718001NaRubeWfZQ9p7H','ses_e0489704cffegHMY65z8jBa4XK',1795220219690,1795220219693,'{"type":"text","text":"continue"}');
INSERT INTO "part" VALUES('prt_1fb76b056001SaiimLStdD983t','msg_1fb76ab4e001Tt2i2wUo6CRh0l','ses_e0489704cffegHMY65z8jBa4XK',1795220222038,1795220222044,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb76b0800012JaFyu8DS3PMzn','msg_1fb76ab4e001Tt2i2wUo6CRh0l','ses_e0489704cffegHMY65z8jBa4XK',1795220222081,1795220222113,'{"type":"text","text":"All done.","time":{"start":1795220222080,"end":1795220222108}}');
INSERT INTO "part" VALUES('prt_1fb76b0f40016ll5P0k4QMIm44','msg_1fb76ab4e001Tt2i2wUo6CRh0l','ses_e0489704cffegHMY65z8jBa4XK',1795220222197,1795220222199,'{"reason":"stop","snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO "part" VALUES('prt_1fb788189001dpXst71RbeBCox','msg_1fb788177001JOcVkrXqNLhMNH','ses_e048780b0ffeCrCwXhDiQqoZE6',1795220341146,1795220341162,'{"type":"text","text":"continue"}');
INSERT INTO "part" VALUES('prt_1fb7894c9001duOZg6VsyIBGxV','msg_1fb788868001XCRdT9kD68dbF3','ses_e048780b0ffeCrCwXhDiQqoZE6',1795220346058,1795220346066,'{"snapshot":"4b825dc642cb6eb9a060e54bf8d69288fbee4904","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb7894d9001w87I1EMSaxDTXL','msg_1fb788868001XCRdT9kD68dbF3','ses_e048780b0ffeCrCwXhDiQqoZE6',1795220346073,1795220346092,'{"type":"text","text":"All done.","time":{"start":1795220346073,"end":1795220346090}}');
INSERT INTO "part" VALUES('prt_1fb78959c001P58DX7aP98Z46n','msg_1fb788868001XCRdT9kD68dbF3','ses_e048780b0ffeCrCwXhDiQqoZE6',1795220346269,1795220346277,'{"reason":"stop","snapshot":"4b825dc642cb6eb9a060e54bf8d69288fbee4904","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO "part" VALUES('prt_1fb78acbf0018CoJKhuTEKah3W','msg_1fb78acba001cSXXDIN8KFNonc','ses_e0489704cffegHMY65z8jBa4XK',1795220352207,1795220352210,'{"type":"text","text":"continue"}');
INSERT INTO "part" VALUES('prt_1fb78b9d9001am6TTn5OTCxamZ','msg_1fb78b48d001IVG2uBxoRqkTCG','ses_e0489704cffegHMY65z8jBa4XK',1795220355545,1795220355548,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb78b9df001rLnlVpMGc45HA3','msg_1fb78b48d001IVG2uBxoRqkTCG','ses_e0489704cffegHMY65z8jBa4XK',1795220355551,1795220355569,'{"type":"text","text":"All done.","time":{"start":1795220355551,"end":1795220355564}}');
INSERT INTO "part" VALUES('prt_1fb78ba5c0013TE1PcidMv2LMI','msg_1fb78b48d001IVG2uBxoRqkTCG','ses_e0489704cffegHMY65z8jBa4XK',1795220355676,1795220355679,'{"reason":"stop","snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO "part" VALUES('prt_1fb78c4ae001y7joz110uj1YCX','msg_1fb78c4a4001BA17MFVTpuGkIA','ses_e0489704cffegHMY65z8jBa4XK',1795220358334,1795220358337,'{"type":"text","text":"continue"}');
INSERT INTO "part" VALUES('prt_1fb78d25e001q45a0PathmTCvN','msg_1fb78c9a8001W2jlECf7uavuip','ses_e0489704cffegHMY65z8jBa4XK',1795220361822,1795220361826,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb78d26700169NC3q2q7PVKlX','msg_1fb78c9a8001W2jlECf7uavuip','ses_e0489704cffegHMY65z8jBa4XK',1795220361832,1795220361866,'{"type":"text","text":"All done.","time":{"start":1795220361831,"end":1795220361859}}');
INSERT INTO "part" VALUES('prt_1fb78d32c001526pAVhKqDUb8W','msg_1fb78c9a8001W2jlECf7uavuip','ses_e0489704cffegHMY65z8jBa4XK',1795220362030,1795220362033,'{"reason":"stop","snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
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
INSERT INTO "session" VALUES('ses_e0489704cffegHMY65z8jBa4XK','e7e84b68fc89458de2a2c549a418213fd9aaa47f',NULL,NULL,'brave-forest','/home/dev/work/demo','','Demo task','1.18.33',NULL,0,0,0,NULL,NULL,0.0,400,40,0,0,0,NULL,'[{"permission":"question","pattern":"*","action":"deny"},{"permission":"plan_enter","pattern":"*","action":"deny"},{"permission":"plan_exit","pattern":"*","action":"deny"}]','build','{"id":"demo-1","providerID":"fake","variant":"default"}',1795220213683,1795220362252,NULL,NULL);
INSERT INTO "session" VALUES('ses_e048780b0ffeCrCwXhDiQqoZE6','a2cf0fa0342e9c2f4f42b146dd6a0301f007b61b',NULL,NULL,'gentle-squid','/home/dev/work/other','','Demo task','1.18.33',NULL,0,0,0,NULL,NULL,0.0,100,10,0,0,0,NULL,'[{"permission":"question","pattern":"*","action":"deny"},{"permission":"plan_enter","pattern":"*","action":"deny"},{"permission":"plan_exit","pattern":"*","action":"deny"}]','build','{"id":"demo-1","providerID":"fake","variant":"default"}',1795220340559,1795220346454,NULL,NULL);
CREATE INDEX `message_session_time_created_id_idx` ON `message` (`session_id`,`time_created`,`id`);
CREATE INDEX `part_message_id_id_idx` ON `part` (`message_id`,`id`);
