-- Times are nanoseconds since 1970 UTC, 0 means never. A doc is a JSON object with all of a row; the other columns
-- repeat what a query compares. It is of type text, because neither json nor text takes all that a JSON string may
-- hold, and nothing looks into it here.
-- An index takes no entry of more than 2,704 bytes, and a text that does not fit fails its whole batch: texts that may
-- be long are compared by their hash as well, and lists of them are indexed cut (longest in memory_row.go).
-- Every text that can be injected or searched can be purged: no table may have a copy of it that purge.go and
-- scrub.go do not know.

-- The last number of each sort of row. Unlike sequences it has no gaps after a failed batch.
CREATE TABLE counter (
  name text COLLATE "C" PRIMARY KEY,
  n    bigint NOT NULL
);

CREATE TABLE project (
  key        text COLLATE "C" PRIMARY KEY,
  name       text NOT NULL,
  root       text NOT NULL,
  common     text NOT NULL,
  origin     text NOT NULL,
  branch     text NOT NULL,
  head       text NOT NULL,
  last_event bigint NOT NULL
);

CREATE INDEX project_name ON project (name);

-- A git common directory belongs to the project in which it was first seen.
CREATE TABLE project_common (
  common text COLLATE "C" NOT NULL,
  key    text NOT NULL
);

CREATE UNIQUE INDEX project_common_common ON project_common (hashtextextended(common, 0));

-- One project has many roots: clones and worktrees.
CREATE TABLE project_root (
  root text COLLATE "C" NOT NULL,
  key  text COLLATE "C" NOT NULL
);

CREATE UNIQUE INDEX project_root_root ON project_root (hashtextextended(root, 0), key);

-- Other keys of a project, and the key under which it is stored.
CREATE TABLE project_alias (
  key   text COLLATE "C" PRIMARY KEY,
  known text NOT NULL
);

CREATE TABLE session (
  number     bigint PRIMARY KEY,
  id         text COLLATE "C" NOT NULL UNIQUE,
  short      text COLLATE "C" NOT NULL UNIQUE,
  agent      text COLLATE "C" NOT NULL,
  project    text COLLATE "C" NOT NULL,
  model      text NOT NULL,
  cliff      bigint NOT NULL,
  last_event bigint NOT NULL,
  doc        text NOT NULL,
  checked_to   bigint NOT NULL DEFAULT 0, -- position in the transcript
  checked_hash text NOT NULL DEFAULT ''
);

CREATE INDEX session_active ON session (last_event);
CREATE INDEX session_project ON session (project, last_event);

-- Keys of what was injected into a session since its last compaction.
CREATE TABLE injected_key (
  session bigint NOT NULL REFERENCES session (number) ON DELETE CASCADE,
  key     text COLLATE "C" NOT NULL,
  PRIMARY KEY (session, key)
);

CREATE TABLE turn (
  number    bigint PRIMARY KEY,
  session   bigint NOT NULL REFERENCES session (number) ON DELETE CASCADE,
  prompt_id text NOT NULL,
  at        bigint NOT NULL,
  place     bigint NOT NULL,
  doc       text NOT NULL,
  UNIQUE (session, prompt_id)
);

CREATE INDEX turn_place ON turn (session, place, number);

-- A purged event keeps its row without session and payload, so that another
-- delivery of it is a duplicate.
CREATE TABLE event (
  seq         bigint PRIMARY KEY,
  id          text COLLATE "C" NOT NULL UNIQUE,
  key         text NOT NULL,
  session     bigint REFERENCES session (number) ON DELETE SET NULL,
  prompt_id   text NOT NULL,
  kind        text NOT NULL,
  tool        text NOT NULL,
  tool_use_id text NOT NULL,
  agent_id    text NOT NULL,
  dropped     boolean NOT NULL,
  payload     text NOT NULL,
  created_at  bigint NOT NULL
);

CREATE INDEX event_session ON event (session, seq);

