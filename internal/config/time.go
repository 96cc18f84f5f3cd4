package config

import (
	"math"
	"strconv"
	"strings"
	"time"

	"remanence/internal/fault"
)

// Amount splits "12h" into 12 and its unit; unit is "" for one that is unknown.
func Amount(s string) (n int, unit string, ok bool) {
	i := strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' })
	if i <= 0 || i > 5 {
		return 0, "", false
	}
	n, err := strconv.Atoi(s[:i])
	unit = strings.TrimSpace(s[i:])
	one := UnitOf(unit)
	return n, unit, err == nil && (unit == "mo" || unit == "y" || one > 0 && time.Duration(n) <= math.MaxInt64/one)
}

// UnitOf returns the length of a unit of time, 0 for an unknown one.
func UnitOf(unit string) time.Duration {
	switch unit {
	case "m", "min":
		return time.Minute
	case "h":
		return time.Hour
	case "d":
		return 24 * time.Hour
	case "w", "wk":
		return 7 * 24 * time.Hour
	}
	return 0
}

// ParseDuration reads a length of time: 90m, 2h, 3d, 1w, or Go's form as in 1h30m.
func ParseDuration(s string) (time.Duration, error) {
	if n, unit, ok := Amount(s); ok && UnitOf(unit) > 0 && n > 0 {
		return time.Duration(n) * UnitOf(unit), nil
	}
	if d, err := time.ParseDuration(s); err == nil && d > 0 {
		return d, nil
	}
	return 0, fault.Input.Saying("%q is no length of time", s).FixedBy("use 30m, 2h or 3d")
}
