-- How far a session's transcript was compared with what was reported of it, in
-- bytes, and the hash of what stands before that place.
ALTER TABLE session ADD COLUMN checked_to INTEGER NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN checked_hash TEXT NOT NULL DEFAULT '';

-- Where a turn stands among those of its session. A turn that was found later
-- stands where it took place.
ALTER TABLE turn ADD COLUMN place INTEGER NOT NULL DEFAULT 0;
UPDATE turn SET place = number;

CREATE INDEX turn_place ON turn (session, place, number);

-- When nothing was to be captured: pauses that are over and pauses in force.
-- Nobody knows about those before this step: everything counts as paused.
CREATE TABLE silence (
  target TEXT NOT NULL,
  begun  INTEGER NOT NULL,
  ended  INTEGER NOT NULL -- 0: it goes on
) STRICT;

CREATE INDEX silence_target ON silence (target);

INSERT INTO silence (target, begun, ended) SELECT 'all', 0, max(created_at) FROM event HAVING count(*) > 0;
INSERT INTO silence (target, begun, ended) SELECT target, 0, until FROM pause WHERE inject_only = 0;

-- How full the context of a session is, and whether a handoff is to be asked for.
ALTER TABLE session ADD COLUMN context_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN context_window INTEGER NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN handoff_armed INTEGER NOT NULL DEFAULT 1;
ALTER TABLE session ADD COLUMN cliff INTEGER NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN sampled INTEGER NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN compacted INTEGER NOT NULL DEFAULT 0;

-- Where the client of a model compacts by itself.
CREATE INDEX session_cliff ON session (model, last_event) WHERE cliff > 0;
CREATE INDEX checkpoint_trigger ON checkpoint (trigger, project, number);

-- What models were asked for on a day.
CREATE TABLE spent (
  day      TEXT PRIMARY KEY,
  tokens   INTEGER NOT NULL,
  calls    INTEGER NOT NULL,
  failures INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The file of the vault that a memory is kept in, and what else is known of its
-- standing: a JSON object, empty for most.
ALTER TABLE memory ADD COLUMN note TEXT NOT NULL DEFAULT '';
ALTER TABLE memory ADD COLUMN standing TEXT NOT NULL DEFAULT '';

CREATE INDEX memory_note ON memory (note) WHERE note <> '';
