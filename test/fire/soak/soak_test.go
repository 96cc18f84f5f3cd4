//go:build fire

package soak

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"remanence/internal/agent"
	"remanence/internal/api"
	"remanence/internal/mem"
	"remanence/internal/recall"
	"remanence/test/tier"
	"remanence/test/world"
)

// What the worker may take.
const (
	maxRSS   = 100 << 20 // bytes, at 99 of 100 moments
	maxPeak  = 140 << 20 // bytes, at any: where an erasure meets several large events that a busy machine holds up
	maxWAL   = 64 << 20  // bytes
	maxFiles = 64
	maxConns = 32
	// Growth of anonymous memory over the second half, in bytes an event, by a straight line through the samples.
	// A short run still fills the page caches and the index: 900 to 2,500 were seen. Over a long one the index grows
	// with what is kept: 210 were seen, and as much memory at rest as after a short one, which maxRestAnon bounds.
	maxGrowth, maxLongGrowth = 4000, 400

	// What a worker at rest may have kept of the bustle.
	maxRestAnon    = 48 << 20 // bytes; 27 to 40 MB were seen
	maxRestFiles   = 12       // more than at the start: three for each reader
	maxRestThreads = 8        // more than at the start: Go keeps them
	atOnce         = 4        // sessions that run side by side
	hookShare      = 50       // one event in so many goes through a process of its own
	searchEach     = 1000     // events between two commands of the person

	// rest is until a worker without work has given back what it can; patience is
	// how long it may take to answer, or to have no work.
	rest, longRest, patience = 16 * time.Second, 70 * time.Second, 3 * time.Minute
)

// driver gives events to the person's worker, most over its socket, some
// through the hook as the client calls it.
type driver struct {
	*world.Person
	client api.Client
	begun  time.Time
	events atomic.Int64
	failed atomic.Int64 // not taken over the socket
	person sync.Mutex   // gives one order at a time
	spoken atomic.Int64 // hooks with an injection
}

func (d *driver) give(r *rand.Rand, p payload) {
	n := d.events.Add(1)
	if n%searchEach == 0 {
		d.order(r)
	}
	p["cwd"], p["transcript_path"] = d.Project, filepath.Join(d.Home, "none.jsonl")
	b, err := json.Marshal(p)
	if err != nil {
		d.T.Error(err)
		return
	}
	if r.IntN(hookShare) == 0 {
		a := d.Hook(b)
		if a.Status != 0 || len(a.Stderr) > 0 {
			d.T.Errorf("%s: status %d, stderr %q", p["hook_event_name"], a.Status, a.Stderr)
		}
		if len(a.Stdout) > 0 {
			d.spoken.Add(1)
		}
		return
	}
	e, err := agent.Claude{}.Decode(b, agent.Env{ProjectDir: d.Project})
	if err != nil {
		d.T.Errorf("%s: %v", p["hook_event_name"], err)
		return
	}
	e.At = d.begun.Add(time.Duration(n) * 24 * time.Hour / time.Duration(tier.Runs(10_000, 100_000)))
	e.Identify(fmt.Sprint(n))
	ctx, stop := context.WithTimeout(context.Background(), patience)
	defer stop()
	if _, err := d.client.Handle(ctx, e); err != nil {
		d.failed.Add(1)
		d.T.Logf("%s: %v", e.Kind, err)
	}
}

// order does what a person does now and then.
func (d *driver) order(r *rand.Rand) {
	d.person.Lock()
	defer d.person.Unlock()
	switch r.IntN(4) {
	case 0:
		d.Run("search", pick(r, parts), "--json")
	case 1:
		d.Run("status", "--json")
	default:
		ctx, stop := context.WithTimeout(context.Background(), patience)
		defer stop()
		found, err := api.Search.Call(ctx, d.client, recall.SearchRequest{
			ProjectRef: mem.ProjectRef{Project: "all"},
			Query:      mem.Query{Limit: 3},
		})
		if err != nil || len(found.Hits) == 0 {
			d.T.Errorf("search: %d hits, %v", len(found.Hits), err)
			return
		}
		id := found.Hits[r.IntN(len(found.Hits))].Memory.ID
		if r.IntN(2) == 0 {
			d.Run("forget", id)
		} else {
			d.Run("purge", id, "--yes")
		}
	}
}

// day plays sessions until all events are given.
func (d *driver) day(r *rand.Rand, sessions, events int) {
	var all sync.WaitGroup
	work := make(chan *rand.Rand)
	for lane := range atOnce {
		all.Go(func() {
			n := 0
			for own := range work {
				n++
				session(own, fmt.Sprintf("soak-%d-%d", lane, n), events/sessions, func(p payload) { d.give(own, p) })
			}
		})
	}
	for range sessions {
		work <- rand.New(rand.NewPCG(r.Uint64(), r.Uint64()))
	}
	close(work)
	all.Wait()
}

