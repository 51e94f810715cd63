CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO "message" VALUES('msg_20f1ffcb1001IB5T9DEgoIe2tD','ses_df0e00406ffeswTyha330vb3oz',1795550084273,1795550092598,'{"role":"user","time":{"created":1795550084273},"agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_20f1ffd24001BQmhHANlTHizjW','ses_df0e00406ffeswTyha330vb3oz',1795550084388,1795550091097,'{"parentID":"msg_20f1ffcb1001IB5T9DEgoIe2tD","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795550084388,"completed":1795550091091},"finish":"tool-calls"}');
INSERT INTO "message" VALUES('msg_20f200e2a001KOAyXtAFgd43LP','ses_df0dff24affeqQdLXHKjWo19kN',1795550088759,1795550090123,'{"role":"user","time":{"created":1795550088759},"agent":"general","model":{"providerID":"fake","modelID":"demo-1"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_20f200f23001RB0uC16MJTT7ca','ses_df0dff24affeqQdLXHKjWo19kN',1795550088995,1795550090572,'{"parentID":"msg_20f200e2a001KOAyXtAFgd43LP","role":"assistant","mode":"general","agent":"general","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"input":0,"output":0,"reasoning":0,"cache":{"read":0,"write":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795550088995,"completed":1795550090571},"error":{"name":"APIError","data":{"message":"invalid x-api-key","statusCode":401,"isRetryable":false,"responseHeaders":{"content-length":"115","content-type":"application/json","date":"Tue, 24 Nov 2026 19:54:50 GMT"},"responseBody":"{\"error\":{\"code\":\"authentication_error\",\"message\":\"invalid x-api-key\",\"param\":null,\"type\":\"authentication_error\"}}\n","metadata":{"url":"http://127.0.0.1:8080/v1/chat/completions"}}}}');
INSERT INTO "message" VALUES('msg_20f201767001q42Qi2gKLSsrFs','ses_df0e00406ffeswTyha330vb3oz',1795550091111,1795550093969,'{"parentID":"msg_20f1ffcb1001IB5T9DEgoIe2tD","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/demo","root":"/home/dev/work/demo"},"cost":0,"tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"demo-1","providerID":"fake","time":{"created":1795550091111,"completed":1795550093968},"finish":"stop"}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO "part" VALUES('prt_20f1ffcb7001i7AGaf10w8FmbH','msg_20f1ffcb1001IB5T9DEgoIe2tD','ses_df0e00406ffeswTyha330vb3oz',1795550084282,1795550084285,'{"type":"text","text":"\"say done\""}');
INSERT INTO "part" VALUES('prt_20f200d0c001PIGKarOihtjXLK','msg_20f1ffd24001BQmhHANlTHizjW','ses_df0e00406ffeswTyha330vb3oz',1795550088461,1795550088543,'{"snapshot":"5dadd1311caf60dbb1c640bf8060a87309319eee","type":"step-start"}');
INSERT INTO "part" VALUES('prt_20f200d61001jAkh7AXe6dtlgS','msg_20f1ffd24001BQmhHANlTHizjW','ses_df0e00406ffeswTyha330vb3oz',1795550088545,1795550088868,'{"type":"text","text":"I will use a tool.","time":{"start":1795550088545,"end":1795550088867}}');
INSERT INTO "part" VALUES('prt_20f200d8e0019hiuAMNq6RhzrN','msg_20f1ffd24001BQmhHANlTHizjW','ses_df0e00406ffeswTyha330vb3oz',1795550088590,1795550090638,'{"type":"tool","tool":"task","callID":"call_d4zdclsdxgc2ft35riqhu6l4","state":{"status":"error","input":{"description":"look","prompt":"look around in the folder","subagent_type":"general"},"error":"Subagent failed (task_id: ses_df0dff24affeqQdLXHKjWo19kN): invalid x-api-key","metadata":{"parentSessionId":"ses_df0e00406ffeswTyha330vb3oz","sessionId":"ses_df0dff24affeqQdLXHKjWo19kN","model":{"modelID":"demo-1","providerID":"fake"}},"time":{"start":1795550088721,"end":1795550090637}}}');
INSERT INTO "part" VALUES('prt_20f200e3a001aheHi2rtw8CjbA','msg_20f200e2a001KOAyXtAFgd43LP','ses_df0dff24affeqQdLXHKjWo19kN',1795550088765,1795550088766,'{"type":"text","text":"look around in the folder"}');
INSERT INTO "part" VALUES('prt_20f20163a001tovy6nJD9CRsnN','msg_20f1ffd24001BQmhHANlTHizjW','ses_df0e00406ffeswTyha330vb3oz',1795550090811,1795550090812,'{"reason":"tool-calls","snapshot":"5dadd1311caf60dbb1c640bf8060a87309319eee","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO "part" VALUES('prt_20f201d9f001QLL8Lz2N7n2Vwr','msg_20f201767001q42Qi2gKLSsrFs','ses_df0e00406ffeswTyha330vb3oz',1795550092703,1795550092711,'{"snapshot":"5dadd1311caf60dbb1c640bf8060a87309319eee","type":"step-start"}');
INSERT INTO "part" VALUES('prt_20f201dac001imPNrgF9oLHNpO','msg_20f201767001q42Qi2gKLSsrFs','ses_df0e00406ffeswTyha330vb3oz',1795550092716,1795550092750,'{"type":"text","text":"All done.","time":{"start":1795550092716,"end":1795550092736}}');
INSERT INTO "part" VALUES('prt_20f201eff001RnVBo5DJxrauBW','msg_20f201767001q42Qi2gKLSsrFs','ses_df0e00406ffeswTyha330vb3oz',1795550093055,1795550093057,'{"reason":"stop","snapshot":"5dadd1311caf60dbb1c640bf8060a87309319eee","type":"step-finish","tokens":{"total":110,"input":100,"output":10,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
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
INSERT INTO "session" VALUES('ses_df0e00406ffeswTyha330vb3oz','global',NULL,NULL,'gentle-moon','/home/dev/work/demo','','Demo task','1.18.33',NULL,0,0,0,NULL,NULL,0.0,200,20,0,0,0,NULL,'[{"permission":"question","pattern":"*","action":"deny"},{"permission":"plan_enter","pattern":"*","action":"deny"},{"permission":"plan_exit","pattern":"*","action":"deny"}]','build','{"id":"demo-1","providerID":"fake","variant":"default"}',1795550084089,1795550093996,NULL,NULL);
INSERT INTO "session" VALUES('ses_df0dff24affeqQdLXHKjWo19kN','global',NULL,'ses_df0e00406ffeswTyha330vb3oz','cosmic-orchid','/home/dev/work/demo','','look (@general subagent)','1.18.33',NULL,0,0,0,NULL,NULL,0.0,0,0,0,0,0,NULL,'[{"permission":"question","pattern":"*","action":"deny"},{"permission":"plan_enter","pattern":"*","action":"deny"},{"permission":"plan_exit","pattern":"*","action":"deny"},{"permission":"task","pattern":"*","action":"deny"}]','general','{"id":"demo-1","providerID":"fake","variant":"default"}',1795550088629,1795550090077,NULL,NULL);
