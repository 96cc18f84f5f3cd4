package cli

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"remanence/internal/cli/ui"
	"remanence/internal/config"
	"remanence/internal/setup"
)

// late is a daemon whose answer is not there in time.
type late struct{}

func (late) Call(context.Context, string, any, any) error {
	return fmt.Errorf("read: %w", context.DeadlineExceeded)
}

func TestALargeStoreIsNotADaemonInTrouble(t *testing.T) {
	p := newMachine(t)
	p.Caller = late{}
	if got := p.checks().CheckSecrets(t.Context()); got.State != setup.Info || got.Code != nil {
		t.Errorf("got %+v, want the word that it was not looked at", got)
	}
}

func TestLongOutputGoesThroughThePagerAndShortDoesNot(t *testing.T) {
	long := ui.ConfigView{Short: true, Values: make([]config.Setting, 30)}
	for _, tc := range []struct {
		name   string
		v      ui.View
		height int
		pager  string
		paged  bool
	}{
		{"long", long, 10, "sed s/^/|/", true},
		{"short", long, 50, "sed s/^/|/", false},
		{"no terminal", long, 0, "sed s/^/|/", false},
		{"switched off", long, 10, "", false},
		{"pager is missing", long, 10, "no-such-pager", false},
	} {
		p, out := testPrinter(100)
		p.Height, p.Pager = tc.height, tc.pager
		if err := p.Show(tc.v); err != nil {
			t.Fatal(err)
		}
		if got := strings.HasPrefix(out.String(), "|"); got != tc.paged || strings.Count(out.String(), "\n") != 30 {
			t.Errorf("%s: paged %v, want %v; %d lines, want 30", tc.name, got, tc.paged, strings.Count(out.String(), "\n"))
		}
	}
}
