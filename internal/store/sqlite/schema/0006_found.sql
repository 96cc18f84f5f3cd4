-- Memories that a rule hid after a time in the archive are archived again: the
-- person did not forget them.
UPDATE memory SET status = 'archived', hidden = 0, standing = json_remove(standing, '$.faded')
  WHERE status = 'forgotten' AND standing <> '' AND standing ->> '$.faded';
