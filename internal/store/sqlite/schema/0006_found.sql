-- What a rule hid after a time in the archive is archived again: it is found by
-- who asks for it, and is nothing that somebody forgot.
UPDATE memory SET status = 'archived', hidden = 0, standing = json_remove(standing, '$.faded')
  WHERE status = 'forgotten' AND standing <> '' AND standing ->> '$.faded';
