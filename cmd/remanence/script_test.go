package main

import (
	"bytes"
	"cmp"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// What hooks answer must not depend on what else the machine does: here they have
// time. A script in which one waits for an answer that never comes gives them less.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"remanence": func() {
		slack = cmp.Or(os.Getenv("HOOK_SLACK"), "1m")
		os.Exit(run())
	}})
}

// Every script is a person with a home and a project of his own.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			home, proj := filepath.Join(env.WorkDir, "home"), filepath.Join(env.WorkDir, "proj")
			for _, dir := range []string{home, proj} {
				if err := os.MkdirAll(dir, 0o700); err != nil {
					return err
				}
			}
			env.Setenv("HOME", home)
			env.Setenv("TZ", "Asia/Kathmandu") // a quarter past: a local time is never taken for UTC
			env.Setenv("NOON", noon(time.Now()))
			env.Cd = proj
			env.Defer(func() { endDaemons(env.WorkDir) })
			return nil
		},
		Cmds: commands(),
	})
}

// noon is the zone in which it is between twelve and one: a script that speaks of
// today sets it as its TZ, and no day ends while it runs. The names of these zones
// count westwards.
func noon(now time.Time) string { return fmt.Sprintf("Etc/GMT%+d", now.UTC().Hour()-12) }

func TestNoonIsIndependentOfTheTimeZone(t *testing.T) {
	for h := range 24 {
		now := time.Date(2026, 3, 1, h, 59, 0, 0, time.UTC)
		zone, err := time.LoadLocation(noon(now))
		if err != nil {
			t.Fatal(err)
		}
		if got := now.In(zone).Hour(); got != 12 {
			t.Errorf("%v in %v: hour %d", now, zone, got)
		}
	}
}

// commands are those of our own that scripts know.
func commands() map[string]func(*testscript.TestScript, bool, []string) {
	all := systemCommands()
	all["nodaemon"], all["drained"], all["json"], all["until"] = noDaemon, drained, jsonLine, until
	all["database"] = database
	maps.Copy(all, thesauri())
	maps.Copy(all, scribes())
	return all
}

// database makes a database of SQLite by the statements of a file: database FILE STATEMENTS.
func database(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: database file statements")
	}
	db, err := sql.Open("sqlite", ts.MkAbs(args[0]))
	ts.Check(err)
	_, err = db.Exec(ts.ReadFile(args[1]))
	ts.Check(err)
	ts.Check(db.Close())
}

// lastBreath is the time between a daemon's letting go of its lock, which a stop
// waits for, and the end of its process.
const lastBreath = 30 * time.Second

// noDaemon fails if a process of this script is left: the one that the runtime
// file names, or any whose environment names the script's directory.
func noDaemon(ts *testscript.TestScript, neg bool, _ []string) {
	if neg {
		ts.Fatalf("unsupported: ! nodaemon")
	}
	work := ts.Getenv("WORK")
	left := daemonsOf(work)
	for end := time.Now().Add(lastBreath); len(left) > 0 && time.Now().Before(end); left = daemonsOf(work) {
		time.Sleep(10 * time.Millisecond)
	}
	if len(left) > 0 {
		ts.Fatalf("processes are left: %v", left)
	}
}

// takeIn is how long a daemon may take for a few spooled events or jobs on a
// machine that has other things to do.
const takeIn = time.Minute

// drained waits until the daemon, which is started if none runs, has taken in
// what was spooled.
func drained(ts *testscript.TestScript, neg bool, _ []string) {
	if neg {
		ts.Fatalf("unsupported: ! drained")
	}
	for end := time.Now().Add(takeIn); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if err := ts.Exec("remanence", "status", "--json"); err != nil {
			ts.Fatalf("status: %v", err)
		}
		if strings.Contains(ts.ReadFile("stdout"), `"spooled_records":0`) {
			return
		}
	}
	ts.Fatalf("events are left in the spool")
}

