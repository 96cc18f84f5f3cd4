package when_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"remanence/internal/fault"
	"remanence/internal/when"
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
		{"Sunday", day(3, 15), day(3, 16)}, // which it is now
		{"monday", day(3, 9), day(3, 10)},
		{"2026-01-31", day(1, 31), day(2, 1)},
		{"20260131", day(1, 31), day(1, 31)},
		{"2026-01-31 08:05", day(1, 31).Add(8*time.Hour + 5*time.Minute), day(1, 31).Add(8*time.Hour + 5*time.Minute)},
		{"2026-01-31T08:05:09Z", time.Date(2026, 1, 31, 8, 5, 9, 0, time.UTC), time.Date(2026, 1, 31, 8, 5, 9, 0, time.UTC)},
		{"90m", now.Add(-90 * time.Minute), now.Add(-90 * time.Minute)},
		{"1h30m", now.Add(-90 * time.Minute), now.Add(-90 * time.Minute)},
		{"0h", now, now},
		{"12h", now.Add(-12 * time.Hour), now.Add(-12 * time.Hour)},
		{"3d", now.Add(-72 * time.Hour), now.Add(-72 * time.Hour)},
		{"2w ago", now.Add(-14 * 24 * time.Hour), now.Add(-14 * 24 * time.Hour)},
		{"2mo", now.AddDate(0, -2, 0), now.AddDate(0, -2, 0)},
		{"1y", now.AddDate(-1, 0, 0), now.AddDate(-1, 0, 0)},
	} {
		from, to, err := when.Parse(tc.in, now)
		if err != nil || !from.Equal(tc.from) || !to.Equal(tc.to) {
			t.Errorf("%s: got %v to %v, %v, want %v to %v", tc.in, from, to, err, tc.from, tc.to)
		}
	}
	for _, in := range []string{"", "ago", "soon", "3", "d3", "-3d", "-1h", "3 parsecs", "2026-13-01", "999999999d"} {
		if from, _, err := when.Parse(in, now); err == nil {
			t.Errorf("%q: got %v, want an error", in, from)
		}
	}
}

func TestNothingIsFoundSinceATimeInTheFuture(t *testing.T) {
	now := time.Date(2026, 3, 15, 10, 30, 0, 0, time.Local)
	for in, want := range map[string]time.Time{
		"": {}, "now": now, "3d": now.Add(-72 * time.Hour), "today": time.Date(2026, 3, 15, 0, 0, 0, 0, time.Local),
	} {
		if got, err := when.Since(in, now); err != nil || !got.Equal(want) {
			t.Errorf("%q: got %v, %v, want %v", in, got, err, want)
		}
	}
	for _, in := range []string{"2026-03-16", "2027-01-01T00:00:00Z", "soon"} {
		if got, err := when.Since(in, now); err == nil {
			t.Errorf("%q: got %v, want an error", in, got)
		}
	}
}

func TestLengthsOfTimeAreRead(t *testing.T) {
	for in, want := range map[string]time.Duration{
		"2h": 2 * time.Hour, "30m": 30 * time.Minute, "3d": 72 * time.Hour,
		"1h30m": 90 * time.Minute, "1w": 168 * time.Hour, "90s": 90 * time.Second,
	} {
		if got, err := when.ParseDuration(in); err != nil || got != want {
			t.Errorf("%s: got %v, %v, want %v", in, got, err, want)
		}
	}
	for _, in := range []string{"", "0", "0h", "-1h", "2mo", "ever", "20000w"} {
		if got, err := when.ParseDuration(in); err == nil {
			t.Errorf("%q: got %v, want an error", in, got)
		}
	}
}

func TestALengthOfTimeWithoutAUnitIsRefusedWithTheUnits(t *testing.T) {
	for _, in := range []string{"60", " 60", "1", "3600", "60000000000"} {
		got, err := when.ParseDuration(in)
		f, ok := errors.AsType[fault.Fault](err)
		if !ok || f.Code != fault.Input.Code || got != 0 {
			t.Errorf("%q: got %v, %v, want a %s", in, got, err, fault.Input.Code)
		}
	}
	_, err := when.ParseDuration("60")
	f, _ := errors.AsType[fault.Fault](err)
	if f.Why != "the number has no unit" || !slices.Equal(f.Fix, []string{"use 60s, 60m or 60h"}) {
		t.Errorf("60: got %q and %q, want the reason and the units", f.Why, f.Fix)
	}
}

func TestUnreadableTimesAreInputFaultsWithAFix(t *testing.T) {
	_, _, time := when.Parse("soon", time.Now())
	_, length := when.ParseDuration("ever")
	for _, err := range []error{time, length} {
		f, ok := errors.AsType[fault.Fault](err)
		if !ok || f.Code != fault.Input.Code || f.Why == "" || len(f.Fix) == 0 {
			t.Errorf("got %+v, want a %s with a reason and a fix", err, fault.Input.Code)
		}
	}
}
