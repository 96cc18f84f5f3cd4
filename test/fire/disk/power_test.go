//go:build fire && linux

package disk

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	_ "modernc.org/sqlite" // opens images of which the store would say that they are newer

	"remanence/internal/mem"
	"remanence/internal/spool"
	"remanence/internal/store/sqlite"
	"remanence/test/tier"
	"remanence/test/world"
)

// moments are positions of a film: any, and those near what matters.
func (f *film) moments(rng *rand.Rand, n int) []int {
	first := f.length
	var near []int
	for _, c := range f.calls {
		if strings.HasPrefix(c.fd, f.home) || len(c.paths) > 0 && strings.HasPrefix(c.paths[0], f.home) {
			first = min(first, c.enter)
			if !strings.Contains(c.name, "pwrite") && c.name != "mmap" {
				near = append(near, c.leave)
			}
		}
	}
	points := make([]int, n)
	for i := range points {
		points[i] = first + rng.IntN(f.length-first+1)
		if i%2 == 0 {
			points[i] = near[rng.IntN(len(near))] + rng.IntN(7) - 3
		}
	}
	slices.Sort(points)
	return points
}

// A verdict is what was found in the images of one run.
type verdict struct {
	mu      sync.Mutex
	images  int
	lost    int // acknowledged events that are not there
	damaged int
	other   []string // everything else that must not be
	first   string
	film    *film
}

func (v *verdict) note(n *int, by int, format string, args ...any) {
	v.mu.Lock()
	defer v.mu.Unlock()
	*n += by
	if v.first == "" {
		v.first = fmt.Sprintf(format, args...)
	}
}

func (v *verdict) odd(format string, args ...any) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.other = append(v.other, fmt.Sprintf(format, args...))
}

// cuts takes the power away at n moments of a film and looks at what is left.
func (f *film) cuts(t *testing.T, n int) *verdict {
	t.Helper()
	rng := tier.Rand(t)
	return f.cutAt(t, rng, f.moments(rng, n))
}

// cutAt takes the power away at the moments given, in order.
func (f *film) cutAt(t *testing.T, rng *rand.Rand, moments []int) *verdict {
	t.Helper()
	v := &verdict{film: f}
	player := newPlayer(f)
	type work struct {
		at    int
		image image
	}
	todo := make(chan work, 4)
	var all sync.WaitGroup
	dir := scratch(t)
	for i := range runtime.NumCPU() {
		all.Go(func() {
			for w := range todo {
				where := filepath.Join(dir, fmt.Sprint(i))
				if err := w.image.judge(where, v); err != nil {
					v.odd("cut at %d of %d: %v", w.at, f.length, err)
				}
				_ = os.RemoveAll(where)
			}
		})
	}
	for _, pos := range moments {
		if err := player.to(pos); err != nil {
			t.Error(err)
			break
		}
		todo <- work{pos, f.image(player.at, pos, rand.New(rand.NewPCG(rng.Uint64(), rng.Uint64())))}
	}
	close(todo)
	all.Wait()
	return v
}

// image is a disk after a power cut, and what must be on it.
type image struct {
	film        *film
	pos         int
	data, spool map[string][]byte
	unlost      map[string][]byte // the spool as it was seen at the end
	at          at
	index       []byte // what stands in the log's index, which was memory; nil for no file
}

func (f *film) image(a at, pos int, rng *rand.Rand) image {
	a.sent, a.acked, a.spooled = maps.Clone(a.sent), maps.Clone(a.acked), maps.Clone(a.spooled)
	im := image{film: f, pos: pos, at: a, data: a.data.cut(rng), spool: a.spool.cut(rng), unlost: a.spool.whole()}
	im.at.data, im.at.spool = nil, nil
	if rng.IntN(2) == 0 {
		im.index = make([]byte, 32<<10)
		for i := range im.index {
			im.index[i] = byte(rng.Uint32())
		}
	}
	return im
}

// judge opens the image with the store of the product and compares.
func (im image) judge(dir string, v *verdict) error {
	data := filepath.Join(dir, "data")
	if err := writeAll(data, im.data); err != nil {
		return err
	}
	path := filepath.Join(data, "remanence.db")
	if im.index != nil {
		if err := os.WriteFile(path+"-shm", im.index, 0o600); err != nil {
			return err
		}
	}
	v.mu.Lock()
	v.images++
	v.mu.Unlock()
	if im.at.erased {
		for name, b := range im.data {
			if bytes.Contains(b, []byte(canary)) {
				v.odd("cut at %d: erased text is back in %s", im.pos, name)
			}
		}
	}
	if im.at.migrating {
		return im.judgeNewer(path, data, v)
	}
	st, err := sqlite.Open(context.Background(), sqlite.Config{Path: path})
	if err != nil {
		v.note(&v.damaged, 1, "cut at %d: %v", im.pos, err)
		return nil
	}
	defer st.Close()
	if a, err := st.Audit(context.Background(), false); err != nil || !a.OK() {
		v.note(&v.damaged, 1, "cut at %d: %+v, %v", im.pos, a, err)
	}
	events, err := st.Events(context.Background(), mem.EventQuery{Limit: 1 << 20})
	if err != nil {
		return err
	}
	var ids []string
	for _, e := range events {
		ids = append(ids, e.ID)
	}
	im.compare(ids, filepath.Join(dir, "seen"), v)
	return im.drain(st, filepath.Join(dir, "spool"), v)
}

