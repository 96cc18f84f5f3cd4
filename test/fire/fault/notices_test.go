//go:build fire && linux

package fault

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"remanence/test/world"
)

// patient is a scene whose hooks have the time to say what they have to, on a
// busy machine too.
func patient(t *testing.T) *scene {
	s := newScene(t)
	s.Program = world.Unhurried(t)
	return s
}

// noticeOf is the line for the person that an answer holds.
func noticeOf(t *testing.T, out []byte) string {
	t.Helper()
	if len(out) == 0 {
		return ""
	}
	var a hookOutput
	if err := json.Unmarshal(out, &a); err != nil {
		t.Fatalf("%v: %.200q", err, out)
	}
	return a.Notice
}

// opens starts a session, which is when the person is notified, and returns what is reported.
func (s *scene) opens(n int) string {
	s.t.Helper()
	s.forget()
	a := s.hook(s.Payload("SessionStart.startup",
		map[string]any{"session_id": fmt.Sprintf("fa000000-0000-4000-8000-0000000000%02d", n)}))
	if a.Status != 0 || len(a.Stderr) > 0 {
		s.t.Errorf("status %d, stderr %q", a.Status, a.Stderr)
	}
	notice := noticeOf(s.t, a.Stdout)
	if strings.HasPrefix(notice, "remanence: injected ") || strings.HasPrefix(notice, "remanence: listening") {
		return "" // the line of every start: nothing is reported
	}
	return notice
}

// says runs a command that may end in any way and returns all it printed.
func (s *scene) says(args ...string) string {
	s.t.Helper()
	out, _ := s.Command(args...).CombinedOutput()
	return string(out)
}

// A fault under which events are lost is reported when a session starts, once, with
// what fixes it; and when it is over, that something was lost.
func TestLostEventsAreReportedOnce(t *testing.T) {
	for _, c := range []struct {
		name   string
		lay    func(*scene)
		notice []string // at the first start under the fault
		doctor []string // what doctor says meanwhile
		add    string   // what add says meanwhile
	}{
		{
			"full disk, worker up", fullDisk(".local", true),
			[]string{"the disk is full", "Fix: free some space"},
			[]string{"could not be kept", "free some space"},
			"REM-S013",
		},
		{
			"full disk, no worker", fullDisk(".local", false),
			[]string{"the disk is full", "Fix: free some space"},
			[]string{"could not be kept", "free some space"},
			"",
		},
		{
			"spool at its cap", cappedSpool,
			[]string{"Fix: remanence doctor"},
			[]string{"could not be kept", "newer version"},
			"REM-S003",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := patient(t)
			c.lay(s)
			wants(t, "the first start", s.opens(1), c.notice...)
			if again := s.opens(2); again != "" {
				t.Errorf("reported again: %s", again)
			}
			wants(t, "doctor under the fault", s.says("doctor"), c.doctor...)
			if c.add != "" {
				wants(t, "add under the fault", s.says("add", "one more"), c.add)
			}
			s.recover()
			s.StartWorker()
			lost := fmt.Sprint(s.lost(), " events ")
			wants(t, "the first start afterwards", s.opens(3), lost+"could not be kept", "Fix: remanence doctor")
			if again := s.opens(4); again != "" {
				t.Errorf("reported again: %s", again)
			}
			wants(t, "doctor afterwards", s.says("doctor"), "events could not be kept", "REM-H014")
			wants(t, "status afterwards", s.says("status"), lost+"were lost")
			s.says("doctor", "--fix")
			if left := s.says("status"); strings.Contains(left, "lost") {
				t.Errorf("status after it was seen: %s", left)
			}
		})
	}
}

// What cannot be written cannot be noted as shown either: it is shown at every
// start while it lasts, and not in between.
func TestUnwritableStorageIsReported(t *testing.T) {
	for _, c := range []struct {
		name string
		lay  func(*scene)
		want []string
	}{
		{"read-only home", readOnly(false), []string{"cannot be written", "Fix: make it writable"}},
		{"no right to write", withoutRight, []string{"cannot be written", "Fix: make it writable"}},
		{"no home", func(s *scene) { s.env = []string{"HOME="} }, []string{"no home directory", "Fix: set HOME"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := patient(t)
			c.lay(s)
			wants(t, "a start", s.opens(1), c.want...)
			if a := s.hook(s.Payload("UserPromptSubmit", nil)); len(a.Stdout) > 0 {
				t.Errorf("a prompt was answered with %s", a.Stdout)
			}
			wants(t, "the next start", s.opens(2), c.want...)
		})
	}
}

// A fault under which events are only held is reported once they have waited for a
// while, or at once where the worker knows why it cannot work.
func TestSpooledEventsAreReportedOnce(t *testing.T) {
	for _, c := range []struct {
		name   string
		lay    func(*scene)
		notice []string
		doctor []string
	}{
		{"worker stopped", stoppedWorker, []string{"events wait since", "Fix: remanence doctor"}, []string{"REM-D00"}},
		{"newer schema", newerSchema, []string{"newer version", "Fix: remanence doctor"}, []string{"REM-S003"}},
		{"database damaged", damaged(func(b []byte) []byte {
			clear(b[:100])
			return b
		}), []string{"damaged", "Fix: remanence doctor"}, []string{"REM-S002"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := patient(t)
			c.lay(s)
			holds := func() bool {
				s.hook(s.Payload("UserPromptSubmit", nil))
				return s.waits(theSession)
			}
			if !s.Eventually(holds) { // at once, but on a busy machine
				t.Fatal("nothing is held")
			}
			s.opens(1) // a worker that cannot work says so only when it was tried
			_ = os.Remove(filepath.Join(s.State(), "notices.json"))
			long := time.Now().Add(-time.Hour)
			s.need(os.Chtimes(filepath.Join(s.State(), "spool", "pending"), long, long))
			wants(t, "a start", s.opens(2), c.notice...)
			if again := s.opens(3); again != "" {
				t.Errorf("reported again: %s", again)
			}
			wants(t, "doctor", s.says("doctor"), c.doctor...)
			s.lift()
			s.recover()
			if after := s.opens(4); after != "" && s.lost() == 0 {
				t.Errorf("reported afterwards, though nothing was lost: %s", after)
			}
			if got := s.kept()[theSession]; got != 1 {
				t.Errorf("the prompt that was held is kept %d times", got)
			}
		})
	}
}

// theSession is the one of recorded payloads.
const theSession = "993404b5-91aa-4a15-97f6-c25103f13900"

func wants(t *testing.T, what, got string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(got, w) {
			t.Errorf("%s: got %q, want %q in it", what, got, w)
		}
	}
}