// until runs a command again and again until its output holds a text, for as
// long as a daemon may take for a few jobs: until TEXT command...
func until(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: until text command [argument]...")
	}
	for end := time.Now().Add(takeIn); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if err := ts.Exec(args[1], args[2:]...); err == nil && strings.Contains(ts.ReadFile("stdout"), args[0]) {
			return
		}
	}
	ts.Fatalf("no %q in\n%s", args[0], ts.ReadFile("stdout"))
}

func runtimePID(work string) int {
	b, err := os.ReadFile(filepath.Join(work, "home", ".local", "state", "remanence", "run", "runtime.json"))
	var rt struct{ PID int }
	if err != nil || json.Unmarshal(b, &rt) != nil {
		return 0
	}
	return rt.PID
}

// alive reports whether a process runs; one that has ended and waits for its
// parent does not.
func alive(pid int) bool {
	if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil {
		_, rest, _ := bytes.Cut(stat, []byte(") "))
		return !bytes.HasPrefix(rest, []byte("Z"))
	}
	p, err := os.FindProcess(pid)
	return err == nil && p.Signal(syscall.Signal(0)) == nil
}

// daemonsOf finds our processes: by the runtime file and, where /proc shows it,
// by their environment.
func daemonsOf(work string) []int {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	var out []int
	if pid := runtimePID(work); pid > 0 && alive(pid) {
		out = append(out, pid)
	}
	for _, dir := range dirs {
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil || pid == os.Getpid() {
			continue
		}
		environ, _ := os.ReadFile(filepath.Join(dir, "environ"))
		cmdline, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		if bytes.Contains(environ, []byte("HOME="+work+"/")) && bytes.Contains(cmdline, []byte("daemon\x00run")) &&
			alive(pid) {
			out = append(out, pid)
		}
	}
	return out
}

// endDaemons ends what a failed script has left.
func endDaemons(work string) {
	for _, pid := range daemonsOf(work) {
		if p, err := os.FindProcess(pid); err == nil {
			_ = p.Signal(syscall.SIGTERM)
		}
	}
	for end := time.Now().Add(5 * time.Second); len(daemonsOf(work)) > 0 && time.Now().Before(end); {
		time.Sleep(20 * time.Millisecond)
	}
}

// jsonLine checks that the last standard output (or a named stream) is one JSON
// object of a schema, and that all times in it are in UTC: json [stderr] NAME.
func jsonLine(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: json [stderr] schema")
	}
	stream := "stdout"
	if len(args) == 2 {
		stream = args[0]
	}
	text := ts.ReadFile(stream)
	var v struct{ Schema string }
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		ts.Fatalf("%s is not one JSON object: %v", stream, err)
	}
	if want := "remanence." + args[len(args)-1] + "/v1"; v.Schema != want {
		ts.Fatalf("got schema %q, want %q", v.Schema, want)
	}
	for _, at := range times.FindAllString(text, -1) {
		if at = strings.Trim(at, `"`); !isUTC(at) {
			ts.Fatalf("%s is no time of RFC 3339 in UTC, in %s", at, text)
		}
	}
}

// times are the JSON strings that begin with a day and an hour.
var times = regexp.MustCompile(`"\d{4}-\d\d-\d\d[T ]\d\d[^"]*"`)

func isUTC(s string) bool {
	_, err := time.Parse(time.RFC3339Nano, s)
	return err == nil && strings.HasSuffix(s, "Z")
}

func TestATimeIsInUTC(t *testing.T) {
	for at, want := range map[string]bool{
		"2026-03-01T12:00:00Z": true, "2026-03-01T12:00:00.123456789Z": true, "2026-03-01T12:00:00": false,
		"2026-03-01 12:00:00Z": false, "2026-03-01T12:00:00+05:45": false, "2026-03-01T12:00Z": false,
	} {
		if got := isUTC(at); got != want {
			t.Errorf("%s: got %v, want %v", at, got, want)
		}
		if !times.MatchString(`"` + at + `"`) {
			t.Errorf("%s is not examined", at)
		}
	}
}
