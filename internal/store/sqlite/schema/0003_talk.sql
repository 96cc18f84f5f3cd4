ALTER TABLE memory ADD COLUMN who TEXT NOT NULL DEFAULT '';
ALTER TABLE memory ADD COLUMN anchors TEXT NOT NULL DEFAULT '';

CREATE INDEX memory_talk ON memory (session, number) WHERE kind = 'utterance';

-- What was said is found by itself and by what was said next to it: near holds
-- the texts just before and after, far those one further away.
CREATE VIRTUAL TABLE talk_fts USING fts5 (body, ident, who, near, far, day, tokenize = 'porter unicode61');
INSERT INTO talk_fts (talk_fts, rank) VALUES ('secure-delete', 1);

-- What a memory means to a model: bytes of data times scale.
CREATE TABLE vector (
  memory INTEGER PRIMARY KEY REFERENCES memory (number) ON DELETE CASCADE,
  model  TEXT NOT NULL,
  scale  REAL NOT NULL,
  data   BLOB NOT NULL
) STRICT;

CREATE INDEX vector_model ON vector (model);

-- A memory whose text becomes another means something else.
CREATE TRIGGER vector_of_another_text AFTER UPDATE OF title, body, facts, summary ON memory
WHEN old.title <> new.title OR old.body <> new.body OR old.facts <> new.facts OR old.summary <> new.summary
BEGIN
  DELETE FROM vector WHERE memory = old.number;
END;
