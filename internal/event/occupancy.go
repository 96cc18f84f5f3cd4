package event

import "time"

// JobFill is the kind of job that looks how full the context of a session is.
const JobFill = "fill"

// HandoffRules say when a handoff is asked for and told.
type HandoffRules struct {
	Threshold   float64       // share of the window from which one is asked for; 0 is never
	Rearm       float64       // share below which it will be asked for again
	SampleEvery time.Duration // how often a session's context is looked at, at most
	MaxAge      time.Duration // an older one is not told to a new session; 0 is never
}

// ThresholdOf is a share that can be: one that cannot is the default.
func (h HandoffRules) ThresholdOf() float64 {
	if h.Threshold >= 0 && h.Threshold <= 1 {
		return h.Threshold
	}
	return defaultHandoff.Threshold
}

// RearmAt returns the fraction of the window below which a handoff may be asked
// for again, 0…1.
func (h HandoffRules) RearmAt() float64 {
	if h.Rearm >= 0 && h.Rearm < h.ThresholdOf() {
		return h.Rearm
	}
	return min(defaultHandoff.Rearm, h.ThresholdOf()/2)
}
