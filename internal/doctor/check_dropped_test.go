package doctor

import (
	"strings"
	"testing"

	"remanence/internal/cli/ui"
	"remanence/internal/config"
	"remanence/internal/daemon"
	"remanence/internal/spool"
)

func TestLostEventsComeWithTheirCauseAndWhatToDo(t *testing.T) {
	p, err := config.FindPaths(environment(map[string]string{"HOME": t.TempDir()}), "")
	if err != nil {
		t.Fatal(err)
	}
	s := spool.Open(spool.Config{Dir: p.Spool()})
	for _, counter := range []string{"refused-stop", "damaged", "damaged"} {
		s.Count(counter)
	}
	a := &Checks{Connection: &daemon.Connection{Paths: p}}
	c := a.checkDropped()
	if got, want := ui.Deref(c.Why), "1 stop while the spool was full, 2 damaged in the spool"; got != want {
		t.Errorf("why: %q, want %q", got, want)
	}
	if !strings.Contains(strings.Join(c.Fix, "\n"), "free disk space") || c.Repair == nil {
		t.Errorf("fix: %q, repaired by doctor: %v", c.Fix, c.Repair != nil)
	}
}
