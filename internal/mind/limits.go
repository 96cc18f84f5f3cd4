package mind

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"remanence/internal/chars"
	"remanence/internal/workstate"
)

// limitsFile is a project's own limits, in the form of another program that
// keeps the same files.
const limitsFile = ".memoryforge.config.json"

// limits are the person's, and over them the project's own.
func (f *Files) limits(top *folder) (workstate.Limits, []string) {
	l := bounded(f.cfg.Limits())
	b, _, err := top.read(limitsFile, maxConfig)
	if err != nil {
		return l, []string{fmt.Sprintf("%s is not read: %v", limitsFile, err)}
	}
	if len(b) == 0 {
		return l, nil
	}
	return ownLimits(l, b)
}

// limit is one of the limits by its name in a project's own file.
type limit struct {
	name  string
	least int
	set   func(*workstate.Limits, int)
}

func allLimits() []limit {
	return []limit{
		{"keepSessionsFull", 1, func(l *workstate.Limits, n int) { l.KeepSessions = n }},
		{"keepDecisionsFull", 1, func(l *workstate.Limits, n int) { l.KeepDecisions = n }},
		{"archiveAfterDays", 1, func(l *workstate.Limits, n int) {
			l.ArchiveAfter = time.Duration(min(n, 100_000)) * 24 * time.Hour
		}},
		{"trackingMaxLines", 10, func(l *workstate.Limits, n int) { l.TrackingLines = n }},
		{"compressThresholdBytes", 1000, func(l *workstate.Limits, n int) { l.CompressBytes = int64(n) }},
		{"sessionLogTailLines", 0, func(l *workstate.Limits, n int) { l.LogTail = n }},
		{"briefingRecentDecisions", 0, func(l *workstate.Limits, n int) { l.RecentDecisions = n }},
		{"briefingMaxProgressLines", 0, func(l *workstate.Limits, n int) { l.ProgressLines = n }},
		{"maxCheckpointFiles", 3, func(l *workstate.Limits, n int) { l.Checkpoints = n }},
		{"staleWarningSeconds", 60, func(l *workstate.Limits, n int) {
			l.StaleAfter = time.Duration(min(n, 1<<30)) * time.Second
		}},
	}
}

// ownLimits reads a project's own limits over l. What is unknown or not a number
// in its bounds is left out and named.
func ownLimits(l workstate.Limits, b []byte) (workstate.Limits, []string) {
	var own map[string]json.RawMessage
	if err := json.Unmarshal(b, &own); err != nil {
		return l, []string{fmt.Sprintf("%s does not parse: %v", limitsFile, err)}
	}
	var warnings []string
	for _, k := range allLimits() {
		raw, ok := own[k.name]
		delete(own, k.name)
		if !ok {
			continue
		}
		var n float64
		if json.Unmarshal(raw, &n) != nil || n != math.Floor(n) || n < float64(k.least) || n > math.MaxInt32 {
			warnings = append(warnings, fmt.Sprintf("%s: %s is a whole number from %d; it is left out", limitsFile, k.name,
				k.least))
			continue
		}
		k.set(&l, int(n))
	}
	for _, name := range slices.Sorted(maps.Keys(own)) {
		warnings = append(warnings, fmt.Sprintf("%s: unknown key %q", limitsFile, chars.Clip(chars.Line(name), 60)))
	}
	return l, warnings
}

// bounded puts defaults in the place of zeros that would be of no use. No lines
// in a briefing are of use: they are none.
func bounded(l workstate.Limits) workstate.Limits {
	d := workstate.DefaultLimits()
	for _, p := range []struct {
		v   *int
		def int
	}{
		{&l.KeepSessions, d.KeepSessions},
		{&l.KeepDecisions, d.KeepDecisions},
		{&l.TrackingLines, d.TrackingLines},
		{&l.Checkpoints, d.Checkpoints},
	} {
		if *p.v <= 0 {
			*p.v = p.def
		}
	}
	l.LogTail, l.RecentDecisions, l.ProgressLines = max(0, l.LogTail), max(0, l.RecentDecisions), max(0, l.ProgressLines)
	l.Checkpoints = max(l.Checkpoints, 3)
	if l.ArchiveAfter <= 0 {
		l.ArchiveAfter = d.ArchiveAfter
	}
	if l.CompressBytes <= 0 {
		l.CompressBytes = d.CompressBytes
	}
	if l.StaleAfter <= 0 {
		l.StaleAfter = d.StaleAfter
	}
	return l
}
