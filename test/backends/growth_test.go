//go:build backends && linux

package backends

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"remanence/internal/api"
	"remanence/internal/mem"
	"remanence/internal/recall"
	"remanence/test/corpus"
	"remanence/test/pgserver"
	"remanence/test/world"
)

// BenchmarkGrowth measures hooks, searches and a purge while the same memories are in the file, on a server, and in the
// file again, which shows how far what else runs changed meanwhile. docs/internals/scale.md has its figures.
// REMANENCE_SIZES are the numbers of memories.
func BenchmarkGrowth(b *testing.B) {
	sizes := []int{1_000, 10_000, 100_000}
	if list := os.Getenv("REMANENCE_SIZES"); list != "" {
		sizes = nil
		for size := range strings.SplitSeq(list, ",") {
			n, err := strconv.Atoi(size)
			if err != nil {
				b.Fatal(err)
			}
			sizes = append(sizes, n)
		}
	}
	for _, memories := range sizes {
		b.Run(strconv.Itoa(memories), func(b *testing.B) {
			begun := time.Now()
			p, server := newMover(b, memories)
			filled := time.Since(begun)
			move(b, p, server.DSN())
			b.Logf("filled in %.0f s, moved in %.0f s", filled.Seconds(), (time.Since(begun) - filled).Seconds())
			for i, dsn := range []string{"sqlite:", server.DSN(), "sqlite:"} {
				name := strings.Split(dsn, ":")[0]
				p.StopWorker()
				p.Run("config", "set", "store.dsn", dsn)
				b.Run(fmt.Sprintf("%d_%s", i+1, name), func(b *testing.B) { measure(b, p, server, name, i, memories) })
			}
		})
	}
}

// measure measures a store, from when the index is in RAM. What is measured first is done for half a minute before.
func measure(b *testing.B, p *world.Person, server *pgserver.Server, store string, run, memories int) {
	b.Helper()
	if b.N == 1 {
		return // only asks whether it works, and takes as long as all else
	}
	rt := p.StartWorker()
	c := rt.Client("test")
	handle := func(kind mem.EventKind, session string, set func(*mem.Event)) mem.Reply {
		e := mem.Event{
			Agent: "claude-code", Kind: kind, At: time.Now().UTC(), Root: p.Project, Cwd: p.Project, PromptID: "p1",
			Session: fmt.Sprintf("%s-%d-%d", session, run, b.N),
		}
		set(&e)
		e.Identify(session)
		got, err := c.Handle(b.Context(), e)
		if err != nil {
			b.Fatal(err)
		}
		return got
	}
	injected := 0
	prompt := func(i int) {
		if handle(mem.UserPromptSubmit, fmt.Sprint("recall", i), func(e *mem.Event) {
			e.Text = corpus.Question(memories)
		}).Context != "" {
			injected++
		}
	}
	begun := time.Now()
	for end := begun.Add(20 * time.Minute); !indexes(b, p) && time.Now().Before(end); {
		time.Sleep(3 * time.Second) // the metrics count all memories
	}
	b.Logf("the index was in RAM after %.0f s", time.Since(begun).Seconds())
	times(60, func(i int) { prompt(-1 - i); time.Sleep(time.Second / 2) }) // recall is calibrated
	injected = 0
	b.ResetTimer()
	report(b, "recall", times(b.N, prompt))
	b.ReportMetric(float64(injected)/float64(b.N), "injected")
	report(b, "capture", times(b.N, func(i int) {
		handle(mem.PostToolUse, "capture", func(e *mem.Event) {
			e.Tool, e.ToolUseID = mem.ToolShell, fmt.Sprint("toolu", i)
			e.Input = json.RawMessage(fmt.Sprintf(`{"command": "make step-%d"}`, i))
			e.Response = json.RawMessage(`{"stdout": "ok"}`)
		})
	}))
	report(b, "start", times(max(b.N/4, 1), func(i int) {
		handle(mem.SessionStart, fmt.Sprint("start", i), func(e *mem.Event) { e.Source = "startup" })
	}))
	report(b, "search", times(b.N, func(int) {
		var got recall.SearchResponse
		req := recall.SearchRequest{Query: mem.Query{Text: corpus.Question(memories), Limit: 10}}
		req.Dir = p.Project
		if err := c.Call(b.Context(), api.Search.Name, req, &got); err != nil {
			b.Fatal(err)
		}
	}))
	b.ReportMetric(memoryOf(b, rt.PID), "daemon-MB")
	if store == "postgres" {
		n, err := server.Query("remanence", "SELECT pg_database_size('remanence')")
		if err != nil {
			b.Fatal(err)
		}
		bytes, _ := strconv.ParseFloat(n, 64)
		b.ReportMetric(bytes/1e6, "disk-MB")
		b.ReportMetric(memoryOf(b, server.PIDs()...), "server-MB")
	} else {
		b.ReportMetric(float64(sizeOf(filepath.Join(p.Data(), "remanence.db*")))/1e6, "disk-MB")
	}
	id := p.Run("add", "the launch code is swordfish", "--json")
	id = regexp.MustCompile(`m_\w+`).FindString(id)
	report(b, "purge", times(1, func(int) { p.Run("purge", id, "--yes") }))
	b.StopTimer()
}

// times calls f n times, and returns how long each took, the shortest first.
func times(n int, f func(i int)) (took []time.Duration) {
	for i := range n {
		begun := time.Now()
		f(i)
		took = append(took, time.Since(begun))
	}
	slices.Sort(took)
	return took
}

// report reports the median and the 95th percentile in milliseconds.
func report(b *testing.B, what string, took []time.Duration) {
	b.Helper()
	for _, share := range []int{50, 95} {
		b.ReportMetric(took[len(took)*share/100].Seconds()*1000, fmt.Sprintf("%s-ms-p%d", what, share))
	}
}

// sizeOf is the number of bytes in the files of a pattern.
func sizeOf(pattern string) (bytes int64) {
	files, _ := filepath.Glob(pattern)
	for _, file := range files {
		if s, err := os.Stat(file); err == nil {
			bytes += s.Size()
		}
	}
	return bytes
}

// memoryOf is the memory of processes in megabytes, with a fair share of what they have in common.
func memoryOf(b *testing.B, pids ...int) (mb float64) {
	b.Helper()
	for _, pid := range pids {
		f, err := os.Open(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
		if err != nil {
			continue // it has ended
		}
		for in := bufio.NewScanner(f); in.Scan(); {
			if n, found := strings.CutPrefix(in.Text(), "Pss:"); found {
				kb, _ := strconv.ParseFloat(strings.Fields(n)[0], 64)
				mb += kb / 1000
			}
		}
		_ = f.Close()
	}
	return mb
}
