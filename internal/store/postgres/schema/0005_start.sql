-- What the person said is a small part of a project: the start of a session reads it without the rest.
CREATE INDEX memory_trust ON memory (project, trust);
-- A search without an index in RAM needs the number of memories and their mean length.
CREATE INDEX memory_length ON memory (kind, length);
