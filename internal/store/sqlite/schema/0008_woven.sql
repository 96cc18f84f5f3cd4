-- Memories without links of their present text (woven = 0). In an older store these
-- are the memories of its waiting jobs.
ALTER TABLE memory ADD COLUMN woven INTEGER NOT NULL DEFAULT 1;
CREATE INDEX memory_unwoven ON memory (created, number) WHERE woven = 0;
UPDATE memory SET woven = 0
  WHERE kind IN ('file_note', 'gotcha', 'decision', 'convention', 'error_fix', 'howto', 'rationale', 'trade_off', 'fact', 'discovery',
    'preference', 'todo', 'summary')
  AND updated >= (SELECT min(iif(key = 'all', 0, unixepoch(substr(data, 1, instr(data || ' ', ' ') - 1)) * 1000000000))
    FROM job WHERE kind = 'weave' AND key <> 'tidy');
