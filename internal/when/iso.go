package when

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// isoLayouts returns the accepted ISO 8601 layouts, without fractions of a second:
// time.Parse accepts a fraction after any second.
func isoLayouts() []string {
	return []string{
		"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05Z07", "2006-01-02T15:04:05",
		"2006-01-02T15:04Z07:00", "2006-01-02T15:04", time.DateOnly,
		"20060102T150405Z0700", "20060102T150405", "20060102",
	}
}

// ParseISO parses an ISO 8601 date, or date and time; a space may replace the
// T. A time without zone is in the given zone. ok is false for anything else.
func ParseISO(s string, zone *time.Location) (t time.Time, ok bool) {
	s = strings.TrimSpace(s)
	const day = len(time.DateOnly)
	if len(s) > day && (s[day] == ' ' || s[day] == 't') {
		s = s[:day] + "T" + strings.TrimSpace(s[day+1:])
	}
	for _, zulu := range []string{"z", " UTC"} {
		if rest, found := strings.CutSuffix(s, zulu); found {
			s = rest + "Z"
		}
	}
	for _, layout := range isoLayouts() {
		if t, err := time.ParseInLocation(layout, s, zone); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// ParseStamp parses a time that another program wrote: ISO 8601, or seconds,
// milliseconds, microseconds or nanoseconds since 1970, distinguished by size.
// Eight digits are a date. ok is false for anything else, and for times before
// 1970 or after the year 9999.
func ParseStamp(s string, zone *time.Location) (t time.Time, ok bool) {
	if t, ok = ParseISO(s, zone); !ok {
		t, ok = epoch(strings.TrimSpace(s))
	}
	return t, ok && t.Unix() > 0 && t.Year() <= 9999
}

// epoch parses a number of seconds, milliseconds, microseconds or nanoseconds
// since 1970. Seconds have 9 to 11 digits between 1973 and 5138; a shorter number
// may be a year.
func epoch(s string) (time.Time, bool) {
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) || n < 1e8 {
		return time.Time{}, false
	}
	unit := time.Second
	for most := 1e11; n >= most && unit > time.Nanosecond; most *= 1000 {
		unit /= 1000
	}
	if whole, err := strconv.ParseInt(s, 10, 64); err == nil {
		perSecond := int64(time.Second / unit)
		return time.Unix(whole/perSecond, whole%perSecond*int64(unit)).UTC(), true
	}
	if n >= math.MaxInt64 {
		return time.Time{}, false
	}
	sec, part := math.Modf(n / float64(time.Second/unit))
	return time.Unix(int64(sec), int64(part*1e9)).Round(time.Microsecond).UTC(), true
}
