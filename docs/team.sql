-- What a PostgreSQL server needs for a team, see team.md. Run it once in a database of its own, as a role that owns the
-- database and is no member of a team: psql -v ON_ERROR_STOP=1 -d DATABASE -f team.sql
-- It can be run again, and changes nothing then.
BEGIN;

CREATE SCHEMA IF NOT EXISTS remanence_team;
REVOKE ALL ON SCHEMA remanence_team FROM PUBLIC;

-- The memories that members of a team share. A deleted one keeps its row without its text, so that all learn of it.
CREATE TABLE IF NOT EXISTS remanence_team.memory (
  team    text COLLATE "C" NOT NULL, -- a role of the server: only its members see the row
  project text COLLATE "C" NOT NULL, -- made from the address of its origin, so it is the same on all machines
  file    text COLLATE "C" NOT NULL, -- made by the machine that shared it first
  body    text NOT NULL,             -- Markdown, as remanence share writes it into a repository
  deleted boolean NOT NULL DEFAULT false,
  author  text NOT NULL,             -- the role that wrote it last
  version bigint NOT NULL,           -- rises within a project in the order of commits
  changed timestamptz NOT NULL,
  PRIMARY KEY (team, project, file)
);
CREATE INDEX IF NOT EXISTS memory_version ON remanence_team.memory (team, project, version);
CREATE SEQUENCE IF NOT EXISTS remanence_team.version;

-- No member writes in the name of another. Writers of one project wait for each other: a reader that has seen a version
-- never misses an earlier one.
CREATE OR REPLACE FUNCTION remanence_team.sign() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('remanence team ' || NEW.team || ' ' || NEW.project, 0));
  NEW.author := session_user;
  NEW.version := nextval('remanence_team.version');
  NEW.changed := clock_timestamp();
  RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER memory_signed BEFORE INSERT OR UPDATE ON remanence_team.memory
  FOR EACH ROW EXECUTE FUNCTION remanence_team.sign();

-- The teams of the role that asks.
CREATE OR REPLACE FUNCTION remanence_team.mine() RETURNS text[] LANGUAGE sql STABLE SET search_path = pg_catalog AS $$
  SELECT coalesce(array_agg(rolname::text), '{}') FROM pg_roles WHERE NOT rolcanlogin AND pg_has_role(oid, 'MEMBER')
$$;

ALTER TABLE remanence_team.memory ENABLE ROW LEVEL SECURITY;
ALTER TABLE remanence_team.memory FORCE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS team ON remanence_team.memory;
CREATE POLICY team ON remanence_team.memory USING (team = ANY ((SELECT remanence_team.mine())::text[]));

-- All teams are members of this role.
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'remanence_teams') THEN
    CREATE ROLE remanence_teams NOLOGIN;
  END IF;
END $$;
GRANT USAGE ON SCHEMA remanence_team TO remanence_teams;
GRANT SELECT, INSERT, UPDATE ON remanence_team.memory TO remanence_teams;

COMMIT;
