-- Says to all who listen which memories a transaction wrote, when it commits: daemons keep an index of them in RAM.
-- Only ids are sent. A notice takes 8,000 bytes; of more memories it says that all may differ.
CREATE FUNCTION announce(in_schema text, key text, value json) RETURNS void LANGUAGE sql AS $$
  SELECT pg_notify('remanence ' || CASE WHEN octet_length(in_schema) <= 53 THEN in_schema ELSE left(in_schema, 13) END,
    json_build_object('from', coalesce(current_setting('remanence.process', true), ''), key, value)::text)
$$;

CREATE FUNCTION announce_written() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  ids text[];
BEGIN
  SELECT array_agg(id) INTO ids FROM (SELECT id FROM changed LIMIT 101) AS first;
  IF cardinality(ids) > 100 OR octet_length(to_json(ids)::text) > 7000 THEN
    EXECUTE format('SELECT %I.announce($1, $2, $3)', TG_TABLE_SCHEMA) USING TG_TABLE_SCHEMA, 'all', to_json(true);
  ELSIF ids IS NOT NULL THEN
    EXECUTE format('SELECT %I.announce($1, $2, $3)', TG_TABLE_SCHEMA) USING TG_TABLE_SCHEMA, 'memories', to_json(ids);
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER memory_inserted AFTER INSERT ON memory REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION announce_written();
CREATE TRIGGER memory_updated AFTER UPDATE ON memory REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION announce_written();

-- Row by row, as a table of deleted rows could be written to a temporary file, which no purge reaches.
CREATE FUNCTION announce_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('SELECT %I.announce($1, $2, $3)', TG_TABLE_SCHEMA)
    USING TG_TABLE_SCHEMA, 'memories', to_json(ARRAY[OLD.id]);
  RETURN NULL;
END $$;

CREATE TRIGGER memory_deleted AFTER DELETE ON memory FOR EACH ROW EXECUTE FUNCTION announce_deleted();
