package ui

import (
	"testing"
	"time"
)

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
