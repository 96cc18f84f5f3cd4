package main

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"text/tabwriter"
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

// table prints one row a case.
func table(out io.Writer, o options, cases []*bench, took time.Duration) error {
	fmt.Fprintf(out, "whole processes: %d runs of each in turn, %d memories, %s/%s, %d CPUs, %s\n",
		o.runs, o.memories, runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), took.Round(time.Second))
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "case\tmin ms\tmedian ms\tp95 ms\tcpu ms\tmax rss MB\tmissed\t")
	for _, c := range cases {
		s := summarise(c.samples)
		fmt.Fprintf(t, "%s\t%.2f\t%.2f\t%.2f\t%.2f\t%.1f\t%d\t\n",
			c.name, ms(s.least), ms(s.median), ms(s.p95), ms(s.cpu), float64(s.rss)/1e6, c.missed)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(out, "cpu: median of user and system time, of the process alone and not of the worker.\n"+
		"rss: no less than that of the small process which measures; the empty one's is that.\n"+
		"missed: runs that did something else than the case says, such as no answer in time; their times count.")
	return err
}

func ms(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }

// lines prints every run the way Go prints benchmarks.
func lines(out io.Writer, cases []*bench) {
	fmt.Fprintf(out, "\ngoos: %s\ngoarch: %s\npkg: remanence/test/bench\n", runtime.GOOS, runtime.GOARCH)
	for _, c := range cases {
		for _, s := range c.samples {
			fmt.Fprintf(out, "BenchmarkProcess/%s-%d\t1\t%d ns/op\t%d cpu-ns/op\t%d max-rss-B\n",
				c.name, runtime.NumCPU(), s.wall.Nanoseconds(), s.cpu.Nanoseconds(), s.rss)
		}
	}
}
