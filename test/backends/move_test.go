//go:build backends && linux

package backends

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"remanence/internal/mem"
	"remanence/internal/store/sqlite"
	"remanence/test/pgserver"
	"remanence/test/world"
)

// newMover returns a person with memories in the file, and the address of an empty server.
func newMover(t testing.TB, memories int) (*world.Person, *pgserver.Server) {
	t.Helper()
	p, server := newPerson(t)
	p.Run("config", "unset", "store.dsn")
	out, err := exec.Command("go", "run", "../fill", "-database", filepath.Join(p.Data(), "remanence.db"), "-project",
		p.Project, "-memories", fmt.Sprint(memories)).CombinedOutput()
	if err != nil {
		t.Fatalf("fill: %v\n%s", err, out)
	}
	return p, server
}

// live has a person and an agent use a store: all sorts of rows come from it.
func live(t *testing.T, p *world.Person) {
	t.Helper()
	hook := func(name string, set map[string]any) {
		t.Helper()
		if a := p.Hook(p.Payload(name, set)); a.Status != 0 {
			t.Fatalf("%s: %s", name, a.Stderr)
		}
	}
	session := func(set map[string]any) map[string]any {
		set["session_id"], set["prompt_id"] = "teaching", "p1"
		return set
	}
	hook("SessionStart.startup", session(map[string]any{}))
	hook("UserPromptSubmit", session(map[string]any{"prompt": "From now on always round the till to five cents."}))
	for i := range 3 {
		send(t, p, i)
	}
	hook("Stop", session(map[string]any{"last_assistant_message": "I decided to keep amounts as integer cents, " +
		"because floats lose them."}))
	for _, text := range []string{"the drawer opens twice", "the drawer opens two times", "the launch code is swordfish"} {
		p.Run("add", text)
	}
	ids := found(t, p, "drawer opens")
	p.Run("pin", ids[0])
	p.Run("mark", ids[0], "useful")
	p.Run("forget", ids[1])
	p.Run("restore", ids[1])
	p.Run("forget", ids[1])
	p.Run("purge", found(t, p, "swordfish")[0], "--yes")
	p.Run("consolidate")
	p.Run("pause", "--for", "1s")
	p.Run("resume")
	p.StopWorker()
}

// found returns the ids of the memories that a search finds, best first.
func found(t *testing.T, p *world.Person, query string) (ids []string) {
	t.Helper()
	var v struct {
		Results []struct{ ID string }
	}
	out := p.Run("search", query, "--json", "--limit", "5")
	if err := json.Unmarshal([]byte(out), &v); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, r := range v.Results {
		ids = append(ids, r.ID)
	}
	if len(ids) == 0 {
		t.Fatalf("%q is not found: %s", query, out)
	}
	return ids
}

