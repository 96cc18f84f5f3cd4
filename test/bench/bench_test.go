package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestQuantileIsTheNearestRank(t *testing.T) {
	var twenty []time.Duration
	for i := range 20 {
		twenty = append(twenty, time.Duration(i+1))
	}
	for _, c := range []struct {
		sorted []time.Duration
		p      int
		want   time.Duration
	}{
		{twenty, 50, 10},
		{twenty, 95, 19},
		{twenty[:1], 95, 1},
		{twenty[:3], 50, 2},
		{twenty[:3], 95, 3},
	} {
		if got := quantile(c.sorted, c.p); got != c.want {
			t.Errorf("quantile %d of %v: got %d, want %d", c.p, c.sorted, got, c.want)
		}
	}
}

func TestAStarterReportIsReadInFullOrNotAtAll(t *testing.T) {
	got, err := read("5000 200 30 7 0\n")
	if err != nil || got.wall != 5000 || got.cpu != 230 || got.rss < 7 {
		t.Errorf("got %+v, %v; want 5µs wall, 230ns cpu, 7 or 7 KB", got, err)
	}
	for _, report := range []string{"", "5000 200 30 7", "5000 200 30 7 0 0", "a 200 30 7 0", "5000 200 30 7 2"} {
		if got, err := read(report); err == nil {
			t.Errorf("read %q: got %+v, want an error", report, got)
		}
	}
}

func TestMemoryOfALargeParentIsNotCountedForTheChild(t *testing.T) {
	dir := t.TempDir()
	p := programs{empty: filepath.Join(dir, "empty"), starter: filepath.Join(dir, "starter")}
	for _, file := range []string{p.empty, p.starter} {
		cmd := exec.Command("go", "build", "-o", file, "./testdata/"+filepath.Base(file))
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("build: %v\n%s", err, out)
		}
	}
	const large = 64 << 20
	ballast := bytes.Repeat([]byte{1}, large)
	s, err := p.run(t.Context(), call{args: []string{p.empty}})
	if err != nil {
		t.Fatal(err)
	}
	if s.rss <= 0 || s.rss > int64(len(ballast))/4 {
		t.Errorf("got %d bytes for an empty process, want no more than %d", s.rss, len(ballast)/4)
	}
}

func TestARowThatMeasuresSomethingElseIsRefused(t *testing.T) {
	c := &bench{name: "recall"}
	for i := range 20 {
		c.add(sample{}, i >= 2)
	}
	if err := plausible([]*bench{c}); err != nil {
		t.Errorf("2 of 20: got %v, want nil", err)
	}
	c.add(sample{}, false)
	if err := plausible([]*bench{c}); err == nil {
		t.Error("3 of 21: got nil, want an error")
	}
}

func TestEveryRunIsALineForBenchstat(t *testing.T) {
	c := &bench{name: "recall"}
	c.add(sample{wall: 3 * time.Millisecond, cpu: time.Millisecond, rss: 4096}, true)
	c.add(sample{wall: 4 * time.Millisecond, cpu: time.Millisecond, rss: 4096}, true)
	got := lines(1000, []*bench{c})
	for _, want := range []string{"\t3000000 ns/op\t1000000 cpu-ns/op\t4096 max-rss-B\n", "\t4000000 ns/op\t"} {
		if !strings.Contains(got, want) {
			t.Errorf("got\n%s\nwant a line with %q", got, want)
		}
	}
}
