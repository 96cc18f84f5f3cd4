//go:build backends

package postgres

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
	"remanence/internal/store/storetest"
)

// teamRoles sets the server up for the teams red and blue, and returns how a role connects.
func teamRoles(t *testing.T) func(role string) Config {
	t.Helper()
	setUp, err := os.ReadFile("../../../docs/team.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"DROP SCHEMA IF EXISTS remanence_team CASCADE", string(setUp), `DO $$ BEGIN
			IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'red') THEN
				CREATE ROLE red NOLOGIN IN ROLE remanence_teams; CREATE ROLE blue NOLOGIN IN ROLE remanence_teams;
				CREATE ROLE rita LOGIN IN ROLE red; CREATE ROLE rob LOGIN IN ROLE red; CREATE ROLE bea LOGIN IN ROLE blue;
				CREATE ROLE nobody_of_ours LOGIN;
			END IF;
		END $$`, fmt.Sprintf(`ALTER ROLE rita PASSWORD '%s'; ALTER ROLE rob PASSWORD '%[1]s'; ALTER ROLE bea PASSWORD '%[1]s';
			ALTER ROLE nobody_of_ours PASSWORD '%[1]s'`, server.Password),
	} {
		if err := server.SQL("remanence", text); err != nil {
			t.Fatal(err)
		}
	}
	return func(role string) Config {
		return Config{
			DSN: strings.Replace(server.WithPassword(), "//remanence:", "//"+role+":", 1), Now: storetest.Clock,
		}
	}
}

func openTeam(t *testing.T, cfg Config, team string) *Team {
	t.Helper()
	s, err := OpenTeam(t.Context(), cfg, team)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// changes are the files after a version, as "name author text", and the next version.
func changes(t *testing.T, s *Team, after int64, known map[string]string, n int) (out []string, last int64) {
	t.Helper()
	files, last, err := s.Changes(t.Context(), "till", after, known, n)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text := f.Text
		if f.Deleted {
			text = "deleted" + text
		}
		out = append(out, f.File+" "+f.Author+" "+text)
	}
	return out, last
}

func TestATeamIsOpenToItsMembersAlone(t *testing.T) {
	as := teamRoles(t)
	for _, tt := range []struct {
		role, team string
		want       error
	}{{"rita", "red", nil}, {"bea", "red", stored.ErrNoMember}, {"nobody_of_ours", "red", stored.ErrNoMember}, {
		"rita", "green", stored.ErrNoMember,
	}} {
		s, err := OpenTeam(t.Context(), as(tt.role), tt.team)
		if !errors.Is(err, tt.want) {
			t.Errorf("%s opens %s: %v, want %v", tt.role, tt.team, err, tt.want)
		}
		if err == nil {
			_ = s.Close()
		}
	}
	if err := server.SQL("remanence", "DROP SCHEMA remanence_team CASCADE"); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenTeam(t.Context(), as("rita"), "red"); !errors.Is(err, stored.ErrNoTeams) {
		t.Errorf("on a server without teams: %v", err)
	}
	away := as("rita")
	away.DSN = "postgres://rita:x@127.0.0.1:1/remanence?sslmode=disable"
	if _, err := OpenTeam(t.Context(), away, "red"); !errors.Is(err, mem.ErrAway) {
		t.Errorf("without a server: %v", err)
	}
}

func TestAFileOfATeamIsReplacedOnlyByWhoKnowsIt(t *testing.T) {
	as := teamRoles(t)
	rita, rob := openTeam(t, as("rita"), "red"), openTeam(t, as("rob"), "red")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	want := func(s *Team, after int64, known map[string]string, n int, want ...string) (last int64) {
		t.Helper()
		got, last := changes(t, s, after, known, n)
		if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
			t.Errorf("changes after %d are %q, want %q", after, got, want)
		}
		return last
	}
	hash := func(text string) (h string) {
		t.Helper()
		must(get(t.Context(), rita.pool, query("SELECT left(encode(sha256(convert_to(?::text, 'UTF8')), 'hex'), 32)", text),
			&h))
		return h
	}
	must(rita.Put(t.Context(), "till", "a.md", "one", ""))
	must(rita.Put(t.Context(), "till", "a.md", "one", "")) // sent twice
	must(rob.Put(t.Context(), "till", "b.md", "two", ""))
	must(rob.Put(t.Context(), "garden", "c.md", "of another project", ""))
	last := want(rob, 0, nil, 10, "a.md rita one", "b.md rob two")
	want(rob, 0, map[string]string{"a.md": hash("one"), "b.md": "other"}, 10, "b.md rob two")
	middle := want(rob, 0, nil, 1, "a.md rita one")
	want(rob, middle, nil, 1, "b.md rob two")
	want(rob, last, nil, 10)

	if err := rob.Put(t.Context(), "till", "a.md", "three", hash("other")); !errors.Is(err, stored.ErrNewer) {
		t.Errorf("a text that its writer did not know is replaced: %v", err)
	}
	if err := rob.Delete(t.Context(), "till", "a.md", hash("other")); !errors.Is(err, stored.ErrNewer) {
		t.Errorf("a text that its writer did not know is deleted: %v", err)
	}
	must(rob.Put(t.Context(), "till", "a.md", "three", hash("one")))
	want(rita, last, nil, 10, "a.md rob three")
	must(rita.Delete(t.Context(), "till", "a.md", hash("three")))
	want(rita, last, nil, 10, "a.md rita deleted")
	want(rita, last, map[string]string{"a.md": ""}, 10) // known as deleted
	must(rita.Put(t.Context(), "till", "a.md", "anew", hash("three")))
	want(rita, last, nil, 10, "a.md rita anew")
	v, err := rita.Server(t.Context())
	if err != nil || v.Role != "rita" || v.Members != 2 || v.Memories != 3 || v.Everyone {
		t.Errorf("the server says %+v, %v", v, err)
	}
}

func TestNoTeamReachesTheFilesOfAnother(t *testing.T) {
	as := teamRoles(t)
	rita, bea := openTeam(t, as("rita"), "red"), openTeam(t, as("bea"), "blue")
	if err := rita.Put(t.Context(), "till", "a.md", "one", ""); err != nil {
		t.Fatal(err)
	}
	if got, _ := changes(t, bea, 0, nil, 10); len(got) > 0 {
		t.Errorf("another team reads %q", got)
	}
	intruder := &Team{bea.pool, "red"} // a program that was changed
	if got, _ := changes(t, intruder, 0, nil, 10); len(got) > 0 {
		t.Errorf("an intruder reads %q", got)
	}
	if err := intruder.Put(t.Context(), "till", "x.md", "two", ""); err == nil {
		t.Error("an intruder writes")
	}
	if err := intruder.Delete(t.Context(), "till", "a.md", ""); !errors.Is(err, stored.ErrNewer) {
		t.Errorf("an intruder deletes: %v", err)
	}
	for _, text := range []string{
		"UPDATE remanence_team.memory SET author = 'bea'", "DELETE FROM remanence_team.memory",
		"ALTER TABLE remanence_team.memory DISABLE ROW LEVEL SECURITY",
	} {
		_, _ = rita.pool.Exec(t.Context(), text)
	}
	if got, _ := changes(t, rita, 0, nil, 10); fmt.Sprintf("%q", got) != `["a.md rita one"]` {
		t.Errorf("a member changed the author, deleted a row or lifted the rule: %q", got)
	}
}
