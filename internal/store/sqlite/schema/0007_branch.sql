-- What was learned on a branch, newest first, and on which branches a session
-- learned something.
CREATE INDEX memory_of_branch ON memory (branch, created, project);
CREATE INDEX memory_branch ON memory (session, branch);
