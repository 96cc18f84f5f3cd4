package rank

import (
	"math"
	"testing"
	"time"

	"remanence/internal/mem"
)

func TestMerit(t *testing.T) {
	for _, c := range []struct {
		name     string
		m        mem.Memory
		embedded bool
		want     float64
	}{
		{"by importance and confidence", mem.Memory{Kind: mem.Discovery, Importance: 0.5, Confidence: 0.5}, false, 0.35},
		{"with a vector", mem.Memory{Kind: mem.Discovery, Importance: 0.5, Confidence: 0.5}, true, 0.40},
		{"convention", mem.Memory{Kind: mem.Convention, Importance: 0.5, Confidence: 0.5}, false, 0.45},
		{"howto", mem.Memory{Kind: mem.Howto, Importance: 0.5, Confidence: 0.5}, false, 0.45},
		{"fix", mem.Memory{Kind: mem.ErrorFix, Importance: 0.5, Confidence: 0.5}, false, 0.43},
		{"fact", mem.Memory{Kind: mem.Fact, Importance: 0.5, Confidence: 0.5}, false, 0.41},
		{
			"used once",
			mem.Memory{Kind: mem.Discovery, Importance: 0.5, Confidence: 0.5, Uses: 1},
			false,
			0.35 + math.Log10(2)/2,
		},
		{"use adds 0.2 at most", mem.Memory{Kind: mem.Discovery, Importance: 0.5, Confidence: 0.5, Uses: 1000}, false, 0.55},
		{"never above 1", mem.Memory{Kind: mem.Convention, Importance: 1, Confidence: 1, Uses: math.MaxInt}, true, 1},
		{"no numbers", mem.Memory{Kind: mem.Discovery, Importance: math.NaN(), Confidence: math.Inf(-1), Uses: -7}, false, 0},
		{"endless numbers", mem.Memory{Kind: mem.Discovery, Importance: math.Inf(1), Confidence: math.Inf(1)}, false, 0},
		{
			"huge numbers",
			mem.Memory{Kind: mem.Discovery, Importance: math.MaxFloat64, Confidence: math.MaxFloat64},
			false,
			0.7,
		},
	} {
		if got := Merit(c.m, c.embedded); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: merit %v, want %v", c.name, got, c.want)
		}
	}
}

func TestWhatFadesGoesToTheArchive(t *testing.T) {
	aged := func(days int, set func(*mem.Memory)) mem.Memory {
		m := mem.Memory{Scope: mem.ScopeProject, Kind: mem.Fact, Status: mem.Active, Importance: 0.8, Confidence: 0.5}
		m.Created = now.Add(-time.Duration(days) * day)
		m.Updated = m.Created
		if set != nil {
			set(&m)
		}
		return m
	}
	for _, c := range []struct {
		name         string
		m            mem.Memory
		stale, faded bool
	}{
		{"young", aged(13, func(m *mem.Memory) { m.Importance = 0.05 }), false, false},
		{"weak", aged(15, func(m *mem.Memory) { m.Importance = 0.05 }), false, true},
		{"strong", aged(15, nil), false, false},
		{"after three weeks and a day", aged(22, nil), false, true},
		{"used once", aged(29, func(m *mem.Memory) { m.Uses = 1 }), false, true},
		{"used twice", aged(29, func(m *mem.Memory) { m.Uses = 2 }), false, false},
		{"used twice, a month ago", aged(30, func(m *mem.Memory) { m.Uses = 2 }), true, false},
		{"used three times, long ago", aged(300, func(m *mem.Memory) { m.Uses = 3 }), false, false},
		{
			"used yesterday, made long ago", aged(300, func(m *mem.Memory) { m.Uses, m.LastUsed = 1, now.Add(-day) }), false,
			false,
		},
		{"pinned", aged(300, func(m *mem.Memory) { m.Pinned = true }), true, false},
		{"archived", aged(89, func(m *mem.Memory) { m.Status = mem.Archived }), false, false},
		{"forgotten", aged(200, func(m *mem.Memory) { m.Status = mem.Forgotten }), false, false},
	} {
		if s, f := Stale(c.m, now), Faded(c.m, now); s != c.stale || f != c.faded {
			t.Errorf("%s: stale %v, faded %v, want %v, %v", c.name, s, f, c.stale, c.faded)
		}
	}
}
