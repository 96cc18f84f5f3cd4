package ui

import (
	"strings"
	"time"

	"remanence/internal/mem"
)

// PauseItem is one pause in force.
type PauseItem struct {
	Target     string     `json:"target"` // all, a project's or a session's id
	Until      *time.Time `json:"until"`  // null: until resumed
	InjectOnly bool       `json:"inject_only"`
}

// PausesOf returns the JSON form of pauses.
func PausesOf(ps []mem.Pause) []PauseItem {
	out := []PauseItem{}
	for _, p := range ps {
		out = append(out, PauseItem{Target: p.Target, Until: TimeOrNil(p.Until), InjectOnly: p.InjectOnly})
	}
	return out
}

// PauseHere is the widest pause that counts in a project, or in any if that is empty; nil if there is none.
func PauseHere(ps []PauseItem, project string) (widest *PauseItem) {
	for _, it := range ps {
		if project != "" && it.ofProject() && it.Target != project {
			continue
		}
		if widest == nil || it.Target == "all" || it.ofProject() && widest.Target != "all" {
			widest = &it
		}
	}
	return widest
}

func (it PauseItem) ofProject() bool { return strings.HasPrefix(it.Target, "p_") }

// End is the command that ends a pause, wherever it is typed.
func (it PauseItem) End() string {
	switch {
	case it.Target == "all":
		return "remanence resume --scope all"
	case it.ofProject():
		return "remanence resume --project " + it.Target
	}
	return "remanence resume --session " + it.Target
}

// Sentence describes in one line what is paused and until when.
func (it PauseItem) Sentence(now time.Time) string {
	what, until := "nothing is captured or injected", "until resumed"
	if it.InjectOnly {
		what = "nothing is injected"
	}
	if it.Until != nil {
		until = "until " + DateTime(*it.Until, now)
	}
	return OneLine(it.Target) + ", " + what + ", " + until
}
