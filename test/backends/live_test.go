//go:build backends && linux

package backends

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"remanence/internal/api"
	"remanence/test/pgserver"
	"remanence/test/world"
)

// get requests a path of a person's daemon, and returns the body, which is closed when the test ends.
func get(t testing.TB, p *world.Person, path string) io.Reader {
	t.Helper()
	rt := p.StartWorker()
	client := &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", rt.Socket)
		},
	}}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://remanence"+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+rt.Token)
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	if res.StatusCode != http.StatusOK {
		t.Fatalf("%s answers %s", path, res.Status)
	}
	return res.Body
}

// indexes reports whether a person's daemon has its index in RAM.
func indexes(t testing.TB, p *world.Person) bool {
	t.Helper()
	text, err := io.ReadAll(get(t, p, "/metrics"))
	return err == nil && regexp.MustCompile(`(?m)^remanence_index_memories [1-9]`).Match(text)
}

// watch opens the stream of live changes of a person's daemon, and returns its lines.
func watch(t *testing.T, p *world.Person) <-chan string {
	t.Helper()
	body := get(t, p, api.EventsPath)
	lines := make(chan string, 1000)
	go func() {
		defer close(lines)
		for in := bufio.NewScanner(body); in.Scan(); {
			lines <- in.Text()
		}
	}()
	return lines
}

// shows waits for a line of a stream with all of some texts.
func shows(t *testing.T, lines <-chan string, texts ...string) {
	t.Helper()
	end := time.After(time.Minute)
next:
	for {
		select {
		case line, ok := <-lines:
			if !ok {
				t.Fatalf("the stream ended without %q", texts)
			}
			for _, text := range texts {
				if !strings.Contains(line, text) {
					continue next
				}
			}
			return
		case <-end:
			t.Fatalf("%q is not shown", texts)
		}
	}
}

// twoPersons are two with a daemon each on one server.
func twoPersons(t *testing.T) (one, two *world.Person, server *pgserver.Server) {
	t.Helper()
	one, server = newPerson(t)
	two = world.NewPerson(t)
	two.Program = one.Program
	pass, err := os.ReadFile(filepath.Join(one.Home, ".pgpass"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(two.Home, ".pgpass"), pass, 0o600); err != nil {
		t.Fatal(err)
	}
	two.Run("config", "set", "store.dsn", server.DSN())
	return one, two, server
}

// The pages of one daemon show what another daemon of the server writes, also after the server was away.
func TestTheLivePagesOfTwoDaemonsShowTheSame(t *testing.T) {
	t.Parallel()
	one, two, server := twoPersons(t)
	lines := watch(t, two)
	listening := func() bool {
		n, err := server.Query("remanence", "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'")
		return err == nil && n != "0"
	}
	if !two.Eventually(listening) {
		t.Fatal("no daemon listens")
	}
	one.Run("add", "the till rounds to five cents")
	shows(t, lines, api.NewObservation, "the till rounds to five cents")
	if a := one.Hook(one.Payload("UserPromptSubmit", map[string]any{
		"session_id": "one", "prompt_id": "p1", "prompt": "open the drawer at noon",
	})); a.Status != 0 {
		t.Fatalf("%s", a.Stderr)
	}
	shows(t, lines, api.NewPrompt, "open the drawer at noon")
	if err := server.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	shows(t, lines, api.Changed, `"memory"`, `"checkpoint"`) // pages reload what they may have missed
	one.Run("add", "the scales are calibrated on Mondays")
	shows(t, lines, api.NewObservation, "calibrated on Mondays")
	two.StopWorker()
}

// A daemon's index in RAM has what another daemon writes, edits and purges, also after the server was away.
func TestADaemonFindsWhatAnotherOneWrote(t *testing.T) {
	t.Parallel()
	one, two, server := twoPersons(t)
	one.StartWorker()
	indexed := func() bool { return indexes(t, two) }
	finds := func(words string) func() bool {
		return func() bool { return strings.Contains(two.Run("search", words, "--project", "all"), "m_") }
	}
	misses := func(words string) func() bool { return func() bool { return !finds(words)() } }
	expect := func(what string, so func() bool) {
		t.Helper()
		if !two.Eventually(so) {
			t.Error(what)
		}
	}
	one.Run("add", "the till rounds to five cents", "-k", "decision")
	expect("what another daemon wrote is not found", finds("till rounds"))
	expect("there is no index in RAM", indexed)
	id := regexp.MustCompile(`m_\w+`).FindString(one.Run("search", "till rounds", "--project", "all"))
	one.Run("edit", id, "--text", "the turnstile counts backwards")
	expect("what another daemon edited is not found", finds("turnstile backwards"))
	expect("text that another daemon replaced is found", misses("till rounds"))
	if err := server.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	expect("there is no index in RAM after the server was away", indexed)
	one.Run("add", "the scales are calibrated on Mondays", "-k", "decision")
	expect("what was written after the server was away is not found", finds("scales calibrated"))
	one.Run("purge", id, "--yes")
	expect("what another daemon purged is found", misses("turnstile backwards"))
	one.StopWorker()
	two.StopWorker()
}
