package ui

import (
	"fmt"
	"time"
)

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

// Lasted is a length of time as a person reads it behind "for".
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
