package cli

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"remanence/internal/api"
	"remanence/internal/chars"
	"remanence/internal/cli/ui"
	"remanence/internal/config"
	"remanence/internal/daemon"
	"remanence/internal/mem"
	"remanence/internal/setup"
)

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }

// openDaemon returns a daemon, not serving, in a home of its own.
func openDaemon(t *testing.T) (*daemon.Daemon, config.Paths) {
	t.Helper()
	getenv := environment(map[string]string{"HOME": t.TempDir()})
	p, err := config.FindPaths(getenv, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(p.MakeWork(), os.MkdirAll(p.Data, 0o700)); err != nil {
		t.Fatal(err)
	}
	h, err := daemon.New(t.Context(), config.System{Getenv: getenv, Now: time.Now, Slack: time.Minute}, p, discard(),
		daemon.Extension{})
	if err != nil {
		t.Fatal(err)
	}
	return h, p
}

func TestTagsThatReachedTheStoreAreFound(t *testing.T) {
	h, _ := openDaemon(t)
	defer h.Store.Close()
	now := time.Now()
	memory := func(body string) mem.Memory {
		return mem.Memory{
			Scope: mem.ScopeUser, Kind: mem.Fact, Title: chars.Clip(body, 20), Body: body, Created: now,
			Updated: now,
		}
	}
	event := mem.Event{
		ID: "e_1", Kind: mem.PostToolUse, Session: "s", At: now,
		Input: json.RawMessage(`{"command":"echo \u003cRemanence-Context id=1>"}`),
	}
	if _, err := h.Store.Apply(t.Context(),
		mem.Batch{Memories: []mem.Memory{memory("this is a private matter"), memory("of <private>the bank</private>")}},
		mem.Batch{
			Event: &event, Session: &mem.SessionChange{Agent: "claude-code"},
		}); err != nil {
		t.Fatal(err)
	}
	got, err := h.Examine(t.Context(), api.Nothing{})
	if want := []string{"m_2", "e_1"}; err != nil || !slices.Equal(got.Tagged, want) {
		t.Errorf("got %v, %v, want %v", got.Tagged, err, want)
	}
}

func TestAClosedStoreReportsItsOwnFault(t *testing.T) {
	for _, tc := range []struct {
		name   string
		damage func(t *testing.T, file string)
		code   string
	}{
		{"nothing", func(*testing.T, string) {}, ""},
		{"newer", func(t *testing.T, file string) {
			patch(t, file, 60, binary.BigEndian.AppendUint32(nil, 9999))
		}, "REM-S003"},
		{"foreign", func(t *testing.T, file string) { patch(t, file, 0, []byte("somebody's notes")) }, "REM-S009"},
		{"damaged", func(t *testing.T, file string) { patch(t, file, 100, make([]byte, 20<<10)) }, "REM-S002"},
	} {
		h, p := openDaemon(t)
		m := mem.Memory{
			Scope: mem.ScopeUser, Kind: mem.Fact, Title: "what can still be read", Created: time.Now(),
			Updated: time.Now(),
		}
		_, err := h.Store.Apply(t.Context(), mem.Batch{Memories: []mem.Memory{m}})
		if err = errors.Join(err, h.Store.Close()); err != nil {
			t.Fatal(err)
		}
		tc.damage(t, p.Database())
		a := &app{Connection: &daemon.Connection{Sys: h.Sys, Paths: p}}
		item := a.checks().CheckClosedStore(t.Context())[0]
		state := setup.Fail
		if tc.code == "" {
			state = setup.OK
		}
		if item.ID != "store" || item.State != state || ui.Deref(item.Code) != tc.code {
			t.Errorf("%s: got %s %s %s, want store %s %s", tc.name, item.ID, item.State, ui.Deref(item.Code), state, tc.code)
		}
	}
}

func patch(t *testing.T, file string, at int64, b []byte) {
	t.Helper()
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt(b, at); err != nil {
		t.Fatal(err)
	}
}

func TestTwoProjectsOfOneNameAreReported(t *testing.T) {
	h, p := openDaemon(t)
	defer h.Store.Close()
	day := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	for i, key := range []string{"p_aaaaaaaaaaaa", "p_bbbbbbbbbbbb"} {
		at := day.AddDate(0, 0, i)
		batch := mem.Batch{
			Event:   &mem.Event{ID: "e_" + key, Kind: mem.Stop, Session: key, At: at},
			Project: &mem.Project{Key: key, Name: "api", Root: "/" + key}, Session: &mem.SessionChange{
				Agent:   "claude-code",
				Project: key, ProjectName: "api",
			},
		}
		if _, err := h.Store.Apply(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		"api": "2 projects are called api; this is p_bbbbbbbbbbbb, last used 3 Mar 09:00\n", "p_aaaaaaaaaaaa": "", "": "",
		"all": "", "nobody": "",
	} {
		var said strings.Builder
		sys := config.System{Getenv: h.Sys.Getenv, Stdout: io.Discard, Stderr: &said, Now: func() time.Time {
			return day.AddDate(0, 0, 5)
		}}
		a := &app{Connection: &daemon.Connection{Sys: sys, Paths: p, Caller: api.Local(h.Bindings()), Project: name}}
		a.out = ui.NewPrinter(sys, a.flags)
		a.sayNamesakes(t.Context())
		if said.String() != want {
			t.Errorf("--project %q: got %q, want %q", name, said.String(), want)
		}
	}
}

func TestCopiesOfThePluginAreThoseOfTheAgentsDirectoryAlone(t *testing.T) {
	p := newMachine(t)
	dir := t.TempDir()
	own, other := filepath.Join(dir, "[ab]"), filepath.Join(dir, "a")
	for _, d := range []string{own, other} {
		for _, version := range []string{"0.0.1", config.Version} {
			if err := os.MkdirAll(filepath.Join(d, "plugins", "cache", "m", "remanence", version), 0o700); err != nil {
				t.Fatal(err)
			}
		}
	}
	p.Sys.Getenv = environment(map[string]string{"HOME": dir, "CLAUDE_CONFIG_DIR": own})
	checks := p.checks().CheckPluginCache()
	if len(checks) != 1 || checks[0].Repair == nil {
		t.Fatalf("got %+v, want a copy that can go", checks)
	}
	if err := checks[0].Repair(t.Context()); err != nil {
		t.Fatal(err)
	}
	if config.Exists(filepath.Join(own, "plugins", "cache", "m", "remanence", "0.0.1")) ||
		!config.Exists(filepath.Join(other, "plugins", "cache", "m", "remanence", "0.0.1")) {
		t.Error("the copy of another directory went")
	}
}

func TestABundleNamesNoHomeHoweverItIsWritten(t *testing.T) {
	getenv := environment(map[string]string{"USERPROFILE": `C:\Users\mo`})
	a := &app{Connection: &daemon.Connection{Sys: config.System{Getenv: getenv}}}
	if got, want := a.unnamed(`{"file":"C:\\Users\\mo\\x"} C:\Users\mo\y`), `{"file":"~\\x"} ~\y`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