// compare looks for every event that must be there.
func (im image) compare(ids []string, scratch string, v *verdict) {
	there := map[string]bool{}
	for _, id := range ids {
		if there[id] {
			v.odd("cut at %d: event %s is there twice", im.pos, id)
		}
		if there[id] = true; !im.at.sent[id] {
			v.odd("cut at %d: event %s was never sent", im.pos, id)
		}
	}
	lost := 0
	for id := range im.at.acked {
		if !there[id] {
			lost++
		}
	}
	if lost > 0 {
		v.note(&v.lost, lost, "cut at %d: %d of %d acknowledged events are lost", im.pos, lost, len(im.at.acked))
	}
	if len(im.at.spooled) == 0 {
		return
	}
	// What left the spool must be in the database, whatever the cut took.
	if err := writeAll(scratch, im.unlost); err != nil {
		v.odd("%v", err)
		return
	}
	err := drainAll(scratch, func(e mem.Event) error { there[e.ID] = true; return nil })
	if err != nil {
		v.odd("cut at %d: spool as it was: %v", im.pos, err)
	}
	for id := range im.at.spooled {
		if !there[id] {
			v.note(&v.lost, 1, "cut at %d: event %s has left the spool and is not in the database", im.pos, id)
		}
	}
}

// drain takes in what the cut left of the spool: nothing else than was sent, and
// nothing twice.
func (im image) drain(st *sqlite.Store, dir string, v *verdict) error {
	if err := writeAll(dir, im.spool); err != nil {
		return err
	}
	err := drainAll(dir, func(e mem.Event) error {
		if !im.at.sent[e.ID] {
			v.odd("cut at %d: the spool hands over %s, which was never sent", im.pos, e.ID)
		}
		_, err := st.Apply(context.Background(), mem.Batch{Event: &e})
		return err
	})
	if err != nil {
		return fmt.Errorf("drain what is left: %w", err)
	}
	return nil
}

