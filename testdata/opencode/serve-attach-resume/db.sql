CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO "message" VALUES('msg_1fb8a9203001JpbYCS4LIJ98jD','ses_e04756fa7ffewzDMIYIPC1biSG',1795221524995,1795221533416,'{"role":"user","time":{"created":1795221524995},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb8aac04001EYtUdCBzuzy8AK','ses_e04756fa7ffewzDMIYIPC1biSG',1795221531652,1795221537140,'{"parentID":"msg_1fb8a9203001JpbYCS4LIJ98jD","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"input":0,"output":0,"reasoning":0,"cache":{"read":0,"write":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795221531652,"completed":1795221537138},"error":{"name":"APIError","data":{"message":"Rate limit reached for demo-1 in organization org-x on requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in 20s.","statusCode":429,"isRetryable":true,"responseHeaders":{"content-length":"225","content-type":"application/json","date":"Sat, 21 Nov 2026 00:38:57 GMT","retry-after":"0","server":"BaseHTTP/0.6 Python/3.11.7"},"responseBody":"{\"error\": {\"message\": \"Rate limit reached for demo-1 in organization org-x on requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in 20s.\", \"type\": \"requests\", \"param\": null, \"code\": \"rate_limit_exceeded\"}}","metadata":{"url":"http://127.0.0.1:18080/v1/chat/completions"}}}}');
INSERT INTO "message" VALUES('msg_1fb8ac9ab001PDn7MRVhi4Qfff','ses_e04756fa7ffewzDMIYIPC1biSG',1795221539243,1795221540036,'{"role":"user","time":{"created":1795221539243},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb8ac9ca0010mY03QUgwekCDN','ses_e04756fa7ffewzDMIYIPC1biSG',1795221539274,1795221539870,'{"parentID":"msg_1fb8ac9ab001PDn7MRVhi4Qfff","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795221539274,"completed":1795221539867},"finish":"stop"}');
INSERT INTO "message" VALUES('msg_1fb8ae348001SIPZzFL3s0qPB5','ses_e04756fa7ffewzDMIYIPC1biSG',1795221545801,1795221547826,'{"role":"user","time":{"created":1795221545801},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb8aea3f001mV3xkK7t3kkkzv','ses_e04756fa7ffewzDMIYIPC1biSG',1795221547583,1795221550870,'{"parentID":"msg_1fb8ae348001SIPZzFL3s0qPB5","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795221547583,"completed":1795221550868},"finish":"stop"}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO "part" VALUES('prt_1fb8a9223001A0B6PTarmJyTZU','msg_1fb8a9203001JpbYCS4LIJ98jD','ses_e04756fa7ffewzDMIYIPC1biSG',1795221525045,1795221525057,'{"type":"text","text":"Say hello"}');
INSERT INTO "part" VALUES('prt_1fb8ac9ac001tSxy7pVsRDj1WQ','msg_1fb8ac9ab001PDn7MRVhi4Qfff','ses_e04756fa7ffewzDMIYIPC1biSG',1795221539255,1795221539257,'{"type":"text","text":"continue"}');
INSERT INTO "part" VALUES('prt_1fb8aca41001EHCFSlBsuM851O','msg_1fb8ac9ca0010mY03QUgwekCDN','ses_e04756fa7ffewzDMIYIPC1biSG',1795221539394,1795221539396,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb8aca48001L1p6wpL9VbmK3h','msg_1fb8ac9ca0010mY03QUgwekCDN','ses_e04756fa7ffewzDMIYIPC1biSG',1795221539400,1795221539408,'{"type":"text","text":"All done.","time":{"start":1795221539400,"end":1795221539406}}');
INSERT INTO "part" VALUES('prt_1fb8acaf40010IWQCzSmREqxpT','msg_1fb8ac9ca0010mY03QUgwekCDN','ses_e04756fa7ffewzDMIYIPC1biSG',1795221539573,1795221539575,'{"reason":"stop","snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO "part" VALUES('prt_1fb8ae34d0014Hel1pJindNp3d','msg_1fb8ae348001SIPZzFL3s0qPB5','ses_e04756fa7ffewzDMIYIPC1biSG',1795221545818,1795221545820,'{"type":"text","text":"continue"}');
INSERT INTO "part" VALUES('prt_1fb8af491001FkTYdlTuOXYYRc','msg_1fb8aea3f001mV3xkK7t3kkkzv','ses_e04756fa7ffewzDMIYIPC1biSG',1795221550225,1795221550229,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb8af49d001ZUN0lMSy0LJ1Of','msg_1fb8aea3f001mV3xkK7t3kkkzv','ses_e04756fa7ffewzDMIYIPC1biSG',1795221550238,1795221550257,'{"type":"text","text":"All done.","time":{"start":1795221550237,"end":1795221550254}}');
INSERT INTO "part" VALUES('prt_1fb8af577001llSGBYTu8JQpC6','msg_1fb8aea3f001mV3xkK7t3kkkzv','ses_e04756fa7ffewzDMIYIPC1biSG',1795221550456,1795221550462,'{"reason":"stop","snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
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
INSERT INTO "session" VALUES('ses_e04756fa7ffewzDMIYIPC1biSG','eb4b97698d8ca7a530f21c24ca1bd0bce03d4ee6',NULL,NULL,'tidy-lagoon','/home/dev/work/demo','','Demo','1.18.33',NULL,0,0,0,NULL,NULL,0.0,200,20,0,0,0,NULL,NULL,'build','{"id":"demo-1","providerID":"fake","variant":"default"}',1795221524568,1795221550945,NULL,NULL);
CREATE INDEX `message_session_time_created_id_idx` ON `message` (`session_id`,`time_created`,`id`);
CREATE INDEX `part_message_id_id_idx` ON `part` (`message_id`,`id`);
