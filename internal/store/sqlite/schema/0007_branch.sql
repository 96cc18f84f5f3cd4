-- The memories of a branch, newest first, and the branches of a session's memories.
CREATE INDEX memory_of_branch ON memory (branch, created, project);
CREATE INDEX memory_branch ON memory (session, branch);
