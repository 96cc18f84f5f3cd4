package main

import (
	"fmt"
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

// table is one row a case.
func table(o options, cases []*bench, took time.Duration) string {
	var b strings.Builder
	fmt.Fprintf(&b, "whole processes: %d runs of each in turn, %d memories, %s/%s, %d CPUs, %s\n",
		o.runs, o.memories, runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), took.Round(time.Second))
	fmt.Fprintf(&b, "%-14s%9s%11s%9s%9s%12s%8s\n", "case", "min ms", "median ms", "p95 ms", "cpu ms", "max rss MB", "missed")
	for _, c := range cases {
		s := summarise(c.samples)
		fmt.Fprintf(&b, "%-14s%9.2f%11.2f%9.2f%9.2f%12.1f%8d\n",
			c.name, ms(s.least), ms(s.median), ms(s.p95), ms(s.cpu), float64(s.rss)/1e6, c.missed)
	}
	b.WriteString("cpu: median of user and system time, of the process alone and not of the worker.\n" +
		"rss: no less than that of the small process which measures; the empty one's is that.\n" +
		"missed: runs that did something else than the case says, such as no answer in time; their times count.\n")
	return b.String()
}

func ms(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }

// lines are the runs the way Go prints benchmarks, one a line.
func lines(cases []*bench) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\ngoos: %s\ngoarch: %s\npkg: remanence/test/bench\n", runtime.GOOS, runtime.GOARCH)
	for _, c := range cases {
		for _, s := range c.samples {
			fmt.Fprintf(&b, "BenchmarkProcess/%s-%d\t1\t%d ns/op\t%d cpu-ns/op\t%d max-rss-B\n",
				c.name, runtime.NumCPU(), s.wall.Nanoseconds(), s.cpu.Nanoseconds(), s.rss)
		}
	}
	return b.String()
}