CREATE TABLE memory (
  number      bigint PRIMARY KEY,
  id          text COLLATE "C" NOT NULL UNIQUE,
  scope       text NOT NULL,
  project     text COLLATE "C" NOT NULL,
  session     bigint REFERENCES session (number),
  kind        text NOT NULL,
  status      text NOT NULL,
  pinned      boolean NOT NULL,
  importance  double precision NOT NULL,
  trust       smallint NOT NULL,
  resolved    boolean NOT NULL,
  agent       text NOT NULL,
  prompt_id   text NOT NULL,
  branch      text COLLATE "C" NOT NULL,
  command     text NOT NULL,
  key         text NOT NULL,
  supersedes  text NOT NULL,
  merged_into text NOT NULL,
  note        text NOT NULL,
  files       text[] NOT NULL,
  dirs        text[] NOT NULL,
  exts        text[] NOT NULL,
  tags        text[] NOT NULL,
  proposed    boolean NOT NULL,
  outdated    boolean NOT NULL, -- its links are older than its text
  repeats     bigint NOT NULL,
  created     bigint NOT NULL,
  updated     bigint NOT NULL,
  hidden      bigint NOT NULL,
  words       text NOT NULL,
  doc         text NOT NULL,
  search      tsvector NOT NULL, -- stems with their places; the weights name the sort of text
  length      bigint NOT NULL    -- words in search
);

CREATE INDEX memory_key ON memory (session, hashtextextended(key, 0));
CREATE INDEX memory_loose_key ON memory (hashtextextended(key, 0)) WHERE session IS NULL;
CREATE INDEX memory_turn ON memory (session, prompt_id);
CREATE INDEX memory_created ON memory (created, number);
CREATE INDEX memory_updated ON memory (updated, created, number);
CREATE INDEX memory_project ON memory (project, created);
CREATE INDEX memory_kind ON memory (project, kind, status, created);
CREATE INDEX memory_importance ON memory (project, pinned, importance, created);
CREATE INDEX memory_of_branch ON memory (branch, created, project) WHERE branch <> '';
CREATE INDEX memory_branch ON memory (session, branch);
CREATE INDEX memory_utterance ON memory (session, number) WHERE kind = 'utterance';
CREATE INDEX memory_command ON memory USING hash (command) WHERE command <> '';
CREATE INDEX memory_supersedes ON memory (supersedes) WHERE supersedes <> '';
CREATE INDEX memory_merged ON memory (merged_into) WHERE merged_into <> '';
CREATE INDEX memory_note ON memory (number) WHERE note <> '';
CREATE INDEX memory_proposed ON memory (number) WHERE proposed;
CREATE INDEX memory_outdated ON memory (created, number) WHERE outdated;
CREATE INDEX memory_files ON memory USING gin (files);
CREATE INDEX memory_tags ON memory USING gin (tags);
CREATE INDEX memory_search ON memory USING gin (search) WHERE kind <> 'utterance';
CREATE INDEX memory_utterance_search ON memory USING gin (search) WHERE kind = 'utterance';

CREATE TABLE vector (
  memory bigint PRIMARY KEY REFERENCES memory (number) ON DELETE CASCADE,
  model  text NOT NULL,
  scale  double precision NOT NULL,
  data   bytea NOT NULL
);

CREATE INDEX vector_model ON vector (model);

CREATE TABLE checkpoint (
  number  bigint PRIMARY KEY,
  id      text COLLATE "C" NOT NULL UNIQUE,
  session bigint REFERENCES session (number) ON DELETE CASCADE,
  project text NOT NULL,
  at      bigint NOT NULL,
  trigger text NOT NULL,
  doc     text NOT NULL
);

CREATE INDEX checkpoint_session ON checkpoint (session, number);
CREATE INDEX checkpoint_project ON checkpoint (project, number);

CREATE TABLE receipt (
  number  bigint PRIMARY KEY,
  id      text COLLATE "C" NOT NULL,
  session bigint REFERENCES session (number) ON DELETE CASCADE,
  project text NOT NULL,
  at      bigint NOT NULL,
  trigger text NOT NULL,
  outcome text NOT NULL,
  tokens  bigint NOT NULL,
  doc     text NOT NULL
);

CREATE INDEX receipt_id ON receipt (id);
CREATE INDEX receipt_session ON receipt (session, number);
CREATE INDEX receipt_project ON receipt (project, number);

-- The memories that a receipt names.
CREATE TABLE receipt_item (
  receipt  bigint NOT NULL REFERENCES receipt (number) ON DELETE CASCADE,
  memory   text NOT NULL,
  injected boolean NOT NULL,
  PRIMARY KEY (receipt, memory)
);

CREATE INDEX receipt_item_memory ON receipt_item (memory);

