-- What the SQLite file has of an event too, so that a copy from one to the other loses nothing.
ALTER TABLE event ADD COLUMN agent_type text NOT NULL DEFAULT '';
ALTER TABLE event ADD COLUMN ok boolean NOT NULL DEFAULT true;
ALTER TABLE event ADD COLUMN exit_code bigint;
ALTER TABLE event ADD COLUMN duration_ms bigint NOT NULL DEFAULT 0;
UPDATE event SET ok = false WHERE kind IN ('PostToolUseFailure', 'StopFailure');
