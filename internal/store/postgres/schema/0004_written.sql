-- Says to all who listen which memories a transaction wrote, when it commits: daemons keep an index of them in RAM.
-- Only ids are sent. A notice takes 8,000 bytes; of more memories it says that all may differ.
CREATE FUNCTION announce_written() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  ids text[];
  said text;
BEGIN
  SELECT array_agg(id) INTO ids FROM (SELECT id FROM changed LIMIT 101) AS first;
  IF ids IS NULL THEN
    RETURN NULL;
  END IF;
  said := json_build_object('from', coalesce(current_setting('remanence.process', true), ''), 'memories', ids)::text;
  IF cardinality(ids) > 100 OR octet_length(said) > 7500 THEN
    said := '{"all":true}';
  END IF;
  PERFORM pg_notify('remanence ' || CASE WHEN octet_length(TG_TABLE_SCHEMA) <= 53 THEN TG_TABLE_SCHEMA
    ELSE left(TG_TABLE_SCHEMA, 13) END, said);
  RETURN NULL;
END $$;

CREATE TRIGGER memory_inserted AFTER INSERT ON memory REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION announce_written();
CREATE TRIGGER memory_updated AFTER UPDATE ON memory REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION announce_written();
CREATE TRIGGER memory_deleted AFTER DELETE ON memory REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION announce_written();