// enrich gives some memories vectors, and links them.
func enrich(t *testing.T, p *world.Person) {
	t.Helper()
	s, err := sqlite.Open(t.Context(), sqlite.Config{Path: filepath.Join(p.Data(), "remanence.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ms, err := s.List(t.Context(), mem.Query{Limit: 20})
	if err != nil {
		t.Fatal(err)
	}
	var vs []mem.Vector
	for i, m := range ms {
		v := mem.Vector{Memory: m.ID, Updated: m.Updated, Values: []float32{float32(i), 1, -2, 0.5}}
		if i == 3 {
			v.Values = nil // the model has none for it
		}
		vs = append(vs, v)
	}
	if err := s.PutVectors(t.Context(), "model", vs); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Apply(t.Context(), mem.Batch{Links: []mem.MemoryLinks{{
		Memory: ms[0].ID, Updated: ms[0].Updated,
		Entities: []mem.NamedEntity{{Kind: mem.EntityFile, Name: "till.go", Confidence: 0.7}},
		Links:    []mem.Link{{From: ms[0].ID, To: ms[1].ID, Kind: mem.LinkRelatedTo, Confidence: 0.3}},
	}}}); err != nil {
		t.Fatal(err)
	}
}

// move moves the store without a daemon, and returns what the command said of it.
func move(t testing.TB, p *world.Person, to string) (v struct {
	Rows, Known int
	Tables      []struct {
		Table string
		Rows  int
	}
	Before string
},
) {
	t.Helper()
	out := p.Run("--no-daemon", "db", "move", "--to", to, "--yes", "--json")
	if err := json.Unmarshal([]byte(out), &v); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return v
}

// export returns an export of the file.
func export(t *testing.T, p *world.Person) string {
	t.Helper()
	return p.Run("--no-daemon", "export", "--format", "jsonl")
}

func TestAStoreMovesToAServerAndBackWithoutALoss(t *testing.T) {
	t.Parallel()
	p, server := newMover(t, 300)
	live(t, p)
	enrich(t, p)
	before := export(t, p)
	file, err := os.ReadFile(filepath.Join(p.Data(), "remanence.db"))
	if err != nil {
		t.Fatal(err)
	}
	out := p.Run("--no-daemon", "db", "move", "--to", server.DSN(), "--dry-run")
	if !strings.Contains(out, "PostgreSQL") || !strings.Contains(out, "nothing was written") {
		t.Errorf("dry run: %s", out)
	}
	if n, _ := server.Query("remanence", "SELECT count(*) FROM pg_tables WHERE schemaname = 'remanence'"); n != "0" {
		t.Errorf("a dry run made %s tables", n)
	}
	there := move(t, p, server.DSN())
	tables := map[string]int{}
	for _, table := range there.Tables {
		tables[table.Table] = table.Rows
	}
	for _, table := range []string{
		"project", "project_common", "project_root", "session", "told", "turn", "event", "memory", "receipt", "relation",
		"entity", "mention", "run", "change", "dismissed", "silence", "vector", "counter",
	} {
		if tables[table] == 0 {
			t.Errorf("no row of %s was moved: this proves little: %v", table, tables)
		}
	}
	if now, err := os.ReadFile(filepath.Join(p.Data(), "remanence.db")); err != nil || !bytes.Equal(now, file) {
		t.Errorf("the file of before has changed: %v", err)
	}
	if out := p.Run("config", "get", "store.dsn"); !strings.Contains(out, server.DSN()) {
		t.Errorf("store.dsn is %s", out)
	}
	back := move(t, p, "sqlite:")
	if back.Rows != there.Rows || back.Before == "" {
		t.Errorf("%+v came back of %+v", back, there)
	}
	if after := export(t, p); after != before {
		t.Errorf("another export than before: %s", firstDifference(before, after))
	}
	if out := p.Run("db", "check", "--full"); !strings.Contains(out, "ok") || strings.Contains(out, "fail") {
		t.Errorf("check: %s", out)
	}
	// What was moved back stays on the server: it is not mixed with what comes.
	p.Run("add", "the scales are calibrated on Mondays")
	out2, err := p.Command("db", "move", "--to", server.DSN(), "--yes").CombinedOutput()
	if err == nil || !strings.Contains(string(out2), "REM-S023") || !strings.Contains(string(out2), "DROP SCHEMA") {
		t.Errorf("a move to a server with other memories: %v, %s", err, out2)
	}
}

// firstDifference returns the first lines in which two texts differ.
func firstDifference(a, b string) string {
	as, bs := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(as), len(bs)) {
		if as[i] != bs[i] {
			return fmt.Sprintf("line %d\n%s\n%s", i+1, as[i], bs[i])
		}
	}
	return fmt.Sprintf("%d lines, %d lines", len(as), len(bs))
}

func TestTheSameIsFoundAndInjectedAfterAMove(t *testing.T) {
	t.Parallel()
	p, server := newMover(t, 100)
	live(t, p)
	look := func() (seen []string) {
		for _, query := range []string{"till five cents", "drawer", "integer cents floats"} {
			ids := found(t, p, query)
			seen = append(seen, query+": "+ids[0])
			slices.Sort(ids)
			seen = append(seen, fmt.Sprint(ids))
		}
		a := p.Hook(p.Payload("SessionStart.startup", map[string]any{"session_id": "next"}))
		if !strings.Contains(string(a.Stdout), "five cents") {
			t.Errorf("the briefing lacks what was taught: %s", a.Stdout)
		}
		return append(seen, regexp.MustCompile(`\br_[0-9a-z]+`).ReplaceAllString(string(a.Stdout), "r_"))
	}
	p.StopWorker()
	move(t, p, server.DSN())
	onServer := look()
	p.StopWorker()
	p.Run("config", "set", "store.dsn", "sqlite:") // the file is as it was before the move
	onFile := look()
	for i := range onFile {
		if onFile[i] != onServer[i] {
			t.Errorf("file:   %s\nserver: %s", onFile[i], onServer[i])
		}
	}
}

// A move that is killed goes on where it was, and nothing uses the half of it meanwhile.
func TestAKilledMoveGoesOn(t *testing.T) {
	t.Parallel()
	t.Run("where it was", func(t *testing.T) {
		t.Parallel()
		killAndMove(t, false)
	})
	// What was copied is not what is to be copied any more.
	t.Run("anew if the store changed", func(t *testing.T) {
		t.Parallel()
		killAndMove(t, true)
	})
}

func killAndMove(t *testing.T, changes bool) {
	p, server := newMover(t, 3000)
	cmd := p.Command("--no-daemon", "db", "move", "--to", server.DSN(), "--yes")
	var errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &errs, &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	some := func() bool {
		n, err := server.Query("remanence", "SELECT count(*) > 1000 FROM remanence.memory")
		return err == nil && n == "t"
	}
	for end := time.Now().Add(2 * time.Minute); !some() && time.Now().Before(end); {
		time.Sleep(5 * time.Millisecond)
	}
	_ = cmd.Process.Kill()
	if err := cmd.Wait(); err == nil {
		t.Fatalf("it had ended already: %s", errs.String())
	}
	if out := p.Run("config", "get", "store.dsn"); !strings.Contains(out, "sqlite:") {
		t.Errorf("store.dsn is %s", out)
	}
	half := p.Command("status")
	half.Env = append(half.Env, "REMANENCE_STORE_DSN="+server.DSN())
	if out, err := half.CombinedOutput(); err == nil || !strings.Contains(string(out), "db move") {
		t.Errorf("a store of which a half is there: %v, %s", err, out)
	}
	if changes {
		p.Run("edit", "m_1", "--text", "the drawer opens once")
	}
	p.StopWorker()
	if v := move(t, p, server.DSN()); (v.Known == 0) != changes || v.Known >= v.Rows {
		t.Errorf("%d of %d rows were there already", v.Known, v.Rows)
	}
	if n, _ := server.Query("remanence", "SELECT count(*) FROM remanence.memory"); n != "3000" {
		t.Errorf("%s memories", n)
	}
}

func TestAProgramWithoutTheClientCannotMove(t *testing.T) {
	t.Parallel()
	p := world.NewPerson(t)
	p.Run("add", "the drawer opens twice")
	out, err := p.Command("db", "move", "--to", "postgres://u@127.0.0.1:1/x", "--yes").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "make build TAGS=postgres") {
		t.Errorf("%v: %s", err, out)
	}
	cmd := p.Command("db", "move", "--to", "postgres://u@127.0.0.1:1/x", "--yes")
	cmd.Env = append(cmd.Env, "CLAUDECODE=1")
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "only a person") {
		t.Errorf("an agent: %v: %s", err, out)
	}
}
