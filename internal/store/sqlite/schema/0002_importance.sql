-- Important memories are read in the order of injection, and filtered without
-- reading their rows.
DROP INDEX memory_importance;
CREATE INDEX memory_importance ON memory (project, pinned, importance, created, kind, status, scope, trust);
