//go:build backends && linux

package backends

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"remanence/test/pgserver"
	"remanence/test/world"
)

// program builds the program with the clients of both servers, once. Its hooks have time.
var program = built("with-clients", "-ldflags", "-X main.slack=20s")

// inTime builds the same with hooks that have no more time than they really have.
var inTime = built("with-clients-in-time")

func TestMain(m *testing.M) { os.Exit(world.Main(m)) }

// built returns a function that builds a program once.
func built(name string, flags ...string) func() (string, error) {
	return sync.OnceValues(func() (string, error) {
		file := filepath.Join(filepath.Dir(world.Binary), name)
		return file, world.Build(file, append([]string{"-tags", "backends"}, flags...)...)
	})
}

// newClient returns a person who has such a program.
func newClient(t testing.TB, program func() (string, error)) *world.Person {
	t.Helper()
	p := world.NewPerson(t)
	var err error
	if p.Program, err = program(); err != nil {
		t.Fatal(err)
	}
	return p
}

// newPerson returns a person whose memory is on a server of their own. The password is in ~/.pgpass.
func newPerson(t testing.TB) (*world.Person, *pgserver.Server) {
	t.Helper()
	server, err := pgserver.New(false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Remove(); err != nil {
			t.Error(err)
		}
	})
	p := newClient(t, program)
	line := fmt.Sprintf("127.0.0.1:%d:remanence:remanence:%s\n", server.Port, server.Password)
	if err := os.WriteFile(filepath.Join(p.Home, ".pgpass"), []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	p.Run("config", "set", "store.dsn", server.DSN())
	return p, server
}

// send sends one tool call of a session and returns its mark.
func send(t *testing.T, p *world.Person, n int) string {
	t.Helper()
	mark := fmt.Sprintf("mark%04d", n)
	a := p.Hook(p.Payload("PostToolUse.Bash", map[string]any{
		"session_id": "one", "tool_use_id": "toolu_" + mark, "prompt_id": "p1",
		"tool_input": map[string]any{"command": "make " + mark}, "tool_response": map[string]any{"stdout": "ok"},
	}))
	if a.Status != 0 {
		t.Errorf("event %d: exit status %d: %s", n, a.Status, a.Stderr)
	}
	return mark
}

func TestMemoryIsOnTheServerAlone(t *testing.T) {
	t.Parallel()
	p, server := newPerson(t)
	p.Run("add", "the till rounds to five cents", "--kind", "decision")
	for _, args := range [][]string{{"search", "rounding till"}, {"--no-daemon", "search", "tills"}} {
		if args[0] == "--no-daemon" {
			p.StopWorker()
		}
		if out := p.Run(args...); !strings.Contains(out, "the till rounds to five cents") {
			t.Errorf("%v: %s", args, out)
		}
	}
	if _, err := os.Stat(filepath.Join(p.Data(), "remanence.db")); !os.IsNotExist(err) {
		t.Errorf("a file was made beside: %v", err)
	}
	out := p.Run("db", "info")
	if !strings.Contains(out, "PostgreSQL") || !strings.Contains(out, fmt.Sprint(server.Port)) {
		t.Errorf("db info: %s", out)
	}
	for _, args := range [][]string{{"db", "check"}, {"db", "backup"}, {"db", "reindex"}} {
		out, err := p.Command(args...).CombinedOutput()
		if err == nil || !strings.Contains(string(out), "REM-S021") || !strings.Contains(string(out), "pg_dump") {
			t.Errorf("%v: %v, %s, want a refusal that names the server's own program", args, err, out)
		}
	}
	// The page comes from the daemon, whatever part of it is asked for.
	if out := p.Run("export", "--since", "30d", "--redact-paths"); !strings.Contains(out, "<html") {
		t.Errorf("export: %s, want a page", out)
	}
	doctor, _ := p.Command("doctor").CombinedOutput() // what else it finds is not of interest
	if !strings.Contains(string(doctor), "PostgreSQL") || strings.Contains(string(doctor), server.Password) {
		t.Errorf("doctor: %s", doctor)
	}
	if out := p.Traces(server.Password); len(out) != 1 || !strings.Contains(out[0], ".pgpass:") {
		t.Errorf("the password is in %v, want .pgpass alone", out)
	}
}

