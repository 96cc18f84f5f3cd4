package event

import "time"

// KeptSince is the time from which on what agents reported word for word is
// kept; ok is false where all of it is.
func (e *Service) KeptSince() (t time.Time, ok bool) { return e.DaysAgo(e.Settings().RetentionDays) }

// maxDays is as good as never, and still a date.
const maxDays = 36500

// DaysAgo is a number of days before now; ok is false where that means never.
func (e *Service) DaysAgo(days int) (t time.Time, ok bool) {
	return e.Now().AddDate(0, 0, -min(days, maxDays)), days > 0 && days < maxDays
}
