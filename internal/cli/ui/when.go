package ui

import (
	"fmt"
	"strings"
	"time"

	"remanence/internal/config"
	"remanence/internal/fault"
	"remanence/internal/mem"
)

// ParseSpan reads what a person calls a time: "now", "today", "yesterday", a date, a
// date and time, or how long ago as in 90m, 12h, 3d, 2w, 2mo, 1y. A word or a
// date stands for a whole day: from is its start, to its end. Else both are the same.
func ParseSpan(s string, now time.Time) (from, to time.Time, err error) {
	now = now.Local()
	day := func(t time.Time) (time.Time, time.Time, error) {
		y, m, d := t.Date()
		start := time.Date(y, m, d, 0, 0, 0, 0, time.Local)
		return start, start.AddDate(0, 0, 1), nil
	}
	s = strings.TrimSpace(s)
	switch strings.ToLower(s) {
	case "now":
		return now, now, nil
	case "today":
		return day(now)
	case "yesterday":
		return day(now.AddDate(0, 0, -1))
	}
	if t, err := time.ParseInLocation("2006-01-02", s, time.Local); err == nil {
		return day(t)
	}
	if t, ok := mem.ParseISOTime(s, time.Local); ok {
		return t, t, nil
	}
	n, unit, ok := config.Amount(strings.TrimSuffix(s, " ago"))
	switch {
	case ok && unit == "mo":
		t := now.AddDate(0, -n, 0)
		return t, t, nil
	case ok && unit == "y":
		t := now.AddDate(-n, 0, 0)
		return t, t, nil
	case ok && unit != "":
		t := now.Add(-time.Duration(n) * config.UnitOf(unit))
		return t, t, nil
	}
	return from, to, fault.Input.Saying("%q is no time", s).FixedBy("use 12h, 3d, 2w, yesterday or 2026-01-31")
}

// Ago is how long d is, short: "now", "5 min", "3 h", "4 d", "3 wk", "5 mo", "2 y".
func Ago(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%d min", d/time.Minute)
	case d < 2*day:
		return fmt.Sprintf("%d h", d/time.Hour)
	case d < 14*day:
		return fmt.Sprintf("%d d", d/day)
	case d < 60*day:
		return fmt.Sprintf("%d wk", d/(7*day))
	case d < 730*day:
		return fmt.Sprintf("%d mo", d/(30*day))
	}
	return fmt.Sprintf("%d y", d/(365*day))
}

// Lasted is how long something takes already, as a person says it behind "for".
func Lasted(d time.Duration) string {
	if d < time.Minute {
		return "less than a minute"
	}
	return Ago(d)
}

// Date is the local day of t, short: the time of day for today, else "12 Sep",
// with the year if it is another.
func Date(t, now time.Time) string {
	t, now = t.Local(), now.Local()
	switch {
	case t.IsZero():
		return ""
	case t.Year() == now.Year() && t.YearDay() == now.YearDay():
		return t.Format("15:04")
	case t.Year() == now.Year():
		return t.Format("02 Jan")
	}
	return t.Format("02 Jan 2006")
}

// DateTime is the local date and time of t: "3 Sep 14:02", with the year if it is another.
func DateTime(t, now time.Time) string {
	t = t.Local()
	if t.Year() == now.Local().Year() {
		return t.Format("2 Jan 15:04")
	}
	return t.Format("2 Jan 2006 15:04")
}
