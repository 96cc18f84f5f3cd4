-- Times are nanoseconds since 1970 UTC, 0 means never. Lists are JSON text.
-- Every text that can be injected or searched can be purged: no table may have a
-- copy of it that purge.go does not know.

CREATE TABLE project (
  key        TEXT PRIMARY KEY,
  name       TEXT NOT NULL,
  root       TEXT NOT NULL,
  common     TEXT NOT NULL,
  origin     TEXT NOT NULL,
  branch     TEXT NOT NULL,
  head       TEXT NOT NULL,
  last_event INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX project_name ON project (name);

-- A git common directory belongs to the project in which it was first seen.
CREATE TABLE project_common (
  common TEXT PRIMARY KEY,
  key    TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- One project has many roots: clones and worktrees.
CREATE TABLE project_root (
  root TEXT NOT NULL,
  key  TEXT NOT NULL,
  PRIMARY KEY (root, key)
) STRICT, WITHOUT ROWID;

-- Other keys of a project, and the key under which it is stored.
CREATE TABLE project_alias (
  key   TEXT PRIMARY KEY,
  known TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE session (
  number            INTEGER PRIMARY KEY AUTOINCREMENT,
  id                TEXT NOT NULL UNIQUE,
  short             TEXT NOT NULL UNIQUE,
  agent             TEXT NOT NULL,
  project           TEXT NOT NULL,
  project_name      TEXT NOT NULL,
  root              TEXT NOT NULL,
  cwd               TEXT NOT NULL,
  first_prompt      TEXT NOT NULL,
  prompts           INTEGER NOT NULL,
  status            TEXT NOT NULL,
  source            TEXT NOT NULL,
  model             TEXT NOT NULL,
  entrypoint        TEXT NOT NULL,
  parent            TEXT NOT NULL,
  transcript        TEXT NOT NULL,
  created           INTEGER NOT NULL,
  completed         INTEGER NOT NULL,
  end_reason        TEXT NOT NULL,
  last_event        INTEGER NOT NULL,
  processing        INTEGER NOT NULL,
  last_notification TEXT NOT NULL,
  notifications     INTEGER NOT NULL,
  compactions       INTEGER NOT NULL,
  nudge             TEXT NOT NULL,
  nudge_prompt      INTEGER NOT NULL,
  told_tokens       INTEGER NOT NULL
) STRICT;

CREATE INDEX session_active ON session (last_event);
CREATE INDEX session_project ON session (project, last_event);

-- Keys of what was injected into a session since its last compaction.
CREATE TABLE told (
  session INTEGER NOT NULL REFERENCES session (number) ON DELETE CASCADE,
  mark    TEXT NOT NULL,
  PRIMARY KEY (session, mark)
) STRICT, WITHOUT ROWID;

CREATE TABLE turn (
  number    INTEGER PRIMARY KEY AUTOINCREMENT,
  session   INTEGER NOT NULL REFERENCES session (number) ON DELETE CASCADE,
  prompt_id TEXT NOT NULL,
  prompt    INTEGER NOT NULL,
  text      TEXT NOT NULL,
  private   INTEGER NOT NULL,
  trust     INTEGER NOT NULL,
  at        INTEGER NOT NULL,
  UNIQUE (session, prompt_id)
) STRICT;

-- A purged event keeps its row without session and payload, so that another
-- delivery of it is a duplicate.
CREATE TABLE event (
  seq         INTEGER PRIMARY KEY AUTOINCREMENT,
  id          TEXT NOT NULL UNIQUE,
  key         TEXT NOT NULL,
  session     INTEGER REFERENCES session (number) ON DELETE SET NULL,
  prompt_id   TEXT NOT NULL,
  kind        TEXT NOT NULL,
  tool        TEXT NOT NULL,
  tool_use_id TEXT NOT NULL,
  agent_id    TEXT NOT NULL,
  agent_type  TEXT NOT NULL,
  ok          INTEGER NOT NULL,
  exit_code   INTEGER,
  duration_ms INTEGER NOT NULL,
  payload     TEXT NOT NULL,
  created_at  INTEGER NOT NULL
) STRICT;

CREATE INDEX event_session ON event (session, seq);

CREATE TABLE memory (
  number     INTEGER PRIMARY KEY AUTOINCREMENT,
  id         TEXT NOT NULL UNIQUE,
  scope      TEXT NOT NULL,
  project    TEXT NOT NULL,
  session    INTEGER REFERENCES session (number),
  kind       TEXT NOT NULL,
  title      TEXT NOT NULL,
  body       TEXT NOT NULL,
  facts      TEXT NOT NULL,
  concepts   TEXT NOT NULL,
  tags       TEXT NOT NULL,
  files      TEXT NOT NULL,
  modified   TEXT NOT NULL,
  tool       TEXT NOT NULL,
  command    TEXT NOT NULL,
  exit_code  INTEGER NOT NULL,
  event      TEXT NOT NULL,
  summary    TEXT NOT NULL,
  importance REAL NOT NULL,
  confidence REAL NOT NULL,
  trust      INTEGER NOT NULL,
  origin     TEXT NOT NULL,
  agent      TEXT NOT NULL,
  prompt_id  TEXT NOT NULL,
  prompt     INTEGER NOT NULL,
  source     TEXT NOT NULL,
  resolved   INTEGER NOT NULL,
  status     TEXT NOT NULL,
  pinned     INTEGER NOT NULL,
  supersedes TEXT NOT NULL,
  branch     TEXT NOT NULL,
  head       TEXT NOT NULL,
  key        TEXT NOT NULL,
  repeats    INTEGER NOT NULL,
  words      TEXT NOT NULL,
  uses       INTEGER NOT NULL,
  last_used  INTEGER NOT NULL,
  created    INTEGER NOT NULL,
  updated    INTEGER NOT NULL,
  hidden     INTEGER NOT NULL
) STRICT;

CREATE INDEX memory_key ON memory (session, key);
CREATE INDEX memory_turn ON memory (session, prompt_id);
CREATE INDEX memory_created ON memory (created);
CREATE INDEX memory_project ON memory (project, created);
CREATE INDEX memory_kind ON memory (project, kind, status, created);
CREATE INDEX memory_importance ON memory (project, importance, created);
CREATE INDEX memory_command ON memory (command) WHERE command <> '';

CREATE TABLE memory_file (
  memory INTEGER NOT NULL REFERENCES memory (number) ON DELETE CASCADE,
  path   TEXT NOT NULL,
  dir    TEXT NOT NULL,
  ext    TEXT NOT NULL,
  PRIMARY KEY (memory, path)
) STRICT, WITHOUT ROWID;

CREATE INDEX memory_file_path ON memory_file (path);
CREATE INDEX memory_file_dir ON memory_file (dir);
CREATE INDEX memory_file_ext ON memory_file (ext);

CREATE TABLE memory_tag (
  memory INTEGER NOT NULL REFERENCES memory (number) ON DELETE CASCADE,
  tag    TEXT NOT NULL,
  PRIMARY KEY (memory, tag)
) STRICT, WITHOUT ROWID;

CREATE INDEX memory_tag_tag ON memory_tag (tag);

CREATE VIRTUAL TABLE memory_fts USING fts5 (body, title, ident, tokenize = 'porter unicode61');
INSERT INTO memory_fts (memory_fts, rank) VALUES ('secure-delete', 1);

CREATE TABLE checkpoint (
  number  INTEGER PRIMARY KEY AUTOINCREMENT,
  id      TEXT NOT NULL UNIQUE,
  session INTEGER REFERENCES session (number) ON DELETE CASCADE,
  project TEXT NOT NULL,
  at      INTEGER NOT NULL,
  trigger TEXT NOT NULL,
  doc     TEXT NOT NULL
) STRICT;

CREATE INDEX checkpoint_session ON checkpoint (session);
CREATE INDEX checkpoint_project ON checkpoint (project);

CREATE TABLE receipt (
  number  INTEGER PRIMARY KEY AUTOINCREMENT,
  id      TEXT NOT NULL,
  session INTEGER REFERENCES session (number) ON DELETE CASCADE,
  project TEXT NOT NULL,
  at      INTEGER NOT NULL,
  outcome TEXT NOT NULL,
  tokens  INTEGER NOT NULL,
  doc     TEXT NOT NULL
) STRICT;

CREATE INDEX receipt_id ON receipt (id);
CREATE INDEX receipt_session ON receipt (session);
CREATE INDEX receipt_project ON receipt (project);

-- The memories of a receipt, injected (told) or left out.
CREATE TABLE receipt_item (
  receipt INTEGER NOT NULL REFERENCES receipt (number) ON DELETE CASCADE,
  memory  TEXT NOT NULL,
  told    INTEGER NOT NULL,
  PRIMARY KEY (receipt, memory)
) STRICT, WITHOUT ROWID;

CREATE INDEX receipt_item_memory ON receipt_item (memory);

CREATE TABLE job (
  number     INTEGER PRIMARY KEY AUTOINCREMENT,
  id         TEXT NOT NULL UNIQUE,
  kind       TEXT NOT NULL,
  session    INTEGER REFERENCES session (number) ON DELETE CASCADE,
  key        TEXT NOT NULL,
  data       TEXT NOT NULL,
  not_before INTEGER NOT NULL,
  attempts   INTEGER NOT NULL,
  created    INTEGER NOT NULL,
  error      TEXT NOT NULL,
  dead       INTEGER NOT NULL,
  leased     INTEGER NOT NULL -- until when it is hidden from others
) STRICT;

CREATE INDEX job_session ON job (session);

CREATE TABLE pause (
  target      TEXT PRIMARY KEY,
  until       INTEGER NOT NULL,
  inject_only INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
