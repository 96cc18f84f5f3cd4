-- The id of the memory into which a memory was merged.
ALTER TABLE memory ADD COLUMN merged_into TEXT NOT NULL DEFAULT '';

CREATE INDEX memory_merged ON memory (merged_into) WHERE merged_into <> '';

-- A consolidation run and its changes. They contain no text of the person: the
-- former state of a memory is stored as numbers, states and ids.
CREATE TABLE run (
  number  INTEGER PRIMARY KEY AUTOINCREMENT,
  id      TEXT NOT NULL UNIQUE,
  kind    TEXT NOT NULL,
  project TEXT NOT NULL,
  session INTEGER REFERENCES session (number) ON DELETE SET NULL,
  at      INTEGER NOT NULL,
  looked  INTEGER NOT NULL
) STRICT;

CREATE INDEX run_project ON run (project, number);
CREATE INDEX run_session ON run (session);

CREATE TABLE change (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  run    INTEGER NOT NULL REFERENCES run (number) ON DELETE CASCADE,
  memory INTEGER NOT NULL REFERENCES memory (number) ON DELETE CASCADE,
  other  TEXT NOT NULL, -- id of the other memory of a merging, '' if there is none
  rule   TEXT NOT NULL,
  reason TEXT NOT NULL,
  was    TEXT NOT NULL, -- JSON
  became TEXT NOT NULL, -- JSON
  undone INTEGER NOT NULL
) STRICT;

CREATE INDEX change_run ON change (run, number);
CREATE INDEX change_memory ON change (memory);

-- Dismissals: a rule is not applied again to a memory, or to two of them, and its
-- finding is not shown again.
CREATE TABLE dismissed (
  rule   TEXT NOT NULL,
  memory INTEGER NOT NULL REFERENCES memory (number) ON DELETE CASCADE,
  other  TEXT NOT NULL, -- id of the second memory, '' if there is none
  at     INTEGER NOT NULL,
  PRIMARY KEY (rule, memory, other)
) STRICT, WITHOUT ROWID;

CREATE INDEX dismissed_memory ON dismissed (memory);

-- Links between memories.
CREATE TABLE relation (
  from_memory INTEGER NOT NULL REFERENCES memory (number) ON DELETE CASCADE,
  to_memory   INTEGER NOT NULL REFERENCES memory (number) ON DELETE CASCADE,
  kind        TEXT NOT NULL,
  confidence  REAL NOT NULL,
  made        INTEGER NOT NULL,
  PRIMARY KEY (from_memory, to_memory, kind)
) STRICT, WITHOUT ROWID;

CREATE INDEX relation_to ON relation (to_memory);

-- Entities, and the memories that mention them. The name is text of the memories:
-- an entity is deleted with its last mention.
CREATE TABLE entity (
  number     INTEGER PRIMARY KEY AUTOINCREMENT,
  id         TEXT NOT NULL UNIQUE,
  project    TEXT NOT NULL,
  kind       TEXT NOT NULL,
  name       TEXT NOT NULL,
  confidence REAL NOT NULL,
  first_seen INTEGER NOT NULL,
  last_seen  INTEGER NOT NULL,
  UNIQUE (project, kind, name)
) STRICT;

CREATE TABLE mention (
  entity INTEGER NOT NULL REFERENCES entity (number) ON DELETE CASCADE,
  memory INTEGER NOT NULL REFERENCES memory (number) ON DELETE CASCADE,
  PRIMARY KEY (entity, memory)
) STRICT, WITHOUT ROWID;

CREATE INDEX mention_memory ON mention (memory);

CREATE TRIGGER entity_without_mention AFTER DELETE ON mention
WHEN NOT EXISTS (SELECT 1 FROM mention WHERE entity = old.entity)
BEGIN
  DELETE FROM entity WHERE number = old.entity;
END;

-- A job makes the links of earlier memories.
INSERT INTO job (id, kind, key, data, not_before, attempts, created, error, dead, leased)
  SELECT 'j_first-weave', 'weave', 'all', '', 0, 0, max(created), '', 0, 0 FROM memory HAVING count(*) > 0;