func TestADayOfEventsDoesNotGrowTheDaemon(t *testing.T) {
	t.Parallel()
	r := tier.Rand(t)
	p := world.NewPerson(t)
	rt := p.StartWorker()
	database := filepath.Join(p.Data(), "remanence.db")
	d := &driver{Person: p, client: rt.Client(""), begun: time.Now().Add(-24 * time.Hour)}
	first := look(t, rt.PID, database)

	stop, watched := make(chan struct{}), make(chan []sample)
	go func() { watched <- watch(t, rt.PID, database, &d.events, stop) }()
	d.day(r, 50, tier.Runs(10_000, 100_000))
	close(stop)
	samples := <-watched

	if len(samples) == 0 {
		t.Fatal("nothing was measured")
	}
	judge(t, samples)
	if n := d.failed.Load(); n > 0 {
		t.Errorf("%d of %d events were not taken", n, d.events.Load())
	}
	if d.spoken.Load() == 0 {
		t.Error("nothing was injected by any hook")
	}
	if now := p.Workers(); len(now) != 1 || now[0] != rt.PID {
		t.Errorf("workers %v, want the one from the start, %d", now, rt.PID)
	}
	last, n := samples[len(samples)-1], d.events.Load()
	took, cost := last.at.Sub(first.at), last.cpu-first.cpu
	t.Logf("%d events in %.0f s, %.0f a second, %v of the worker's CPU each; %d hooks got an injection",
		n, took.Seconds(), float64(n)/took.Seconds(), cost/time.Duration(n), d.spoken.Load())
	settle(t, rt.PID, database, first)
}

// watch samples until stop, twice a second.
func watch(t *testing.T, pid int, database string, events *atomic.Int64, stop chan struct{}) []sample {
	var all []sample
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for {
		s, err := measure(pid, database)
		if err != nil {
			t.Errorf("the worker is gone: %v", err)
			return all
		}
		s.events = events.Load()
		all = append(all, s)
		select {
		case <-stop:
			return all
		case <-tick.C:
		}
	}
}

func judge(t *testing.T, samples []sample) {
	t.Helper()
	var top sample
	var rss []int64
	for i, s := range samples {
		rss = append(rss, s.rss)
		top.rss, top.anon, top.wal = max(top.rss, s.rss), max(top.anon, s.anon), max(top.wal, s.wal)
		top.files, top.conns, top.threads = max(top.files, s.files), max(top.conns, s.conns), max(top.threads, s.threads)
		if i%max(1, len(samples)/20) == 0 {
			t.Logf("%7d events: rss %5.1f anon %5.1f wal %5.1f MB, %d files, %d conns, %d threads", s.events, mb(s.rss),
				mb(s.anon), mb(s.wal), s.files, s.conns, s.threads)
		}
	}
	slices.Sort(rss)
	mostly := rss[(len(rss)-1)*99/100]
	t.Logf("at most: rss %.1f (%.1f at 99 of 100 moments) anon %.1f wal %.1f MB, %d files, %d conns, %d threads",
		mb(top.rss), mb(mostly), mb(top.anon), mb(top.wal), top.files, top.conns, top.threads)
	var x, y []float64
	for _, s := range samples[len(samples)/2:] {
		x, y = append(x, float64(s.events)), append(y, float64(s.anon))
	}
	growth := slope(x, y)
	t.Logf("second half: %+.1f bytes of anonymous memory an event", growth)
	if most := float64(tier.Runs(maxGrowth, maxLongGrowth)); growth > most {
		t.Errorf("memory grows by %.1f bytes an event, want at most %.0f", growth, most)
	}
	for _, c := range []struct {
		what      string
		got, want int64
	}{
		{"bytes of memory at 99 of 100 moments", mostly, maxRSS},
		{"bytes of memory", top.rss, maxPeak},
		{"bytes of log", top.wal, maxWAL},
		{"descriptors", int64(top.files), maxFiles},
		{"connections", int64(top.conns), maxConns},
	} {
		if c.got > c.want {
			t.Errorf("%s: %d, want at most %d", c.what, c.got, c.want)
		}
	}
}

// settle compares a worker at rest with how it began.
func settle(t *testing.T, pid int, database string, first sample) {
	t.Helper()
	type bound struct {
		what      string
		got, most int64
	}
	bounds := func(s sample) []bound {
		return []bound{
			{"anonymous memory", s.anon, maxRestAnon},
			{"descriptors", int64(s.files), int64(first.files) + maxRestFiles},
			{"connections", int64(s.conns), 1},
			{"threads", int64(s.threads), int64(first.threads) + maxRestThreads},
		}
	}
	s := settled(t, pid, database, func(s sample) bool {
		return !slices.ContainsFunc(bounds(s), func(b bound) bool { return b.got > b.most })
	})
	t.Logf("at rest: rss %.1f anon %.1f MB (%.1f, %.1f at the start), %d files (%d), %d threads (%d)", mb(s.rss),
		mb(s.anon), mb(first.rss), mb(first.anon), s.files, first.files, s.threads, first.threads)
	for _, b := range bounds(s) {
		if b.got > b.most {
			t.Errorf("at rest, %s: %d, want at most %d", b.what, b.got, b.most)
		}
	}
}

// settled is a worker that has had nothing to do for a while: what the bustle
// left it in jobs takes as long as the machine makes it.
func settled(t *testing.T, pid int, database string, fine func(sample) bool) sample {
	t.Helper()
	began := time.Now()
	if tier.IsLong() {
		time.Sleep(longRest)
	} else {
		time.Sleep(rest)
	}
	s := look(t, pid, database)
	for end := began.Add(patience); !fine(s) && time.Now().Before(end); s = look(t, pid, database) {
		time.Sleep(time.Second)
	}
	t.Logf("%.0f s after the last event", time.Since(began).Seconds())
	return s
}
