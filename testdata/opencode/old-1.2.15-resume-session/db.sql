CREATE TABLE `message` (
	`id` text PRIMARY KEY,
	`session_id` text NOT NULL,
	`time_created` integer NOT NULL,
	`time_updated` integer NOT NULL,
	`data` text NOT NULL,
	CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
);
INSERT INTO "message" VALUES('msg_1fb8e7241001lUg4ZMSiIHcGDt','ses_e04718de4ffeaw3mP3p4eWMl1u',1795221779010,1795221779126,'{"role":"user","time":{"created":1795221779010},"summary":{"diffs":[]},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"}}');
INSERT INTO "message" VALUES('msg_1fb8e72a2001frBFNbRMBTK5Hd','ses_e04718de4ffeaw3mP3p4eWMl1u',1795221779106,1795221779527,'{"role":"assistant","time":{"created":1795221779106,"completed":1795221779527},"parentID":"msg_1fb8e7241001lUg4ZMSiIHcGDt","modelID":"demo-1","providerID":"fake","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"read":0,"write":0}},"finish":"stop"}');
INSERT INTO "message" VALUES('msg_1fb8e7b3c001A3uphsBHJ6TuJA','ses_e04718de4ffeaw3mP3p4eWMl1u',1795221781308,1795221781477,'{"role":"user","time":{"created":1795221781308},"summary":{"diffs":[]},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"}}');
INSERT INTO "message" VALUES('msg_1fb8e7bce001fdmRJM4z975AK3','ses_e04718de4ffeaw3mP3p4eWMl1u',1795221781454,1795221781601,'{"role":"assistant","time":{"created":1795221781454,"completed":1795221781601},"parentID":"msg_1fb8e7b3c001A3uphsBHJ6TuJA","modelID":"demo-1","providerID":"fake","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"read":0,"write":0}},"finish":"stop"}');
CREATE TABLE `part` (
	`id` text PRIMARY KEY,
	`message_id` text NOT NULL,
	`session_id` text NOT NULL,
	`time_created` integer NOT NULL,
	`time_updated` integer NOT NULL,
	`data` text NOT NULL,
	CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
);
INSERT INTO "part" VALUES('prt_1fb8e7243001uHxzH052Ettv6A','msg_1fb8e7241001lUg4ZMSiIHcGDt','ses_e04718de4ffeaw3mP3p4eWMl1u',1795221779014,1795221779014,'{"type":"text","text":"\"Say hello\"\n"}');
INSERT INTO "part" VALUES('prt_1fb8e741f001rpuLqPD4M4DWea','msg_1fb8e72a2001frBFNbRMBTK5Hd','ses_e04718de4ffeaw3mP3p4eWMl1u',1795221779488,1795221779488,'{"type":"step-start","snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca"}');
INSERT INTO "part" VALUES('prt_1fb8e7421001xvmfwqOfsiWhh1','msg_1fb8e72a2001frBFNbRMBTK5Hd','ses_e04718de4ffeaw3mP3p4eWMl1u',1795221779489,1795221779491,'{"type":"text","text":"All done.","time":{"start":1795221779491,"end":1795221779491}}');
INSERT INTO "part" VALUES('prt_1fb8e7426001LCoWyUlUzjPWtH','msg_1fb8e72a2001frBFNbRMBTK5Hd','ses_e04718de4ffeaw3mP3p4eWMl1u',1795221779503,1795221779503,'{"type":"step-finish","reason":"stop","snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"read":0,"write":0}}}');
INSERT INTO "part" VALUES('prt_1fb8e7b46001pR5XnzRLX5k45G','msg_1fb8e7b3c001A3uphsBHJ6TuJA','ses_e04718de4ffeaw3mP3p4eWMl1u',1795221781323,1795221781324,'{"type":"text","text":"continue\n"}');
INSERT INTO "part" VALUES('prt_1fb8e7c33001bdw25et1zwPJvK','msg_1fb8e7bce001fdmRJM4z975AK3','ses_e04718de4ffeaw3mP3p4eWMl1u',1795221781556,1795221781556,'{"type":"step-start","snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca"}');
INSERT INTO "part" VALUES('prt_1fb8e7c35001BuHIhMZNg2a5Bu','msg_1fb8e7bce001fdmRJM4z975AK3','ses_e04718de4ffeaw3mP3p4eWMl1u',1795221781558,1795221781561,'{"type":"text","text":"All done.","time":{"start":1795221781561,"end":1795221781561}}');
INSERT INTO "part" VALUES('prt_1fb8e7c3c001uG4sUzGAESiQZn','msg_1fb8e7bce001fdmRJM4z975AK3','ses_e04718de4ffeaw3mP3p4eWMl1u',1795221781577,1795221781577,'{"type":"step-finish","reason":"stop","snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"read":0,"write":0}}}');
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
INSERT INTO "session" VALUES('ses_e04718de4ffeaw3mP3p4eWMl1u','f9278190c1b4ae5522f40b77a86efcf303403662',NULL,'quiet-eagle','/home/dev/work/demo','Demo task','1.2.15',NULL,0,0,0,NULL,NULL,'[{"permission":"question","pattern":"*","action":"deny"},{"permission":"plan_enter","pattern":"*","action":"deny"},{"permission":"plan_exit","pattern":"*","action":"deny"}]',1795221778971,1795221781517,NULL,NULL);
CREATE INDEX `message_session_time_created_id_idx` ON `message` (`session_id`,`time_created`,`id`);
CREATE INDEX `part_message_id_id_idx` ON `part` (`message_id`,`id`);
