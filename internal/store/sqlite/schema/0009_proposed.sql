-- Memories with proposals, which few memories have: a review would read all of them.
CREATE INDEX memory_proposed ON memory (created, number) WHERE instr(standing, '"proposals":[') > 0;