CREATE TABLE job (
  number     bigint PRIMARY KEY,
  id         text COLLATE "C" NOT NULL UNIQUE,
  kind       text NOT NULL,
  session    bigint REFERENCES session (number) ON DELETE CASCADE,
  key        text NOT NULL,
  data       text NOT NULL,
  not_before bigint NOT NULL,
  attempts   bigint NOT NULL,
  created    bigint NOT NULL,
  error      text NOT NULL,
  dead       boolean NOT NULL,
  leased     bigint NOT NULL, -- until when
  owner      text NOT NULL    -- who leased it
);

CREATE INDEX job_session ON job (session);

CREATE TABLE pause (
  target      text COLLATE "C" PRIMARY KEY,
  until       bigint NOT NULL,
  inject_only boolean NOT NULL
);

-- Periods in which capture was paused.
CREATE TABLE paused_period (
  target text NOT NULL,
  begun  bigint NOT NULL,
  ended  bigint NOT NULL -- 0: it goes on
);

CREATE INDEX paused_period_target ON paused_period (target);

CREATE TABLE spent (
  day      text PRIMARY KEY,
  tokens   bigint NOT NULL,
  calls    bigint NOT NULL,
  failures bigint NOT NULL
);

CREATE TABLE run (
  number   bigint PRIMARY KEY,
  id       text COLLATE "C" NOT NULL UNIQUE,
  kind     text NOT NULL,
  project  text NOT NULL,
  session  bigint REFERENCES session (number) ON DELETE SET NULL,
  at       bigint NOT NULL,
  examined bigint NOT NULL
);

CREATE INDEX run_project ON run (project, number);
CREATE INDEX run_session ON run (session);

CREATE TABLE change (
  number bigint PRIMARY KEY,
  run    bigint NOT NULL REFERENCES run (number) ON DELETE CASCADE,
  memory bigint NOT NULL REFERENCES memory (number) ON DELETE CASCADE,
  undone bigint NOT NULL,
  doc    text NOT NULL
);

CREATE INDEX change_run ON change (run, number);
CREATE INDEX change_memory ON change (memory);

-- Dismissals: a rule is not applied again to a memory, or to two of them.
CREATE TABLE dismissed (
  rule   text COLLATE "C" NOT NULL,
  memory bigint NOT NULL REFERENCES memory (number) ON DELETE CASCADE,
  other  text NOT NULL, -- id of the second memory, '' if there is none
  at     bigint NOT NULL,
  PRIMARY KEY (rule, memory, other)
);

CREATE INDEX dismissed_memory ON dismissed (memory);

CREATE TABLE relation (
  from_memory bigint NOT NULL REFERENCES memory (number) ON DELETE CASCADE,
  to_memory   bigint NOT NULL REFERENCES memory (number) ON DELETE CASCADE,
  kind        text COLLATE "C" NOT NULL,
  confidence  double precision NOT NULL,
  made        bigint NOT NULL,
  PRIMARY KEY (from_memory, to_memory, kind)
);

CREATE INDEX relation_to ON relation (to_memory);

-- The name of an entity is text of the memories that mention it: it is deleted with its last mention.
CREATE TABLE entity (
  number     bigint PRIMARY KEY,
  id         text COLLATE "C" NOT NULL UNIQUE,
  project    text NOT NULL,
  kind       text NOT NULL,
  name       text NOT NULL,
  confidence double precision NOT NULL,
  first_seen bigint NOT NULL,
  last_seen  bigint NOT NULL
);

CREATE UNIQUE INDEX entity_of_project ON entity (project, kind, hashtextextended(name, 0));
CREATE INDEX entity_name ON entity USING hash (lower(name));

CREATE TABLE mention (
  entity bigint NOT NULL REFERENCES entity (number) ON DELETE CASCADE,
  memory bigint NOT NULL REFERENCES memory (number) ON DELETE CASCADE,
  PRIMARY KEY (entity, memory)
);

CREATE INDEX mention_memory ON mention (memory);

CREATE FUNCTION drop_entity_without_mention() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM entity e WHERE e.number = old.entity AND NOT EXISTS (SELECT 1 FROM mention m WHERE m.entity = e.number);
  RETURN NULL;
END
$$;

CREATE TRIGGER entity_without_mention AFTER DELETE ON mention
  FOR EACH ROW EXECUTE FUNCTION drop_entity_without_mention();
