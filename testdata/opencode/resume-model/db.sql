CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO "message" VALUES('msg_1fb89ae550013ri049z6y0LxNq','ses_e047652faffeSj1p66OEB6ndv7',1795221466709,1795221470084,'{"role":"user","time":{"created":1795221466709},"agent":"build","model":{"providerID":"anthropic","modelID":"demo-claude"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb89b8c2001cOUkADXfOgvm2x','ses_e047652faffeSj1p66OEB6ndv7',1795221469379,1795221471440,'{"parentID":"msg_1fb89ae550013ri049z6y0LxNq","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-claude","providerID":"anthropic","time":{"created":1795221469379,"completed":1795221471438},"finish":"stop"}');
INSERT INTO "message" VALUES('msg_1fb89d3b8001xJ1nLvZTLKzj00','ses_e047652faffeSj1p66OEB6ndv7',1795221476280,1795221479524,'{"role":"user","time":{"created":1795221476280},"agent":"build","model":{"providerID":"anthropic","modelID":"demo-claude"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1fb89e002001WzRlR9JihXg40g','ses_e047652faffeSj1p66OEB6ndv7',1795221479427,1795221481603,'{"parentID":"msg_1fb89d3b8001xJ1nLvZTLKzj00","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-claude","providerID":"anthropic","time":{"created":1795221479427,"completed":1795221481601},"finish":"stop"}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO "part" VALUES('prt_1fb89ae7a0013a5PCjS3Dy6pag','msg_1fb89ae550013ri049z6y0LxNq','ses_e047652faffeSj1p66OEB6ndv7',1795221466759,1795221466768,'{"type":"text","text":"\"Say hello\""}');
INSERT INTO "part" VALUES('prt_1fb89c021001neBDitAjjGyK0v','msg_1fb89b8c2001cOUkADXfOgvm2x','ses_e047652faffeSj1p66OEB6ndv7',1795221471266,1795221471267,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb89c0260014tJ3xo5qXIv2yA','msg_1fb89b8c2001cOUkADXfOgvm2x','ses_e047652faffeSj1p66OEB6ndv7',1795221471270,1795221471282,'{"type":"text","text":"All done.","time":{"start":1795221471270,"end":1795221471280}}');
INSERT INTO "part" VALUES('prt_1fb89c081001SW2L9ZkbbH0cNX','msg_1fb89b8c2001cOUkADXfOgvm2x','ses_e047652faffeSj1p66OEB6ndv7',1795221471362,1795221471363,'{"reason":"stop","snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO "part" VALUES('prt_1fb89d3c0001ZF3XUcdulH7j7P','msg_1fb89d3b8001xJ1nLvZTLKzj00','ses_e047652faffeSj1p66OEB6ndv7',1795221476360,1795221476363,'{"type":"text","text":"continue"}');
INSERT INTO "part" VALUES('prt_1fb89e72a001m3ALvfGK3d7KAE','msg_1fb89e002001WzRlR9JihXg40g','ses_e047652faffeSj1p66OEB6ndv7',1795221481258,1795221481265,'{"snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1fb89e737001mssowCEez8Czjt','msg_1fb89e002001WzRlR9JihXg40g','ses_e047652faffeSj1p66OEB6ndv7',1795221481272,1795221481279,'{"type":"text","text":"All done.","time":{"start":1795221481271,"end":1795221481278}}');
INSERT INTO "part" VALUES('prt_1fb89e7f5001E65awc0LTX06B7','msg_1fb89e002001WzRlR9JihXg40g','ses_e047652faffeSj1p66OEB6ndv7',1795221481461,1795221481463,'{"reason":"stop","snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
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
INSERT INTO "session" VALUES('ses_e047652faffeSj1p66OEB6ndv7','0a87520a59beea522215c3edb683c070abc6fec2',NULL,NULL,'crisp-wolf','/home/dev/work/demo','','Demo task','1.18.33',NULL,0,0,0,NULL,NULL,0.0,200,20,0,0,0,NULL,'[{"permission":"question","pattern":"*","action":"deny"},{"permission":"plan_enter","pattern":"*","action":"deny"},{"permission":"plan_exit","pattern":"*","action":"deny"}]','build','{"id":"demo-claude","providerID":"anthropic","variant":"default"}',1795221466374,1795221481635,NULL,NULL);
CREATE INDEX `message_session_time_created_id_idx` ON `message` (`session_id`,`time_created`,`id`);
CREATE INDEX `part_message_id_id_idx` ON `part` (`message_id`,`id`);
