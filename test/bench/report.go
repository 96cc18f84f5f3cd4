package main

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
)

// summary is what a case's runs come to.
type summary struct {
	least, median, p95 time.Duration
	cpu                time.Duration // median
	rss                int64         // the most of all runs, in bytes
}

// summarise needs at least one sample.
func summarise(list []sample) summary {
	var wall, cpu []time.Duration
	var s summary
	for _, x := range list {
		wall, cpu = append(wall, x.wall), append(cpu, x.cpu)
		s.rss = max(s.rss, x.rss)
	}
	slices.Sort(wall)
	slices.Sort(cpu)
	s.least, s.median, s.p95 = wall[0], quantile(wall, 50), quantile(wall, 95)
	s.cpu = quantile(cpu, 50)
	return s
}

// quantile is the least of the sorted values that p percent of them do not exceed.
func quantile(sorted []time.Duration, p int) time.Duration {
	return sorted[(len(sorted)*p+99)/100-1]
}

func heading(o options, p programs) string {
	binary := int64(0)
	if info, err := os.Stat(p.remanence); err == nil {
		binary = info.Size()
	}
	return fmt.Sprintf("%s/%s, %d CPUs, up to %d runs of each case in turn, binary %.1f MB\n",
		runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), o.runs, mb(binary))
}

// table is one row a case.
func table(memories int, cases []*bench) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\nwhole processes, %d memories\n", memories)
	fmt.Fprintf(&b, "%-14s%6s%9s%11s%9s%9s%9s%9s%12s%8s\n", "case", "runs", "min ms", "median ms", "p95 ms", "× empty",
		"cpu ms", "× empty", "max rss MB", "missed")
	empty := summarise(cases[0].samples)
	for _, c := range cases {
		if len(c.samples) == 0 {
			continue
		}
		s := summarise(c.samples)
		fmt.Fprintf(&b, "%-14s%6d%9.2f%11.2f%9.2f%9.1f%9.2f%9.1f%12.1f%8d\n", c.name, len(c.samples),
			ms(s.least), ms(s.median), ms(s.p95), times(s.median, empty.median), ms(s.cpu), times(s.cpu, empty.cpu), mb(s.rss),
			c.missed)
	}
	b.WriteString("cpu: median of user and system time, of the process alone and not of the worker.\n" +
		"rss: no less than that of the small process which measures; the empty one's is that.\n" +
		"missed: runs that did something else than the case says, such as no answer in time; their times count.\n")
	return b.String()
}

// workers is one row a size of the store.
func workers(list []growth) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\nthe worker\n%10s%11s%9s%9s%9s%12s%11s%9s%9s\n",
		"memories", "database", "cold", "idle", "peak", "50 hooks", "16 clients", "4: p50", "4: p99")
	fmt.Fprintf(&b, "%10s%11s%9s%9s%9s%12s%11s%9s%9s\n", "", "MB", "ms", "MB rss", "MB rss", "ms in all", "events/s", "ms",
		"ms")
	for _, g := range list {
		fmt.Fprintf(&b, "%10d%11.1f%9.0f%9.1f%9.1f%12.0f%11.0f%9.2f%9.2f\n",
			g.memories, mb(g.database), ms(g.cold), mb(g.idle), mb(g.peak), ms(g.parallel), g.rate, ms(g.p50), ms(g.p99))
	}
	return b.String()
}

func ms(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }

func mb(n int64) float64 { return float64(n) / 1e6 }

func times(a, b time.Duration) float64 { return float64(a) / float64(max(b, 1)) }

// lines are the runs the way Go prints benchmarks, one a line.
func lines(memories int, cases []*bench) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\ngoos: %s\ngoarch: %s\npkg: remanence/test/bench\n", runtime.GOOS, runtime.GOARCH)
	for _, c := range cases {
		for _, s := range c.samples {
			fmt.Fprintf(&b, "BenchmarkProcess/%s/memories=%d-%d\t1\t%d ns/op\t%d cpu-ns/op\t%d max-rss-B\n",
				c.name, memories, runtime.NumCPU(), s.wall.Nanoseconds(), s.cpu.Nanoseconds(), s.rss)
		}
	}
	return b.String()
}
