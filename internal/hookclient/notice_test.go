package hookclient

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
	"remanence/internal/config"
	"remanence/internal/mem"
	"remanence/internal/spool"
)

func TestAWarningIsShownOnceADay(t *testing.T) {
	file := filepath.Join(t.TempDir(), "notices.json")
	monday := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	for _, step := range []struct {
		name   string
		now    time.Time
		causes []Notice
		want   []string
	}{
		{
			"first", monday,
			[]Notice{{Cause: "disk", Level: 0, Text: "full"}, {Cause: "lost", Level: 3, Text: "3 lost"}},
			[]string{"full", "3 lost"},
		},
		{"again", monday.Add(time.Hour), []Notice{
			{Cause: "disk", Level: 0, Text: "full"},
			{Cause: "lost", Level: 3, Text: "3 lost"},
		}, nil},
		{"more of it, same day", monday.Add(2 * time.Hour), []Notice{{Cause: "lost", Level: 4, Text: "4 lost"}}, nil},
		{"next day, still full, nothing more lost", monday.AddDate(0, 0, 1), []Notice{
			{Cause: "disk", Level: 0, Text: "full"},
			{Cause: "lost", Level: 3, Text: "3 lost"},
		}, []string{"full"}},
		{
			"next day, more lost", monday.AddDate(0, 0, 1),
			[]Notice{{Cause: "lost", Level: 5, Text: "5 lost"}},
			[]string{"5 lost"},
		},
		{"counted anew", monday.AddDate(0, 0, 3), []Notice{{Cause: "lost", Level: 1, Text: "1 lost"}}, []string{"1 lost"}},
		{"nothing", monday.AddDate(0, 0, 2), nil, nil},
	} {
		due := DueNotices(file, step.now, step.causes)
		MarkShown(file, step.now, due)
		if got := Texts(due); !slices.Equal(got, step.want) {
			t.Errorf("%s: got %q, want %q", step.name, got, step.want)
		}
	}
}

func TestAWarningThatIsNotShownComesAgain(t *testing.T) {
	file := filepath.Join(t.TempDir(), "notices.json")
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	causes := []Notice{{Cause: "lost", Level: 3, Text: "3 lost"}}
	for range 2 {
		if got := Texts(DueNotices(file, now, causes)); !slices.Equal(got, []string{"3 lost"}) {
			t.Errorf("got %q, want it due until it is shown", got)
		}
	}
	MarkShown(file, now, causes)
	if got := DueNotices(file, now, causes); len(got) != 0 {
		t.Errorf("got %v after it was shown", got)
	}
}

// A full disk gives no room for a second file, or to one that has let go of its own.
func TestTheRecordOfWarningsKeepsItsPlace(t *testing.T) {
	file := filepath.Join(t.TempDir(), "notices.json")
	PrepareNotices(file)
	before, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	MarkShown(file, now, []Notice{
		{Cause: "a long cause", Level: 0, Text: "text"},
		{Cause: "another", Level: 0, Text: "text"},
	})
	MarkShown(file, now.AddDate(0, 0, 1), []Notice{{Cause: "c", Level: 0, Text: "text"}})
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
		if f := lossFault(c.err); f.Code != c.code || !strings.Contains(f.Fix[0], c.fix) {
			t.Errorf("%v: got %s %q, want %s %q", c.err, f.Code, f.Fix, c.code, c.fix)
		}
	}
}

// loser keeps nothing.
type loser struct{ err error }

func (l loser) Handle(context.Context, mem.Event) (mem.Reply, error) { return mem.Reply{}, l.err }

func TestOnlyTheStartOfASessionReportsALossAndStaysAStart(t *testing.T) {
	dir := t.TempDir()
	p := config.Paths{Work: dir, State: dir, Data: dir}
	lost := noticeHandler{loser{syscall.ENOSPC}, spool.Open(spool.Config{Dir: p.Spool()}), p, time.Now, new([]Notice)}
	for _, k := range []mem.EventKind{mem.UserPromptSubmit, mem.Stop, mem.PreCompact} {
		if r, err := lost.Handle(t.Context(), mem.Event{Kind: k}); !r.Empty() || err == nil {
			t.Errorf("%s: got %+v, %v; want silence and the error", k, r, err)
		}
	}
	for range 2 { // a reply that came too late was not shown
		r, err := lost.Handle(t.Context(), mem.Event{Kind: mem.SessionStart})
		if !strings.Contains(r.Notice, "the disk is full") || err == nil {
			t.Errorf("got %+v, %v; want a notice and the error", r, err)
		}
	}
	lost.markShown()
	if r, _ := lost.Handle(t.Context(), mem.Event{Kind: mem.SessionStart}); !r.Empty() {
		t.Errorf("shown twice: %+v", r)
	}
}

func TestTheFallbackIsUsedOnlyIfItIsOurs(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	p := config.Paths{Work: t.TempDir()}
	dir, err := MakeFallbackDir(p)
	if err != nil || len(fallbackDirs(p)) != 1 || dir != fallbackDirs(p)[0] {
		t.Fatalf("got %s, %v; want %v", dir, err, fallbackDirs(p))
	}
	if err := os.Chmod(filepath.Dir(dir), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := MakeFallbackDir(p); err == nil || len(fallbackDirs(p)) != 0 {
		t.Error("a directory that others can enter is used")
	}
}
