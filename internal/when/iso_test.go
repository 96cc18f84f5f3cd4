package when_test

import (
	"testing"
	"time"

	"remanence/internal/when"
)

func TestStampsOfOtherProgramsAreRead(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for s, want := range map[string]time.Time{
		"2026-01-02T03:04:05Z":          at,
		" 2026-01-02T03:04:05.25Z ":     at.Add(250 * time.Millisecond),
		"2026-01-02t03:04:05z":          at,
		"2026-01-02 03:04:05 UTC":       at,
		"2026-01-02T05:04:05+02:00":     at,
		"2026-01-02T05:04:05+0200":      at,
		"2026-01-02 05:04:05+02":        at,
		"2026-01-02 03:04:05":           at,
		"2026-01-02 03:04:05.123456":    at.Add(123456 * time.Microsecond),
		"2026-01-02T03:04":              at.Add(-5 * time.Second),
		"2026-01-02":                    time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC),
		"20260102T030405Z":              at,
		"20260102":                      time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC),
		"1767323045":                    at,
		"1767323045.5":                  at.Add(500 * time.Millisecond),
		"1767323045000":                 at,
		"1.767323045e12":                at,
		"1767323045000000":              at,
		"1767323045000000000":           at,
		"2026-01-02T03:04:05.000000001": at.Add(time.Nanosecond),
	} {
		if got, ok := when.ParseStamp(s, time.UTC); !ok || !got.Equal(want) {
			t.Errorf("%q: got %s, %v, want %s", s, got, ok, want)
		}
	}
	zone := time.FixedZone("x", 3600)
	if got, ok := when.ParseStamp("2026-01-02 04:04:05", zone); !ok || !got.Equal(at) {
		t.Errorf("in another zone: %s, %v", got, ok)
	}
	for _, s := range []string{
		"", " ", "soon", "2026", "0", "-5", "NaN", "Inf", "1e300", "2026-13-01", "2026-02-30", "1960-01-01", "03:04:05",
		"2026-01-02T03:04:05Zz", "99999999999999999999",
	} {
		if got, ok := when.ParseStamp(s, time.UTC); ok {
			t.Errorf("%q is read as %s", s, got)
		}
	}
	if got, ok := when.ParseISO("1767323045", time.UTC); ok {
		t.Errorf("a number is read as the date %s", got)
	}
}
