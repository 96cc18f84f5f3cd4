//go:build fire && linux

package disk

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"remanence/internal/mem"
	"remanence/internal/store/sqlite"
	"remanence/test/tier"
	"remanence/test/world"
)

// A sample is what a killed worker left: a database with a log that is not
// folded in, of which copies are damaged.
type sample struct {
	data, state map[string][]byte
	events      int
}

const page = 4096

// takeSample fills a database. Some of it is erased again, so that pages are free.
func takeSample(t *testing.T) sample {
	t.Helper()
	p := world.NewPerson(t)
	rt := p.StartWorker()
	sender := &storyPlayer{home: p.Home, project: p.Project, client: rt.Client("sample")}
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	n := 0
	send := func(many int) {
		for range many {
			e := sender.event(n)
			n++
			if _, err := sender.client.Handle(ctx, e); err != nil {
				t.Fatal(err)
			}
		}
	}
	send(60)
	p.Run("purge", "session-1", "--yes")
	send(20)
	for pid := range p.Processes() {
		proc, err := os.FindProcess(pid)
		if err == nil {
			_ = proc.Kill()
		}
	}
	p.Eventually(func() bool { return len(p.Processes()) == 0 })
	s := sample{data: readAll(t, p.Data()), state: readAll(t, p.State()), events: n}
	if len(s.data["remanence.db-wal"]) == 0 || len(s.data["remanence.db"]) < 20*page {
		t.Fatalf("the sample has a database of %d bytes and a log of %d", len(s.data["remanence.db"]),
			len(s.data["remanence.db-wal"]))
	}
	return s
}

