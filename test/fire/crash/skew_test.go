//go:build fire

package crash

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"remanence/internal/spool"
	"remanence/test/tier"
	"remanence/test/world"
)

// Versions of the two programs that meet.
const (
	before = "0.0.9"
	after  = "9.9.9"
)

// build makes the program with another version.
func build(t *testing.T, version string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "remanence-"+version)
	if err := world.Build(file, "-ldflags", "-s -w -X remanence/internal/config.Version="+version); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestHooksAndDaemonsOfTwoVersionsLoseNothing(t *testing.T) {
	programs := map[string]string{before: build(t, before), after: build(t, after)}
	for round := range tier.Runs(2, 50) {
		for _, c := range []struct {
			name, first string
			want        []string // versions that served, in their order
		}{
			{"the older serves", before, []string{before, after}},
			{"the newer serves", after, []string{after}},
		} {
			t.Run(fmt.Sprintf("%d %s", round+1, c.name), func(t *testing.T) {
				p := newPerson(t)
				p.Program = programs[c.first]
				p.StartWorker()
				meet(p, programs)
				p.Program = programs[after]
				p.StartWorker() // if every newer hook was held off so far

				p.Program = programs[before]
				answered := func() bool { // not at once, where one that was too slow holds the next off
					a := p.Hook(p.Payload("UserPromptSubmit", map[string]any{"session_id": "s", "prompt": "/remanence:on"}))
					return bytes.Contains(a.Stdout, []byte("on again"))
				}
				if !p.Eventually(answered) {
					t.Error("an older hook is not served by the newer worker")
				}
				if st, ok := drained(p); !ok {
					t.Fatalf("left in the spool: %+v", st)
				}
				p.Program = programs[after]
				p.StopWorker()
				if got := servedVersions(t, p); !slices.Equal(got, c.want) {
					t.Errorf("these served: %v, want %v", got, c.want)
				}
				checkMet(t, p)
			})
		}
	}
}

// How many hooks of each version meet, one after the other and side by side.
const (
	callers = 2
	calls   = 40
)

// meet calls hooks of all programs side by side.
func meet(p *world.Person, programs map[string]string) {
	var all sync.WaitGroup
	var next atomic.Int64
	for version, program := range programs {
		for n := range callers {
			q := *p
			q.Program = program
			all.Go(func() {
				for i := range calls {
					s := scene{mark: mark(next.Add(1)), session: fmt.Sprint(version, "-", n), kind: kinds[i%len(kinds)]}
					if a := q.Hook(s.payload(&q)); a.Status != 0 || len(a.Stderr) > 0 {
						q.T.Errorf("hook of %s: status %d, stderr %q", version, a.Status, a.Stderr)
					}
				}
			})
		}
	}
	all.Wait()
}

// checkMet fails the test unless every event of those who met is kept once, or
// counted as lost.
func checkMet(t *testing.T, p *world.Person) {
	t.Helper()
	db := openDatabase(t, p)
	got := stored(t, db)
	delete(got, "") // the word of the session that was switched on
	doubled, dropped, want := 0, 0, 2*callers*calls
	for _, n := range got {
		doubled += n - 1
	}
	for _, n := range spool.Counters(filepath.Join(p.State(), "spool")) {
		dropped += int(n)
	}
	t.Logf("%d events: kept %d, doubled %d, counted as lost %d", want, len(got), doubled, dropped)
	if len(got)+dropped < want || len(got) > want || doubled > 0 {
		t.Errorf("kept %d of %d, doubled %d, counted as lost %d", len(got), want, doubled, dropped)
	}
	checkWhole(t, db)
}

// servedVersions are the versions of the workers that served, one after the other.
func servedVersions(t *testing.T, p *world.Person) []string {
	t.Helper()
	log, err := os.ReadFile(filepath.Join(p.State(), "log", "remanence.log"))
	if err != nil {
		t.Fatal(err)
	}
	var versions []string
	for _, m := range regexp.MustCompile(`msg="worker started".* version=(\S+)`).FindAllSubmatch(log, -1) {
		versions = append(versions, string(m[1]))
	}
	return versions
}

func TestADatabaseOfANewerProgramIsNotWritten(t *testing.T) {
	p := newPerson(t)
	p.Hook(scene{mark: mark(0), session: "s", kind: kinds[0]}.payload(p))
	p.StartWorker()
	drained(p)
	p.StopWorker()
	db := openDatabase(t, p)
	schema := number(t, db, "PRAGMA user_version")
	setSchema(t, p, schema+1)
	was := sum(t, p)

	const events = 7
	for n := range events {
		kept := func() bool { // not at once, where a busy machine leaves a hook no time
			if a := p.Hook(scene{mark: mark(int64(n + 1)), session: "s", kind: kinds[n]}.payload(p)); a.Status != 0 ||
				len(a.Stderr) > 0 {
				t.Errorf("hook: status %d, stderr %q", a.Status, a.Stderr)
			}
			st, err := p.Spool().Stat()
			return err == nil && st.Records > n
		}
		if !p.Eventually(kept) {
			t.Fatalf("event %d is not spooled", n+1)
		}
	}
	if st, err := p.Spool().Stat(); err != nil || st.Records != events {
		t.Errorf("spooled %d, %v, want %d", st.Records, err, events)
	}
	if got := doctorCodes(t, p); !slices.Contains(got, "REM-S003") {
		t.Errorf("doctor says %v, want REM-S003 among it", got)
	}
	if !p.Eventually(func() bool { return len(p.Workers()) == 0 }) {
		t.Error("a worker stays on a database that it cannot use")
	}
	if got := sum(t, p); got != was {
		t.Error("the database of a newer program was written to")
	}

	setSchema(t, p, schema)
	p.StartWorker()
	if st, ok := drained(p); !ok {
		t.Fatalf("left in the spool: %+v", st)
	}
	p.StopWorker()
	got := stored(t, openDatabase(t, p))
	for n := range events + 1 {
		if got[mark(int64(n))] != 1 {
			t.Errorf("event %d is kept %d times, want once", n, got[mark(int64(n))])
		}
	}
}

// setSchema raises or lowers the version of the schema, which changes nothing else.
func setSchema(t *testing.T, p *world.Person, n int) {
	t.Helper()
	db := openDatabase(t, p)
	if _, err := db.Exec(fmt.Sprintf("PRAGMA user_version = %d", n)); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil { // the log is folded back
		t.Fatal(err)
	}
}

// sum is the checksum of the database and its log.
func sum(t *testing.T, p *world.Person) string {
	t.Helper()
	h := sha256.New()
	for _, suffix := range []string{"", "-wal"} {
		b, err := os.ReadFile(filepath.Join(p.Data(), "remanence.db"+suffix))
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		h.Write(b)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// doctorCodes are the codes of what doctor finds.
func doctorCodes(t *testing.T, p *world.Person) []string {
	t.Helper()
	out, _ := p.Command("doctor", "--json").Output() // finding something is a status of its own
	var v struct {
		Checks []struct {
			Code  *string
			State string
		}
	}
	if err := json.Unmarshal(out, &v); err != nil {
		t.Fatalf("doctor: %v\n%s", err, out)
	}
	var codes []string
	for _, c := range v.Checks {
		if c.Code != nil && !strings.EqualFold(c.State, "ok") {
			codes = append(codes, *c.Code)
		}
	}
	return codes
}
