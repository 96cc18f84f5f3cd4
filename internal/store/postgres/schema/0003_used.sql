-- Memories that a session used, which few memories were: a comparison of sessions would read all of them.
CREATE INDEX memory_used ON memory (created, number) WHERE strpos(doc, '"used_in":[') > 0;
