CREATE TABLE `message` (
	`id` text PRIMARY KEY,
	`session_id` text NOT NULL,
	`time_created` integer NOT NULL,
	`time_updated` integer NOT NULL,
	`data` text NOT NULL,
	CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
);
INSERT INTO "message" VALUES('msg_1fb8e69de001kARS6gxAJrg0YP','ses_e04719641ffeZ5Z1sJ1tchbnna',1795221776862,1795221776991,'{"role":"user","time":{"created":1795221776862},"summary":{"diffs":[]},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"}}');
INSERT INTO "message" VALUES('msg_1fb8e6a49001BNwosIwIIBQpKa','ses_e04719641ffeZ5Z1sJ1tchbnna',1795221776969,1795221777065,'{"role":"assistant","time":{"created":1795221776969,"completed":1795221777064},"error":{"name":"APIError","data":{"message":"Incorrect API key provided: dummy. You can find your API key at https://platform.openai.com/account/api-keys.","statusCode":401,"isRetryable":false,"responseHeaders":{"content-length":"210","content-type":"application/json","date":"Sat, 21 Nov 2026 00:42:57 GMT","server":"BaseHTTP/0.6 Python/3.11.7"},"responseBody":"{\"error\": {\"message\": \"Incorrect API key provided: dummy. You can find your API key at https://platform.openai.com/account/api-keys.\", \"type\": \"invalid_request_error\", \"param\": null, \"code\": \"invalid_api_key\"}}","metadata":{"url":"http://127.0.0.1:18080/v1/chat/completions"}}},"parentID":"msg_1fb8e69de001kARS6gxAJrg0YP","modelID":"demo-1","providerID":"fake","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"input":0,"output":0,"reasoning":0,"cache":{"read":0,"write":0}}}');
CREATE TABLE `part` (
	`id` text PRIMARY KEY,
	`message_id` text NOT NULL,
	`session_id` text NOT NULL,
	`time_created` integer NOT NULL,
	`time_updated` integer NOT NULL,
	`data` text NOT NULL,
	CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
);
INSERT INTO "part" VALUES('prt_1fb8e69df001WupCoNsjFe4BsM','msg_1fb8e69de001kARS6gxAJrg0YP','ses_e04719641ffeZ5Z1sJ1tchbnna',1795221776867,1795221776867,'{"type":"text","text":"\"Say hello\"\n"}');
CREATE TABLE `session` (
	`id` text PRIMARY KEY,
	`project_id` text NOT NULL,
	`parent_id` text,
	`slug` text NOT NULL,
	`directory` text NOT NULL,
	`title` text NOT NULL,
	`version` text NOT NULL,
	`share_url` text,
	`summary_additions` integer,
	`summary_deletions` integer,
	`summary_files` integer,
	`summary_diffs` text,
	`revert` text,
	`permission` text,
	`time_created` integer NOT NULL,
	`time_updated` integer NOT NULL,
	`time_compacting` integer,
	`time_archived` integer,
	CONSTRAINT `fk_session_project_id_project_id_fk` FOREIGN KEY (`project_id`) REFERENCES `project`(`id`) ON DELETE CASCADE
);
INSERT INTO "session" VALUES('ses_e04719641ffeZ5Z1sJ1tchbnna','d2f9bcb1f4c77159505f05aa7f9e70b2c0cdc5d2',NULL,'sunny-wizard','/home/dev/work/demo','Demo task','1.2.15',NULL,0,0,0,NULL,NULL,'[{"permission":"question","pattern":"*","action":"deny"},{"permission":"plan_enter","pattern":"*","action":"deny"},{"permission":"plan_exit","pattern":"*","action":"deny"}]',1795221776830,1795221777056,NULL,NULL);
CREATE INDEX `message_session_time_created_id_idx` ON `message` (`session_id`,`time_created`,`id`);
CREATE INDEX `part_message_id_id_idx` ON `part` (`message_id`,`id`);
