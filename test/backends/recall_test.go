//go:build backends && linux

package backends

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"remanence/internal/mem"
	"remanence/test/corpus"
	"remanence/test/world"
)

// BenchmarkPromptRecall sends prompts to the daemon, each of another session, while the same memories are in the file,
// on a server, and in the file again, which shows how far what else runs changed meanwhile. docs/internals/scale.md has
// its figures.
func BenchmarkPromptRecall(b *testing.B) {
	memories := 100_000
	if n, err := strconv.Atoi(os.Getenv("REMANENCE_SIZES")); err == nil {
		memories = n
	}
	var questions []string
	for range 1000 {
		questions = append(questions, corpus.Question(memories))
	}
	p, server := newMover(b, memories)
	move(b, p, server.DSN())
	for i, dsn := range []string{"sqlite:", server.DSN(), "sqlite:"} {
		name := strings.Split(dsn, ":")[0]
		p.StopWorker()
		p.Run("config", "set", "store.dsn", dsn)
		b.Run(fmt.Sprintf("%d_%s", i+1, name), func(b *testing.B) {
			rt := p.StartWorker()
			recallPrompts(b, p, questions[:20], fmt.Sprint("warm", i)) // until indexes and caches are there
			took, injected := recallPrompts(b, p, questions[:min(b.N, len(questions))], fmt.Sprint(i))
			slices.Sort(took)
			for share, unit := range map[int]string{50: "ms-p50", 95: "ms-p95", 99: "ms-p99"} {
				b.ReportMetric(took[len(took)*share/100].Seconds()*1000, unit)
			}
			b.ReportMetric(float64(injected)/float64(len(took)), "injected")
			b.ReportMetric(memoryOf(b, rt.PID), "daemon-MB")
			if name == "postgres" {
				n, err := server.Query("remanence", "SELECT pg_database_size('remanence')")
				if err != nil {
					b.Fatal(err)
				}
				bytes, _ := strconv.ParseFloat(n, 64)
				b.ReportMetric(bytes/1e6, "disk-MB")
				b.ReportMetric(memoryOf(b, server.PIDs()...), "server-MB")
				return
			}
			var bytes int64
			files, _ := filepath.Glob(filepath.Join(p.Data(), "remanence.db*"))
			for _, file := range files {
				if s, err := os.Stat(file); err == nil {
					bytes += s.Size()
				}
			}
			b.ReportMetric(float64(bytes)/1e6, "disk-MB")
		})
	}
}

// recallPrompts sends prompts of new sessions, and returns how long each took and how many answers had a context.
func recallPrompts(b *testing.B, p *world.Person, questions []string, run string) (took []time.Duration,
	injected int,
) {
	b.Helper()
	rt, err := p.Runtime()
	if err != nil {
		b.Fatal(err)
	}
	c := rt.Client("test")
	b.ResetTimer()
	for i, text := range questions {
		e := mem.Event{
			Agent: "claude-code", Kind: mem.UserPromptSubmit, At: time.Now().UTC(), Root: p.Project, Cwd: p.Project,
			Session: fmt.Sprintf("recall-%s-%d-%d", run, b.N, i), PromptID: "p1", Text: text,
		}
		e.Identify(run)
		begun := time.Now()
		got, err := c.Handle(b.Context(), e)
		if err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(begun))
		if got.Context != "" {
			injected++
		}
	}
	b.StopTimer()
	return took, injected
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
