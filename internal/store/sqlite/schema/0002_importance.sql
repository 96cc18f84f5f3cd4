-- What matters most is read in the order in which it is told, and whether a
-- memory passes is decided without reading it.
DROP INDEX memory_importance;
CREATE INDEX memory_importance ON memory (project, pinned, importance, created, kind, status, scope, trust);
