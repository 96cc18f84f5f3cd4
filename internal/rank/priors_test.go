package rank

import (
	"math"
	"testing"
	"time"

	"remanence/internal/mem"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func order(hits []mem.Hit) []string {
	var out []string
	for _, h := range hits {
		out = append(out, h.Memory.ID)
	}
	return out
}

func TestAuthority(t *testing.T) {
	for _, tt := range []struct {
		hits, prevented float64
		age             time.Duration
		want            float64
	}{
		{0, 0, 0, 1},
		{-5, math.NaN(), 0, 1},
		{math.Inf(1), 0, 0, 1},
		{9, 0, 0, 1 + 0.8*math.Log(10)/(math.Log(10)+12)},
		{0, 4, 0, 1.4},
		{0, 4, 30 * day, 1 + 0.8*12/math.E/(12/math.E+12)},
		{0, 4, -day, 1.4},
		{1e300, 1e300, 0, 1.8},
	} {
		got := authority(tt.hits, tt.prevented, tt.age, 0)
		if math.Abs(got-tt.want) > 1e-6 || got < 1 || got > 1.8 {
			t.Errorf("Authority(%v, %v, %v) = %v, want %v", tt.hits, tt.prevented, tt.age, got, tt.want)
		}
	}
}

func TestWeight(t *testing.T) {
	for _, tt := range []struct {
		hits, prevented float64
		age, life       time.Duration
		want            float64
	}{
		{0, 0, 0, 0, 1},
		{2, 1, 0, 0, 6},
		{2, 1, 30 * day, 0, 6 / math.E},
		{2, 1, 10 * day, 10 * day, 6 / math.E},
		{math.NaN(), -1, 0, -day, 1},
	} {
		if got := documents(tt.hits, tt.prevented, tt.age, tt.life); math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("Weight(%v, %v, %v, %v) = %v, want %v", tt.hits, tt.prevented, tt.age, tt.life, got, tt.want)
		}
	}
}

func TestStrength(t *testing.T) {
	for _, tt := range []struct {
		name string
		m    mem.Memory
		want float64
	}{
		{"fresh", mem.Memory{Importance: 0.8, Confidence: 0.5, Created: now}, 0.4},
		{"project halves in a week", mem.Memory{
			Importance: 1, Confidence: 1, Scope: mem.ScopeProject,
			Created: now.Add(-7 * day),
		}, 0.5},
		{"user halves in a month", mem.Memory{
			Importance: 1, Confidence: 1, Scope: mem.ScopeUser,
			Created: now.Add(-30 * day),
		}, 0.5},
		{
			"session halves in a day",
			mem.Memory{Importance: 1, Confidence: 1, Scope: mem.ScopeSession, Created: now.Add(-day)},
			0.5,
		},
		{
			"howto halves in a month",
			mem.Memory{Importance: 1, Confidence: 1, Kind: mem.Howto, Created: now.Add(-30 * day)},
			0.5,
		},
		{
			"so does preference",
			mem.Memory{Importance: 1, Confidence: 1, Kind: mem.Preference, Created: now.Add(-30 * day)},
			0.5,
		},
		{"scratch halves in a day", mem.Memory{
			Importance: 1, Confidence: 1, Kind: mem.Scratch, Scope: mem.ScopeUser,
			Created: now.Add(-day),
		}, 0.5},
		{"its own half-life goes before its kind's", mem.Memory{
			Importance: 1, Confidence: 1, Kind: mem.Howto, HalfLife: 2,
			Created: now.Add(-2 * day),
		}, 0.5},
		{"a half-life of 0 is none", mem.Memory{Importance: 1, Confidence: 1, HalfLife: 0, Created: now.Add(-7 * day)}, 0.5},
		{"nor is a negative one", mem.Memory{Importance: 1, Confidence: 1, HalfLife: -2, Created: now.Add(-7 * day)}, 0.5},
		{"nor one that is no number", mem.Memory{
			Importance: 1, Confidence: 1, HalfLife: math.NaN(),
			Created: now.Add(-7 * day),
		}, 0.5},
		{
			"nor an endless one",
			mem.Memory{Importance: 1, Confidence: 1, HalfLife: math.Inf(1), Created: now.Add(-7 * day)},
			0.5,
		},
		{"a huge one is bounded", mem.Memory{Importance: 1, Confidence: 1, HalfLife: 1e300, Created: now}, 1},
		{"negative uses", mem.Memory{Importance: 1, Confidence: 1, Uses: -20, Created: now.Add(-7 * day)}, 0.5},
		{"huge uses", mem.Memory{Importance: 1, Confidence: 1, Uses: math.MaxInt, Created: now.Add(-7 * day)}, 1},
		{"without a time", mem.Memory{Importance: 1, Confidence: 1}, 0},
		{
			"use counts from the last one",
			mem.Memory{Importance: 1, Confidence: 1, Created: now.Add(-99 * day), LastUsed: now},
			1,
		},
		{
			"each use lengthens the half-life",
			mem.Memory{Importance: 1, Confidence: 1, Uses: 20, Created: now.Add(-28 * day)},
			0.5,
		},
		{"pinned stays", mem.Memory{Importance: 1, Confidence: 1, Pinned: true, Created: now.Add(-99 * day)}, 1},
		{"from the future", mem.Memory{Importance: 1, Confidence: 1, Created: now.Add(day)}, 1},
		{"no numbers", mem.Memory{Importance: math.NaN(), Confidence: math.Inf(1), Created: now}, 0},
		{"too large", mem.Memory{Importance: 7, Confidence: 7, Created: now}, 1},
	} {
		if got := Strength(tt.m, now); math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestProfileWeightsAddUpToOne(t *testing.T) {
	for _, p := range []Profile{Balanced, Codebase, Preferences, Debugging, NewProject, Architecture} {
		if sum := p.Weight(mem.ScopeSession) + p.Weight(mem.ScopeProject) + p.Weight(mem.ScopeUser); math.Abs(sum-1) > 1e-9 {
			t.Errorf("%q adds up to %v, want 1", p, sum)
		}
	}
}
