-- How far a session's transcript was compared with its events, in bytes, and the
-- hash of the transcript up to there.
ALTER TABLE session ADD COLUMN checked_to INTEGER NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN checked_hash TEXT NOT NULL DEFAULT '';

-- The position of a turn in its session. A turn that was found later is placed by
-- its time.
ALTER TABLE turn ADD COLUMN place INTEGER NOT NULL DEFAULT 0;
UPDATE turn SET place = number;

CREATE INDEX turn_place ON turn (session, place, number);

-- Periods in which capture was paused. Those from before this migration are not
-- known: all time before it counts as paused.
CREATE TABLE silence (
  target TEXT NOT NULL,
  begun  INTEGER NOT NULL,
  ended  INTEGER NOT NULL -- 0: it goes on
) STRICT;

CREATE INDEX silence_target ON silence (target);

INSERT INTO silence (target, begun, ended) SELECT 'all', 0, max(created_at) FROM event HAVING count(*) > 0;
INSERT INTO silence (target, begun, ended) SELECT target, 0, until FROM pause WHERE inject_only = 0;

-- The context usage of a session, and whether a handoff is to be requested.
ALTER TABLE session ADD COLUMN context_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN context_window INTEGER NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN handoff_armed INTEGER NOT NULL DEFAULT 1;
ALTER TABLE session ADD COLUMN cliff INTEGER NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN sampled INTEGER NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN compacted INTEGER NOT NULL DEFAULT 0;

-- The context usage at which the client of a model compacts.
CREATE INDEX session_cliff ON session (model, last_event) WHERE cliff > 0;
CREATE INDEX checkpoint_trigger ON checkpoint (trigger, project, number);

-- The spending on language models of a day.
CREATE TABLE spent (
  day      TEXT PRIMARY KEY,
  tokens   INTEGER NOT NULL,
  calls    INTEGER NOT NULL,
  failures INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The vault file of a memory, and a JSON object with fields that few memories have.
ALTER TABLE memory ADD COLUMN note TEXT NOT NULL DEFAULT '';
ALTER TABLE memory ADD COLUMN standing TEXT NOT NULL DEFAULT '';

CREATE INDEX memory_note ON memory (note) WHERE note <> '';
