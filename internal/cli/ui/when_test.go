package ui

import (
	"testing"
	"time"
)

func TestPeoplesTimesAreRead(t *testing.T) {
	now := time.Date(2026, 3, 15, 14, 30, 0, 0, time.Local)
	day := func(m time.Month, d int) time.Time { return time.Date(2026, m, d, 0, 0, 0, 0, time.Local) }
	for _, tc := range []struct {
		in       string
		from, to time.Time
	}{
		{"now", now, now},
		{"today", day(3, 15), day(3, 16)},
		{"Yesterday", day(3, 14), day(3, 15)},
		{"2026-01-31", day(1, 31), day(2, 1)},
		{"2026-01-31 08:05", day(1, 31).Add(8*time.Hour + 5*time.Minute), day(1, 31).Add(8*time.Hour + 5*time.Minute)},
		{"2026-01-31T08:05:09Z", time.Date(2026, 1, 31, 8, 5, 9, 0, time.UTC), time.Date(2026, 1, 31, 8, 5, 9, 0, time.UTC)},
		{"90m", now.Add(-90 * time.Minute), now.Add(-90 * time.Minute)},
		{"12h", now.Add(-12 * time.Hour), now.Add(-12 * time.Hour)},
		{"3d", now.Add(-72 * time.Hour), now.Add(-72 * time.Hour)},
		{"2w ago", now.Add(-14 * 24 * time.Hour), now.Add(-14 * 24 * time.Hour)},
		{"2mo", now.AddDate(0, -2, 0), now.AddDate(0, -2, 0)},
		{"1y", now.AddDate(-1, 0, 0), now.AddDate(-1, 0, 0)},
	} {
		from, to, err := ParseSpan(tc.in, now)
		if err != nil || !from.Equal(tc.from) || !to.Equal(tc.to) {
			t.Errorf("%s: got %v to %v, %v, want %v to %v", tc.in, from, to, err, tc.from, tc.to)
		}
	}
	for _, in := range []string{"", "soon", "3", "d3", "-3d", "3 parsecs", "2026-13-01", "999999999d"} {
		if from, _, err := ParseSpan(in, now); err == nil {
			t.Errorf("%q: got %v, want an error", in, from)
		}
	}
}

func TestAgesAreShort(t *testing.T) {
	const day = 24 * time.Hour
	for d, want := range map[time.Duration]string{
		-time.Hour: "now", 59 * time.Second: "now", 5 * time.Minute: "5 min", 26 * time.Hour: "26 h",
		4 * day: "4 d", 21 * day: "3 wk", 150 * day: "5 mo", 800 * day: "2 y",
	} {
		if got := Ago(d); got != want {
			t.Errorf("%v: got %q, want %q", d, got, want)
		}
	}
}

func TestDatesNameTheYearOnlyIfItIsAnother(t *testing.T) {
	now := time.Date(2026, 3, 15, 14, 30, 0, 0, time.Local)
	for _, tc := range []struct {
		t    time.Time
		want string
	}{
		{now.Add(-time.Hour), "13:30"},
		{now.AddDate(0, -1, 0), "15 Feb"},
		{now.AddDate(-1, 0, 0), "15 Mar 2025"},
		{time.Time{}, ""},
	} {
		if got := Date(tc.t, now); got != tc.want {
			t.Errorf("%v: got %q, want %q", tc.t, got, tc.want)
		}
	}
}