func drainAll(dir string, take func(mem.Event) error) error {
	box := spool.Open(spool.Config{Dir: dir})
	for !box.Empty() {
		n, err := box.Drain(context.Background(), 0, func(_ context.Context, es []mem.Event) error {
			for _, e := range es {
				if err := take(e); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil || n == 0 {
			return err
		}
	}
	return nil
}

// judgeNewer looks at an image in which the newer program may have migrated: the
// schema is the old one or the new one, whole, and the copy is there before it.
func (im image) judgeNewer(path, data string, v *verdict) error {
	db, err := sql.Open("sqlite", "file://"+path)
	if err != nil {
		return err
	}
	defer db.Close()
	var sound string
	var schema, table int
	for query, dest := range map[string]any{
		"PRAGMA integrity_check": &sound, "PRAGMA user_version": &schema,
		"SELECT count(*) FROM sqlite_schema WHERE name LIKE 'later%'": &table,
	} {
		if err := db.QueryRow(query).Scan(dest); err != nil {
			v.note(&v.damaged, 1, "cut at %d: %s: %v", im.pos, query, err)
			return nil
		}
	}
	if sound != "ok" {
		v.note(&v.damaged, 1, "cut at %d: %s", im.pos, sound)
	}
	want := 0
	if schema > present() {
		want = 2
		im.checkCopy(fmt.Sprint(path, ".schema", present()), v)
	}
	if table != want || schema == 0 || schema > present()+1 {
		v.odd("cut at %d: schema %d with %d tables of the later one: half a migration", im.pos, schema, table)
	}
	rows, err := db.Query("SELECT id FROM event")
	if err != nil {
		return err
	}
	defer rows.Close()
	var ids []string
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return err
		}
		ids = append(ids, id)
	}
	im.compare(ids, filepath.Join(data, "seen"), v)
	return rows.Err()
}

func (im image) checkCopy(path string, v *verdict) {
	if _, err := os.Stat(path); err != nil {
		v.odd("cut at %d: migrated, but the copy from before is gone: %v", im.pos, err)
		return
	}
	st, err := sqlite.Open(context.Background(), sqlite.Config{Path: path})
	if err != nil {
		v.odd("cut at %d: the copy from before the migration: %v", im.pos, err)
		return
	}
	defer st.Close()
	if a, err := st.Audit(context.Background(), false); err != nil || !a.OK() {
		v.odd("cut at %d: the copy from before the migration: %+v, %v", im.pos, a, err)
	}
}

func writeAll(dir string, image map[string][]byte) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for name, b := range image {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// clean fails the test for whatever the images showed. The record is then among
// the test's artifacts.
func (v *verdict) clean(t *testing.T) {
	t.Helper()
	defer func() {
		if t.Failed() {
			v.film.keep(t)
		}
	}()
	t.Logf("%d power cuts: %d databases damaged, %d acknowledged events lost", v.images, v.damaged, v.lost)
	if v.damaged > 0 || v.lost > 0 {
		t.Errorf("got %d damaged and %d lost, want none. First: %s", v.damaged, v.lost, v.first)
	}
	for i, o := range v.other {
		if i == 10 {
			t.Errorf("and %d more", len(v.other)-i)
			break
		}
		t.Error(o)
	}
}

// present is the number of the schema that the program has.
var present = sync.OnceValue(func() int {
	steps, err := filepath.Glob("../../../internal/store/sqlite/schema/*.sql")
	if err != nil || len(steps) == 0 {
		panic("the schema's steps are not where they were")
	}
	return len(steps)
})

// laterSchema is a migration that makes more than one thing, so that half of it would show.
func laterSchema() map[string]func(string) string {
	return map[string]func(string) string{
		fmt.Sprintf("internal/store/sqlite/schema/%04d_later.sql", present()+1): func(string) string {
			return "CREATE TABLE later_one (x INTEGER, y TEXT) STRICT;\n" +
				"INSERT INTO later_one SELECT seq, payload FROM event;\n" +
				"CREATE TABLE later_two (x INTEGER) STRICT;\n"
		},
	}
}

// TestPowerCutsLoseNothingAcknowledged plays a whole life of the program and
// takes the power away at moments of it.
func TestPowerCutsLoseNothingAcknowledged(t *testing.T) {
	newer := variant(t, "newer", laterSchema())
	f := shoot(t, "life", world.Binary, newer)
	f.cuts(t, tier.Runs(260, 14_000)).clean(t)
	t.Run("right after an erasure", func(t *testing.T) {
		rng := tier.Rand(t)
		f.cutAt(t, rng, f.erasures(tier.Runs(30, 300))).clean(t)
	})
}

// erasures are n moments each at which text was said to be erased.
func (f *film) erasures(n int) (moments []int) {
	for _, c := range f.calls {
		if filepath.Base(c.fd) == marksName && strings.HasPrefix(string(c.data), "erased") {
			moments = append(moments, slices.Repeat([]int{c.leave}, n)...)
		}
	}
	return moments
}

// The files that hold the settings of a connection and the bound of the log.
const (
	connectionFile = "internal/store/sqlite/database.go"
	logFile        = "internal/store/sqlite/sqlite.go"
)

// TestPowerCutsDuringACheckpointOfTheLog is the same with a log that is emptied after
// some hundred kilobytes instead of 32 MB, so that it is over and over again.
func TestPowerCutsDuringACheckpointOfTheLog(t *testing.T) {
	small := variant(t, "small", map[string]func(string) string{
		logFile: func(s string) string {
			return regexp.MustCompile(`(?m)^(\s+maxWAL\s+=) 32 << 20`).ReplaceAllString(s, "$1 300 << 10")
		},
	})
	f := shoot(t, "life", small, "")
	emptied := 0
	for _, c := range f.calls {
		if c.name == "ftruncate" && strings.HasSuffix(c.fd, "-wal") && c.nums[len(c.nums)-1] == 0 {
			emptied++
		}
	}
	if emptied < 5 {
		t.Fatalf("the log was emptied %d times, want 5 or more", emptied)
	}
	f.cuts(t, tier.Runs(100, 4_000)).clean(t)
}

// TestTheHarnessDetectsLoss takes the settings away on which all this rests.
func TestTheHarnessDetectsLoss(t *testing.T) {
	settings := []string{"NORMAL", "OFF"}
	for _, setting := range settings[:tier.Runs(1, 2)] {
		t.Run(setting, func(t *testing.T) {
			weak := variant(t, "weak", map[string]func(string) string{
				connectionFile: instead(`"synchronous(FULL)"`, `"synchronous(`+setting+`)"`),
			})
			v := shoot(t, "short", weak, "").cuts(t, 60)
			t.Logf("%d power cuts: %d databases damaged, %d acknowledged events lost", v.images, v.damaged, v.lost)
			if v.lost == 0 {
				t.Error("no acknowledged event was lost with synchronous=" + setting)
			}
		})
	}
}
