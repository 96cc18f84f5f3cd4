//go:build fire && linux

package fault

import (
	"bytes"
	"errors"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"remanence/internal/spool"
	_ "remanence/internal/store/sqlite" // brings the driver
	"remanence/test/world"
)

// A scene mostly waits, so more of them run at a time than there are cores.
const scenesAtOnce = "6"

func TestMain(m *testing.M) {
	flag.Parse()
	if f := flag.Lookup("test.parallel"); f != nil {
		_ = f.Value.Set(scenesAtOnce)
	}
	os.Exit(apart(func() int { return world.Main(m) }))
}

// scene is a person, a fault laid on what is his, and how to lift it.
type scene struct {
	*world.Person
	t      *testing.T
	temp   string   // the temporary directory
	prefix []string // what hooks are run by
	env    []string // more of the hook's environment
	lifts  []func() // in the order of laying
	lifted bool
}

func newScene(t *testing.T) *scene {
	s := &scene{Person: world.NewPerson(t), t: t}
	s.temp = s.room()
	s.need(os.Chmod(s.temp, 0o777|os.ModeSticky))
	s.Env = []string{"TMPDIR=" + s.temp}
	t.Cleanup(s.lift) // before the person leaves
	return s
}

// room is a directory whose path is short enough for a socket in it.
func (s *scene) room() string {
	dir, err := os.MkdirTemp("", "r")
	s.need(err)
	s.t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// lifting adds what undoes a fault.
func (s *scene) lifting(undo func()) { s.lifts = append(s.lifts, undo) }

// lift undoes the fault, the last part first.
func (s *scene) lift() {
	if s.lifted {
		return
	}
	s.lifted = true
	for i := len(s.lifts) - 1; i >= 0; i-- {
		s.lifts[i]()
	}
}

// worker starts the worker and gives it something to inject.
func (s *scene) worker() {
	s.StartWorker()
	s.Run("add", "the till rounds to five cents", "--kind", "decision")
}

func (s *scene) hook(payload []byte) world.Answer { return s.Await(s.call(payload)) }

// call is a hook call that runs under the scene's prefix.
func (s *scene) call(payload []byte) *exec.Cmd {
	cmd := s.HookCommand(payload)
	cmd.Env = append(cmd.Env, s.env...)
	s.under(cmd, s.prefix...)
	return cmd
}

// under makes a command run by another one.
func (s *scene) under(cmd *exec.Cmd, prefix ...string) {
	s.t.Helper()
	if len(prefix) == 0 {
		return
	}
	program, err := exec.LookPath(prefix[0])
	if err != nil {
		s.missing(prefix[0])
	}
	cmd.Args = append(append([]string{}, prefix...), append([]string{cmd.Path}, cmd.Args[1:]...)...)
	cmd.Path = program
}

// missing ends a test that the machine cannot do.
func (s *scene) missing(what string) {
	s.t.Helper()
	if os.Getenv("CI") == "true" {
		s.t.Fatalf("this machine lacks %s", what)
	}
	s.t.Skipf("not proved here: this machine lacks %s", what)
}

// need fails the test on an error of laying a fault.
func (s *scene) need(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *scene) must(name string, args ...string) {
	s.t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		s.t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
}

func (s *scene) run() string      { return filepath.Join(s.State(), "run") }
func (s *scene) database() string { return filepath.Join(s.Data(), "remanence.db") }

// forget takes away the stamps that an earlier call has left, so that every
// call meets the fault itself.
func (s *scene) forget() {
	for _, stamp := range []string{"hold", "shy", "slow", "start"} {
		_ = os.Remove(filepath.Join(s.run(), stamp))
	}
}

// age makes a stamp so old.
func (s *scene) age(stamp string, by time.Duration) {
	s.t.Helper()
	file := filepath.Join(s.run(), stamp)
	then := time.Now().Add(-by)
	s.need(os.Chtimes(file, then, then))
}

// lost is how many events are counted as lost. What is left of a short write is
// found damaged later, and does not say that an event is lost.
func (s *scene) lost() int {
	n := int64(0)
	fallbacks, _ := filepath.Glob(filepath.Join(s.temp, "remanence-*", "lost-*"))
	for reason, c := range spool.Counters(filepath.Join(s.State(), "spool"), fallbacks...) {
		if reason != "damaged" {
			n += c
		}
	}
	return int(n)
}

// waits reports whether the spool holds an event of a session.
func (s *scene) waits(session string) bool {
	found := false
	_ = filepath.WalkDir(filepath.Join(s.State(), "spool", "pending"), func(file string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			b, _ := os.ReadFile(file)
			found = found || bytes.Contains(b, []byte(session))
		}
		return nil
	})
	return found
}

// onlyOneWorker fails if a process other than one worker is left after the
// calls, once it has had time to end, on a busy machine too.
func (s *scene) onlyOneWorker() {
	s.t.Helper()
	var left map[int]string
	s.Eventually(func() bool { left = s.Processes(); return len(left) <= 1 })
	if len(left) > 1 {
		s.t.Errorf("processes are left: %v", left)
	}
	for pid, cmd := range left {
		if !strings.Contains(cmd, "daemon run") {
			s.t.Errorf("left behind: %d %s", pid, cmd)
		}
	}
}

// recover lifts the fault and lets a worker take in what waits.
func (s *scene) recover() {
	s.t.Helper()
	s.lift()
	s.prefix, s.env = nil, nil
	s.forget()
	s.StartWorker()
	var left spool.Stat
	taken := func() (ok bool) { // what a call left unfinished stays for an hour, and is no event
		st, err := s.Spool().Stat()
		left = st
		return err == nil && st.Records == 0
	}
	if !s.Eventually(taken) {
		s.t.Errorf("the spool is not taken in: %+v", left)
	}
	s.StopWorker()
}

// kept counts the events in the store by session.
func (s *scene) kept() map[string]int {
	s.t.Helper()
	db := s.open()
	defer db.Close()
	rows, err := db.Query("SELECT s.id, count(*) FROM event e JOIN session s ON s.number = e.session GROUP BY s.id")
	s.need(err)
	defer rows.Close()
	kept := map[string]int{}
	for rows.Next() {
		var session string
		var n int
		s.need(rows.Scan(&session, &n))
		kept[session] = n
	}
	s.need(errors.Join(rows.Err(), rows.Close()))
	return kept
}
