package cli

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"remanence/internal/config"
)

// A directory that was named for the data may be full of other things, with a
// log and a spool of their own.
func TestOfASharedDirectoryOnlyOursIsErased(t *testing.T) {
	p, err := config.FindPaths(environment(map[string]string{"HOME": t.TempDir()}), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ours := []string{
		"remanence.db", "remanence.db-wal", "worker.lock", "notices.json",
		"log/remanence.log", "log/remanence-2026-11-22T10-00-00.000.log",
		"run/runtime.json", "run/.runtime-123", "run/hold", "run/shy", "run/slow", "run/start", "run/start.lock",
		"run/trouble.json", "run/worker-1a2b3c4d.sock",
		"spool/log.lock", "spool/drain.lock", "spool/count/no-room", "spool/count/defect", "spool/pending/events.log",
		"spool/pending/part-0000000000000001-0badcafe.log", "spool/pending/00000000000000000001-30-7.rec",
		"spool/pending/00000000000000000001-30-7.tmp",
		"transcripts/p_1/2026-11-22__one.jsonl", "transcripts/p_1/2026-11-22__one.jsonl.part",
	}
	theirs := []string{
		"log/app.log", "run/app.pid", "spool/mail/one", "spool/pending/mail", "transcripts/p_1/talk.txt",
		"transcripts/interview.doc",
	}
	write := func(files []string) {
		t.Helper()
		for _, f := range files {
			file := filepath.Join(p.Data, f)
			if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(f), 0o600)); err != nil {
				t.Fatal(err)
			}
		}
	}
	left := func() (all []string) {
		t.Helper()
		err := filepath.WalkDir(p.Data, func(file string, d os.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				rel, _ := filepath.Rel(p.Data, file)
				all = append(all, filepath.ToSlash(rel))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(all)
		return all
	}
	write(slices.Concat(ours, theirs))
	if err := leaveData(p); err != nil {
		t.Fatal(err)
	}
	for _, f := range theirs {
		if !config.Exists(filepath.Join(p.Data, f)) {
			t.Errorf("leaving removed %s", f)
		}
	}
	write(slices.Concat(ours, theirs))
	if err := p.RemoveOwn(); err != nil {
		t.Fatal(err)
	}
	slices.Sort(theirs)
	if got := left(); !slices.Equal(got, theirs) {
		t.Errorf("left  %v\nwant %v", got, theirs)
	}
	if config.Exists(filepath.Join(p.Data, "spool/count")) {
		t.Error("a directory of ours is left, empty")
	}

	if err := os.RemoveAll(p.Data); err != nil {
		t.Fatal(err)
	}
	write(ours)
	if err := p.RemoveOwn(); err != nil || config.Exists(p.Data) {
		t.Errorf("where nothing else was, something is left: %v", err)
	}
}
