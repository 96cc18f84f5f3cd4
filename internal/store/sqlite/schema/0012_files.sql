-- What a count of memories by file reads of a memory. Without it the count looks for the files of every memory, also of
-- those that have none.
CREATE INDEX memory_with_files ON memory (number, kind, project, created) WHERE files <> '' AND status = 'active';