func readAll(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		name, _ := filepath.Rel(dir, file)
		files[name], err = os.ReadFile(file)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// give makes a copy of the sample a person's own.
func (s sample) give(t *testing.T, p *world.Person) {
	t.Helper()
	state := map[string][]byte{"key": s.state["key"], "run/runtime.json": s.runtimeOf(t, p)}
	for dir, files := range map[string]map[string][]byte{p.Data(): s.data, p.State(): state} {
		if err := writeAll(dir, files); err != nil {
			t.Fatal(err)
		}
	}
}

// runtimeOf is the runtime file of a worker that served this person's data.
func (s sample) runtimeOf(t *testing.T, p *world.Person) []byte {
	t.Helper()
	var rt map[string]any
	if err := json.Unmarshal(s.state["run/runtime.json"], &rt); err != nil {
		t.Fatal(err)
	}
	rt["data"], rt["socket"] = p.Data(), filepath.Join(p.State(), "run", "gone.sock")
	b, err := json.Marshal(rt)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// damage is one way to spoil the files of a database in a directory.
type damage struct {
	name string
	do   func(dir string, rng *rand.Rand) error
	loud bool // it cannot be missed, so it has to be reported at once
}

// spoil changes the bytes of a file.
func spoil(name string, change func(b []byte, rng *rand.Rand) []byte) func(string, *rand.Rand) error {
	return func(dir string, rng *rand.Rand) error {
		file := filepath.Join(dir, name)
		b, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		return os.WriteFile(file, change(b, rng), 0o600)
	}
}

// within spoils a stretch of n bytes at an offset that is chosen, in one of several ways.
func within(at func(b []byte, rng *rand.Rand) (from, n int)) func([]byte, *rand.Rand) []byte {
	return func(b []byte, rng *rand.Rand) []byte {
		from, n := at(b, rng)
		part := b[from:min(len(b), from+n)]
		switch rng.IntN(3) {
		case 0:
			for range 1 + rng.IntN(8) {
				part[rng.IntN(len(part))] ^= 1 << rng.IntN(8)
			}
		case 1:
			clear(part)
		default:
			for i := range part {
				part[i] = byte(rng.Uint32())
			}
		}
		return b
	}
}

// pageLike chooses a page whose first byte is one of those, or any.
func pageLike(kinds ...byte) func([]byte, *rand.Rand) (int, int) {
	return func(b []byte, rng *rand.Rand) (int, int) {
		pages := len(b) / page
		for try := range 10 * pages {
			n := 1 + rng.IntN(pages-1)
			if try > 9*pages || bytes.IndexByte(kinds, b[n*page]) >= 0 {
				return n * page, page
			}
		}
		return page, page
	}
}

// freePage is the first page of the free list.
func freePage(b []byte, _ *rand.Rand) (int, int) {
	trunk := int(binary.BigEndian.Uint32(b[32:]))
	if trunk < 1 || trunk*page > len(b) {
		return 32, 8 // there is none: spoil what says so
	}
	return (trunk - 1) * page, page
}

// searchPage is one whose text belongs to the search index: it holds words of
// many memories one after the other.
func searchPage(b []byte, rng *rand.Rand) (int, int) {
	var found []int
	for n := 1; n < len(b)/page; n++ {
		if p := b[n*page : (n+1)*page]; bytes.Contains(p, []byte("ledger")) && !bytes.Contains(p, []byte("decided to")) {
			found = append(found, n*page)
		}
	}
	if len(found) == 0 {
		return page, page
	}
	return found[rng.IntN(len(found))], page
}

func anywhere(from int) func([]byte, *rand.Rand) (int, int) {
	return func(b []byte, rng *rand.Rand) (int, int) {
		at := from + rng.IntN(max(1, len(b)-from))
		return at, 1 + rng.IntN(600)
	}
}

func first(n int) func([]byte, *rand.Rand) (int, int) {
	return func([]byte, *rand.Rand) (int, int) { return 0, n }
}

func cutShort(b []byte, rng *rand.Rand) []byte {
	n := 1 + rng.IntN(len(b)-1)
	if rng.IntN(2) == 0 {
		n = max(page, n/page*page)
	}
	return b[:n]
}

func instead0(b []byte) func([]byte, *rand.Rand) []byte {
	return func([]byte, *rand.Rand) []byte { return b }
}

func directory(name string) func(string, *rand.Rand) error {
	return func(dir string, _ *rand.Rand) error {
		file := filepath.Join(dir, name)
		if err := os.RemoveAll(file); err != nil {
			return err
		}
		return os.Mkdir(file, 0o700)
	}
}

func damages() []damage {
	const db, wal, shm, journal = "remanence.db", "remanence.db-wal", "remanence.db-shm", "remanence.db-journal"
	garbage := bytes.Repeat([]byte("this is no database. "), 3000)
	return []damage{
		{"head", spoil(db, within(first(100))), false},
		{"magic", spoil(db, func(b []byte, _ *rand.Rand) []byte { return append([]byte("SQLITE"), b[6:]...) }), false},
		{"schema page", spoil(db, within(first(page))), false},
		{"interior page", spoil(db, within(pageLike(2, 5))), false},
		{"leaf page", spoil(db, within(pageLike(10, 13))), false},
		{"any bytes", spoil(db, within(anywhere(100))), false},
		{"free list", spoil(db, within(freePage)), false},
		{"search page", spoil(db, within(searchPage)), false},
		{"cut short", spoil(db, cutShort), false},
		{"garbage", spoil(db, instead0(garbage)), true},
		{"zeros", spoil(db, instead0(make([]byte, 30*page))), true},
		{"empty", spoil(db, instead0(nil)), true},
		{"empty without a log", func(dir string, rng *rand.Rand) error {
			_ = os.Remove(filepath.Join(dir, wal))
			return spoil(db, instead0(nil))(dir, rng)
		}, true},
		{"a directory", directory(db), true},
		{"head of the log", spoil(wal, within(first(32))), false},
		{"frames of the log", spoil(wal, within(anywhere(32))), false},
		{"log cut short", spoil(wal, cutShort), false},
		{"log of garbage", spoil(wal, instead0(garbage)), false},
		{"log gone", func(dir string, _ *rand.Rand) error { return os.Remove(filepath.Join(dir, wal)) }, false},
		{"log a directory", directory(wal), false},
		{"index of the log", func(dir string, rng *rand.Rand) error {
			b := make([]byte, 32<<10)
			for i := range b {
				b[i] = byte(rng.Uint32())
			}
			return os.WriteFile(filepath.Join(dir, shm), b, 0o600)
		}, false},
		{"index of the log a directory", directory(shm), false},
		{"a journal of garbage", func(dir string, _ *rand.Rand) error {
			return os.WriteFile(filepath.Join(dir, journal), garbage, 0o600)
		}, false},
	}
}

// TestADamagedDatabaseLosesNoEvent spoils copies of a database in every way and
// lets hooks report to it.
func TestADamagedDatabaseLosesNoEvent(t *testing.T) {
	s := takeSample(t)
	rng := tier.Rand(t)
	all := damages()
	for i := range tier.Runs(50, 2_000) {
		d := all[i%len(all)]
		own := rand.New(rand.NewPCG(rng.Uint64(), rng.Uint64()))
		t.Run(fmt.Sprintf("%d %s", i, d.name), func(t *testing.T) {
			t.Parallel()
			s.live(t, d, own)
		})
	}
}

// live lets a person live with the damage, have it repaired, and go on.
func (s sample) live(t *testing.T, d damage, rng *rand.Rand) {
	p := world.NewPerson(t)
	s.give(t, p)
	if err := d.do(p.Data(), rng); err != nil {
		t.Fatal(err)
	}
	db := filepath.Join(p.Data(), "remanence.db")
	size := sizeOf(db)
	report := s.report(t, p, d.name, "before")
	quiet := p.Eventually(func() bool { return troubleOf(p) != "" || p.Spool().Empty() })
	code := troubleOf(p)
	if !quiet {
		t.Error("the events wait, and no reason is reported")
	}
	aside, _ := filepath.Glob(db + ".aside-*")
	if d.loud && code == "" && len(aside) == 0 {
		t.Errorf("it is not reported that the database is damaged")
	}
	if now := sizeOf(db); code != "" && now < size {
		t.Errorf("the damaged file was changed from %d to %d bytes", size, now)
	}
	switch {
	case code == "" && len(aside) > 0: // nothing was left to decide
		for i := 0; i < 3 && !strings.Contains(report, "is kept as"); i++ {
			report += s.report(t, p, d.name, fmt.Sprint("after-", i))
		}
		if !strings.Contains(report, "is kept as") {
			t.Errorf("the database was set aside, but it is not reported: %q", report)
		}
		code = "set aside"
	case code != "":
		for i := 0; i < 3 && !strings.Contains(report, "Fix: remanence"); i++ { // a busy machine may leave a hook no time
			report += s.report(t, p, d.name, fmt.Sprint("after-", i))
		}
		if !strings.Contains(report, "Fix: remanence") {
			t.Errorf("%s, but it is not reported: %q", code, report)
		}
		s.repair(t, p)
	case indexed(t, db): // the same, for what is made anew from the rest
		out, _ := p.Command("doctor", "--fix").CombinedOutput()
		if !bytes.Contains(out, []byte("REM-S006")) {
			t.Errorf("the doctor does not find the fault of the index:\n%s", out)
		}
		code = "index mended by the doctor"
	case damaged(t, db): // in a place that nothing has touched: a check finds it
		out, _ := p.Command("doctor").CombinedOutput()
		if !bytes.Contains(out, []byte("REM-S002")) || !bytes.Contains(out, []byte("remanence db restore")) {
			t.Errorf("the doctor does not find the damage:\n%s", out)
		}
		code = "found by the doctor"
		s.repair(t, p)
	}
	settle(t, p)
	got := tools(t, p)
	if got["before"] != 1 && dropped(p) == 0 {
		t.Errorf("the event of the time of damage is there %d times (%s)", got["before"], code)
	}
	if old := len(got); code == "" && old < s.events/8 {
		t.Errorf("of %d events %d are left, and no loss is reported", s.events, old)
	}
	t.Logf("%s: %q", d.name, code)
}

// damaged reports whether a look at all of the database finds it damaged.
func damaged(t *testing.T, db string) bool {
	t.Helper()
	_, err := sqlite.Inspect(t.Context(), db)
	return errors.Is(err, mem.ErrCorrupt) || errors.Is(err, mem.ErrForeign)
}

// indexed reports whether a look at all of the database finds fault with its
// search index alone.
func indexed(t *testing.T, db string) bool {
	t.Helper()
	a, err := sqlite.Inspect(t.Context(), db)
	return err == nil && len(a.Index) > 0
}

// report sends what a session sends first, and returns the injection.
func (s sample) report(t *testing.T, p *world.Person, what, id string) string {
	t.Helper()
	a := p.Hook(p.Payload("SessionStart.startup", map[string]any{"session_id": "later-" + id}))
	polite(t, what, a)
	b := p.Hook(p.Payload("PostToolUse.Bash", map[string]any{"session_id": "later-" + id, "tool_use_id": id}))
	polite(t, what, b)
	for _, x := range []world.Answer{a, b} {
		if x.Took > world.Stretched(5*time.Second) {
			t.Errorf("%s: a hook took %s", what, x.Took)
		}
	}
	return string(a.Stdout)
}

// repair follows the fix that the person is shown, and where that does not help puts a
// sound copy in the place of the damaged one.
func (s sample) repair(t *testing.T, p *world.Person) {
	t.Helper()
	out, err := p.Command("db", "restore", "--yes").CombinedOutput()
	if err == nil {
		return
	}
	t.Logf("db restore: %v\n%s", err, out)
	p.StopWorker()
	for name := range s.data {
		_ = os.RemoveAll(filepath.Join(p.Data(), name))
	}
	_ = os.RemoveAll(filepath.Join(p.Data(), "remanence.db-journal"))
	if err := writeAll(p.Data(), s.data); err != nil {
		t.Fatal(err)
	}
}

func sizeOf(file string) int64 {
	info, err := os.Stat(file)
	if err != nil {
		return -1
	}
	return info.Size()
}
