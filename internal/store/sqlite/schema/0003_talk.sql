ALTER TABLE memory ADD COLUMN who TEXT NOT NULL DEFAULT '';
ALTER TABLE memory ADD COLUMN anchors TEXT NOT NULL DEFAULT '';

CREATE INDEX memory_talk ON memory (session, number) WHERE kind = 'utterance';

-- An utterance is found by its text and by its neighbours: near has the texts just
-- before and after, far those one further away.
CREATE VIRTUAL TABLE talk_fts USING fts5 (body, ident, who, near, far, day, tokenize = 'porter unicode61');
INSERT INTO talk_fts (talk_fts, rank) VALUES ('secure-delete', 1);

-- The vector of a memory's text by an embedding model: bytes of data times scale.
CREATE TABLE vector (
  memory INTEGER PRIMARY KEY REFERENCES memory (number) ON DELETE CASCADE,
  model  TEXT NOT NULL,
  scale  REAL NOT NULL,
  data   BLOB NOT NULL
) STRICT;

CREATE INDEX vector_model ON vector (model);

-- The vector of a text that changes is deleted.
CREATE TRIGGER vector_of_another_text AFTER UPDATE OF title, body, facts, summary ON memory
WHEN old.title <> new.title OR old.body <> new.body OR old.facts <> new.facts OR old.summary <> new.summary
BEGIN
  DELETE FROM vector WHERE memory = old.number;
END;
