//go:build fire

package crash

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"remanence/internal/spool"
	"remanence/test/world"
)

func TestStalledWorkIsReportedWithinAMinute(t *testing.T) {
	for name, put := range map[string]struct{ notBefore, leased time.Duration }{
		"a job that is put off for ever": {notBefore: time.Hour},
		"a job whose lease does not end": {leased: time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			p := patient(t)
			p.Hook(scene{mark: mark(0), session: "s", kind: kinds[0]}.payload(p))
			p.StartWorker()
			drained(p)
			if got := faults(t, p); len(got) > 0 {
				t.Fatalf("before: %v, want no fault", got)
			}
			db := openDatabase(t, p) // beside a daemon that runs: the next one to start ends all leases
			now := time.Now()
			if _, err := db.Exec(`INSERT INTO job (id, kind, key, data, not_before, attempts, created, error, dead, leased)
				VALUES ('j_stuck', 'digest', '', '{}', ?, 1, ?, '', 0, ?)`,
				now.Add(put.notBefore).UnixNano(), now.Add(-time.Minute).UnixNano(), now.Add(put.leased).UnixNano()); err != nil {
				t.Fatal(err)
			}
			_ = db.Close()
			got := faults(t, p)
			for end := time.Now().Add(time.Minute); len(got) == 0 && time.Now().Before(end); got = faults(t, p) {
				time.Sleep(200 * time.Millisecond) // a daemon that has just started may be about to do it
			}
			if !slices.Equal(got, []string{"REM-D005"}) {
				t.Errorf("status says %v, want REM-D005", got)
			}
			if out := p.Run("status"); !strings.Contains(out, "fault: background work is behind") {
				t.Errorf("status does not say it to a person:\n%s", out)
			}
			if got := doctorCodes(t, p); !slices.Contains(got, "REM-D005") {
				t.Errorf("doctor says %v, want REM-D005 among it", got)
			}
		})
	}
}

func TestLostEventsAreShownAtOnce(t *testing.T) {
	p := patient(t)
	if a := p.Hook([]byte(`{"hook_event_name":"Stop"`)); a.Status != 0 { // half an object
		t.Errorf("status %d, want 0", a.Status)
	}
	if n := spool.Counters(p.State() + "/spool")["input"]; n != 1 {
		t.Errorf("counted %d lost, want 1", n)
	}
	if out := p.Run("status"); !strings.Contains(out, "fault: 1 event was lost so far") {
		t.Errorf("status does not say it:\n%s", out)
	}
	if got := doctorCodes(t, p); !slices.Contains(got, "REM-H014") {
		t.Errorf("doctor says %v, want REM-H014 among it", got)
	}
}

// faults are the codes of what the overview finds standing still.
func faults(t *testing.T, p *world.Person) []string {
	t.Helper()
	var v struct{ Faults []struct{ Code string } }
	if err := json.Unmarshal([]byte(p.Run("status", "--json")), &v); err != nil {
		t.Fatal(err)
	}
	var codes []string
	for _, f := range v.Faults {
		codes = append(codes, f.Code)
	}
	return codes
}
