package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"remanence/internal/api"
	"remanence/internal/mem"
	"remanence/internal/spool"
)

func TestAWarningIsShownOnceADay(t *testing.T) {
	file := filepath.Join(t.TempDir(), "notices.json")
	monday := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	for _, step := range []struct {
		name   string
		now    time.Time
		causes []notice
		want   []string
	}{
		{"first", monday, []notice{{"disk", 0, "full"}, {"lost", 3, "3 lost"}}, []string{"full", "3 lost"}},
		{"again", monday.Add(time.Hour), []notice{{"disk", 0, "full"}, {"lost", 3, "3 lost"}}, nil},
		{"more of it, same day", monday.Add(2 * time.Hour), []notice{{"lost", 4, "4 lost"}}, nil},
		{"next day, still full, nothing more lost", monday.AddDate(0, 0, 1), []notice{{"disk", 0, "full"}, {"lost", 3, "3 lost"}}, []string{"full"}},
		{"next day, more lost", monday.AddDate(0, 0, 1), []notice{{"lost", 5, "5 lost"}}, []string{"5 lost"}},
		{"counted anew", monday.AddDate(0, 0, 3), []notice{{"lost", 1, "1 lost"}}, []string{"1 lost"}},
		{"nothing", monday.AddDate(0, 0, 2), nil, nil},
	} {
		due := dueOf(file, step.now, step.causes)
		shownNow(file, step.now, due)
		if got := texts(due); !slices.Equal(got, step.want) {
			t.Errorf("%s: got %q, want %q", step.name, got, step.want)
		}
	}
}

func TestAWarningThatIsNotShownComesAgain(t *testing.T) {
	file := filepath.Join(t.TempDir(), "notices.json")
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	causes := []notice{{"lost", 3, "3 lost"}}
	for range 2 {
		if got := texts(dueOf(file, now, causes)); !slices.Equal(got, []string{"3 lost"}) {
			t.Errorf("got %q, want it due until it is shown", got)
		}
	}
	shownNow(file, now, causes)
	if got := dueOf(file, now, causes); len(got) != 0 {
		t.Errorf("got %v after it was shown", got)
	}
}

// A full disk gives no room for a second file, or to one that has let go of its own.
func TestTheRecordOfWarningsKeepsItsPlace(t *testing.T) {
	file := filepath.Join(t.TempDir(), "notices.json")
	prepareNotices(file)
	before, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	shownNow(file, now, []notice{{"a long cause", 0, "text"}, {"another", 0, "text"}})
	shownNow(file, now.AddDate(0, 0, 1), []notice{{"c", 0, "text"}})
	after, err := os.Stat(file)
	if err != nil || !os.SameFile(before, after) {
		t.Errorf("another file stands in its place: %v", err)
	}
	if got := readShown(file); len(got) != 1 || got["c"].Day != "2026-03-03" {
		t.Errorf("got %v, want c alone", got)
	}
}

func TestWhatEventsAreLostToNamesItsFix(t *testing.T) {
	at := func(err error) error {
		return errors.Join(api.ErrUnreachable, &fs.PathError{Op: "write", Path: "x", Err: err})
	}
	for _, c := range []struct {
		err       error
		code, fix string
	}{
		{at(syscall.ENOSPC), "REM-S013", "free some space"},
		{at(syscall.EROFS), "REM-S014", "writable"},
		{at(syscall.EACCES), "REM-S014", "writable"},
		{spool.ErrFull, "REM-D006", "remanence doctor"},
		{at(syscall.EIO), "REM-H014", "remanence doctor"},
	} {
		if f := lostTo(c.err); f.Code != c.code || !strings.Contains(f.Fix[0], c.fix) {
			t.Errorf("%v: got %s %q, want %s %q", c.err, f.Code, f.Fix, c.code, c.fix)
		}
	}
}

// loser keeps nothing.
type loser struct{ err error }

func (l loser) Handle(context.Context, mem.Event) (mem.Reply, error) { return mem.Reply{}, l.err }

func TestOnlyTheStartOfASessionTellsOfALossAndStillSaysThatItIsOne(t *testing.T) {
	dir := t.TempDir()
	p := Paths{Work: dir, State: dir, Data: dir}
	lost := troubled{loser{syscall.ENOSPC}, spool.Open(spool.Config{Dir: p.Spool()}), p, time.Now, new([]notice)}
	for _, k := range []mem.EventKind{mem.UserPromptSubmit, mem.Stop, mem.PreCompact} {
		if r, err := lost.Handle(t.Context(), mem.Event{Kind: k}); !r.Silent() || err == nil {
			t.Errorf("%s: got %+v, %v; want silence and the error", k, r, err)
		}
	}
	for range 2 { // a reply that came too late was shown to nobody
		r, err := lost.Handle(t.Context(), mem.Event{Kind: mem.SessionStart})
		if !strings.Contains(r.Notice, "the disk is full") || err == nil {
			t.Errorf("got %+v, %v; want a notice and the error", r, err)
		}
	}
	lost.shown()
	if r, _ := lost.Handle(t.Context(), mem.Event{Kind: mem.SessionStart}); !r.Silent() {
		t.Errorf("told twice: %+v", r)
	}
}

func TestTheSparePlaceIsUsedOnlyIfItIsOurs(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	p := Paths{Work: t.TempDir()}
	dir, err := p.makeSpare()
	if err != nil || len(p.spares()) != 1 || dir != p.spares()[0] {
		t.Fatalf("got %s, %v; want %v", dir, err, p.spares())
	}
	if err := os.Chmod(filepath.Dir(dir), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := p.makeSpare(); err == nil || len(p.spares()) != 0 {
		t.Error("a directory that others can enter is used")
	}
}
