-- What the person said, which is little of a project: a briefing would look for it among all memories of the project.
CREATE INDEX memory_person ON memory (project, pinned, importance, created, kind, status, scope) WHERE trust >= 3;