// A person decides by the preview: it names what a purge on a server does not reach, and erases nothing.
func TestAPurgeOnAServerNamesWhatItDoesNotReach(t *testing.T) {
	t.Parallel()
	p, _ := newPerson(t)
	p.Run("add", "the launch code is swordfish")
	old := filepath.Join(p.Data(), "remanence.db.aside-20260101T000000Z")
	if err := os.WriteFile(old, []byte("from before"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"--dry-run"}, {"--yes"}} {
		if out := p.Run("search", "swordfish"); !strings.Contains(out, "m_1") {
			t.Fatalf("before %v: %s, want the memory", args, out)
		}
		out := p.Run(append([]string{"purge", "m_1"}, args...)...)
		for _, want := range []string{
			"1 memory", "not reached: a copy of the SQLite file from before: " + old, "write-ahead log", "older transaction",
		} {
			if !strings.Contains(out, want) {
				t.Errorf("purge %v: %s, want %q", args, out, want)
			}
		}
		if strings.Contains(out, "which holds it too") {
			t.Errorf("purge %v: %s, but it removes no copy", args, out)
		}
	}
	if out := p.Run("search", "swordfish"); strings.Contains(out, "m_1") {
		t.Errorf("after the purge: %s", out)
	}
	erasesWords(t, p)
	if _, err := os.Stat(old); err != nil {
		t.Error(err)
	}
}

// erasesWords erases words that a memory, a prompt and the title of a session hold.
func erasesWords(t *testing.T, p *world.Person) {
	t.Helper()
	p.Run("add", "the Walrus lives on the pier")
	p.Hook(p.Payload("UserPromptSubmit", map[string]any{"session_id": "one", "prompt": "where does the walrus live?"}))
	if out := p.Run("purge", "--text", "walrus", "--dry-run"); !strings.Contains(out, "prompts") {
		t.Errorf("preview of words: %s, want the prompt counted", out)
	}
	p.Run("purge", "--text", "walrus", "--yes")
	if out := p.Run("purge", "--text", "walrus", "--dry-run"); !strings.Contains(out, "Nothing that is stored") {
		t.Errorf("after the purge of words: %s", out)
	}
}

func TestAPasswordInTheSettingIsRefusedAndNotShown(t *testing.T) {
	t.Parallel()
	p := world.NewPerson(t)
	out, err := p.Command("config", "set", "store.dsn", "postgres://u:hunter2@127.0.0.1/x").CombinedOutput()
	if err == nil || strings.Contains(string(out), "hunter2") {
		t.Errorf("config set: %v, %s", err, out)
	}
	p.Env = append(p.Env, "REMANENCE_STORE_DSN=postgres://u:hunter2@127.0.0.1:1/x")
	for _, args := range [][]string{
		{"config", "list"},
		{"config", "get", "store.dsn"},
		{"config", "list", "--json"},
		{"config", "validate"},
		{"status"},
		{"doctor"},
	} {
		if out, _ := p.Command(args...).CombinedOutput(); strings.Contains(string(out), "hunter2") {
			t.Errorf("%v shows the password: %s", args, out)
		}
	}
	if out := p.Traces("hunter2"); len(out) > 0 {
		t.Errorf("the password is in %v", out)
	}
}

func TestAProgramWithoutTheClientSaysSo(t *testing.T) {
	t.Parallel()
	p := world.NewPerson(t)
	p.Run("config", "set", "store.dsn", "postgres://u@127.0.0.1:1/x")
	out, err := p.Command("status").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "without PostgreSQL") {
		t.Errorf("status: %v, %s", err, out)
	}
	if _, err := os.Stat(filepath.Join(p.Data(), "remanence.db")); !os.IsNotExist(err) {
		t.Errorf("a file was made in its place: %v", err)
	}
	if send(t, p, 1); p.Spool().Empty() {
		t.Error("the event does not wait in the spool")
	}
}

// A server that is killed loses nothing: hooks spool, exit well, and the daemon takes all of it in when it is back.
func TestEventsWaitInTheSpoolWhileTheServerIsAway(t *testing.T) {
	t.Parallel()
	p, server := newPerson(t)
	p.StartWorker()
	var marks []string
	for i := range 5 {
		marks = append(marks, send(t, p, i))
	}
	if err := server.Kill(); err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		marks = append(marks, send(t, p, 100+i))
	}
	if p.Spool().Empty() {
		t.Error("nothing is in the spool while the server is away")
	}
	p.StopWorker() // and a daemon that starts without the server
	marks = append(marks, send(t, p, 200))
	out, err := p.Command("status").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "REM-S020") {
		t.Errorf("status without a server: %v, %s", err, out)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	all := func() bool {
		_ = p.Command("daemon", "start").Run()
		return p.Spool().Empty()
	}
	if !p.Eventually(all) {
		t.Fatalf("the spool is not taken in: %s", p.Run("status"))
	}
	for _, mark := range marks {
		n, err := server.Query("remanence", "SELECT count(*) FROM remanence.event WHERE payload LIKE '%make "+mark+"%'")
		if err != nil || n != "1" {
			t.Errorf("%s is stored %s times, %v, want once", mark, n, err)
		}
	}
}
