// Package when reads times and lengths of time that people and other programs
// write. It does not print them, and it reads no clock: "now" is an argument. Start
// reading at [Parse].
package when

import (
	"math"
	"strconv"
	"strings"
	"time"

	"remanence/internal/chars"
	"remanence/internal/fault"
)

// Parse reads a time that a person writes: now, today, yesterday, monday for the last Monday up to today, an ISO 8601
// date or time, or how long ago as in 90m, 12h, 3d, 2w, 2mo, 1y. It stands for from ≤ t < to: a whole day for a word or
// a date in a form with hyphens; otherwise both are equal. Times without zone are local.
func Parse(s string, now time.Time) (from, to time.Time, err error) {
	s, now = strings.TrimSpace(s), now.Local()
	switch strings.ToLower(s) {
	case "now":
		return now, now, nil
	case "today":
		from, to = day(now)
		return from, to, nil
	case "yesterday":
		from, to = day(now.AddDate(0, 0, -1))
		return from, to, nil
	}
	for back := range 7 {
		if t := now.AddDate(0, 0, -back); strings.EqualFold(s, t.Weekday().String()) {
			from, to = day(t)
			return from, to, nil
		}
	}
	if t, err := time.ParseInLocation(time.DateOnly, s, time.Local); err == nil {
		from, to = day(t)
		return from, to, nil
	}
	t, ok := ParseISO(s, time.Local)
	if !ok {
		t, ok = before(now, strings.TrimSpace(strings.TrimSuffix(s, "ago")))
	}
	if !ok {
		return from, to, fault.Input.WithMessage("not a time: %q", chars.Clip(s, 40)).
			Because("it is neither a date, nor a length of time ago, nor now, today, yesterday or a weekday").
			FixedBy("use 12h, 3d, 2w, 2mo, yesterday, monday or 2026-01-31")
	}
	return t, t, nil
}

// Since reads the time from which on something is meant, as [Parse] does. An empty text is the zero time; a time after
// now is an error, since nothing can be found from then on.
func Since(s string, now time.Time) (from time.Time, err error) {
	if s == "" {
		return from, nil
	}
	if from, _, err = Parse(s, now); err == nil && from.After(now) {
		err = fault.Input.WithMessage("%s is in the future", chars.Clip(s, 40)).
			FixedBy("name a time that is over, such as 3d")
	}
	return from, err
}

// day returns the start of the day that t is on, and of the next one.
func day(t time.Time) (from, to time.Time) {
	y, m, d := t.Date()
	from = time.Date(y, m, d, 0, 0, 0, 0, time.Local)
	return from, from.AddDate(0, 0, 1)
}

// before returns the time that lies a length of time before now.
func before(now time.Time, length string) (time.Time, bool) {
	n, unit := amount(length)
	switch unit {
	case "mo":
		return now.AddDate(0, -n, 0), true
	case "y":
		return now.AddDate(-n, 0, 0), true
	}
	d, ok := span(length)
	return now.Add(-d), ok
}

// ParseDuration reads a length of time above 0: 90m, 2h, 3d, 1w, or Go's form as in 1h30m. A number without a unit is
// an error.
func ParseDuration(s string) (time.Duration, error) {
	if d, ok := span(s); ok && d > 0 {
		return d, nil
	}
	wrong := fault.Input.WithMessage("not a length of time: %q", chars.Clip(s, 40))
	if n := strings.TrimSpace(s); n != "" && len(n) <= 9 && strings.Trim(n, "0123456789") == "" &&
		strings.Trim(n, "0") != "" {
		return 0, wrong.Because("the number has no unit").FixedBy("use " + n + "s, " + n + "m or " + n + "h")
	}
	return 0, wrong.
		Because("it is not a number above 0 with one of the units m, h, d and w").FixedBy("use 30m, 2h or 3d")
}

// span reads 12h, 3d, 2w, or Go's form.
func span(s string) (time.Duration, bool) {
	n, unit := amount(s)
	one := map[string]time.Duration{
		"m": time.Minute, "min": time.Minute, "h": time.Hour, "d": 24 * time.Hour,
		"w": 7 * 24 * time.Hour, "wk": 7 * 24 * time.Hour,
	}[unit]
	if one > 0 {
		return time.Duration(n) * one, time.Duration(n) <= math.MaxInt64/one
	}
	d, err := time.ParseDuration(s)
	return d, err == nil && d >= 0
}

// amount splits "12h" into 12 and its unit. The unit is empty if s has not that form.
func amount(s string) (n int, unit string) {
	i := strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' })
	if i <= 0 || i > 5 {
		return 0, ""
	}
	n, err := strconv.Atoi(s[:i])
	if err != nil {
		return 0, ""
	}
	return n, strings.TrimSpace(s[i:])
}
