package mem

import (
	"encoding/json"
	"slices"
	"testing"
	"time"
)

func ruleClock() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

func TestRepeatedMemoryKeepsTheLowerTrust(t *testing.T) {
	for name, tt := range map[string]struct{ stored, next, want Trust }{
		"lower":  {TrustAssistant, TrustTool, TrustTool},
		"higher": {TrustTool, TrustAssistant, TrustTool},
		"person": {TrustTool, TrustUser, TrustUser},
	} {
		got, ok := Memory{Title: "a", Trust: tt.stored}.Repeated(Memory{Title: "b", Trust: tt.next}, ruleClock())
		if !ok || got.Trust != tt.want || got.Title != "b" || got.Repeats != 1 || !got.Updated.Equal(ruleClock()) {
			t.Errorf("%s: %+v, %v, want trust %v", name, got, ok, tt.want)
		}
	}
}

func TestRepeatedMemoryHasTheFilesOfBoth(t *testing.T) {
	stored := Memory{Files: Strings{"a.go", "b.go"}}
	got, _ := stored.Repeated(Memory{Files: Strings{"b.go", "c.go"}}, ruleClock())
	if want := []string{"a.go", "b.go", "c.go"}; !slices.Equal(got.Files, want) {
		t.Errorf("files %v, want %v", got.Files, want)
	}
	if len(stored.Files) != 2 {
		t.Errorf("the stored memory changed: %v", stored.Files)
	}
}

func TestRepeatedUtteranceChangesNothing(t *testing.T) {
	m := Memory{Kind: Utterance, Title: "hello", Repeats: 3}
	if got, ok := m.Repeated(m, ruleClock()); ok || got.Repeats != 3 {
		t.Errorf("%+v, %v", got, ok)
	}
}

func TestEditLeavesTheTimeOfUpdateAloneWhereItOnlyCounts(t *testing.T) {
	title, then := "new", ruleClock().Add(-time.Hour)
	stored := Memory{Title: "old", Status: Archived, Updated: then}
	for name, tt := range map[string]struct {
		edit    Edit
		updated time.Time
		status  Status
	}{
		"title":   {Edit{Title: &title}, ruleClock(), Archived},
		"anchors": {Edit{Anchors: []Anchor{{File: "a"}}}, then, Archived},
		"use":     {Edit{Used: 1}, then, Active},
	} {
		got, ok := tt.edit.Apply(stored, ruleClock())
		if !ok || !got.Updated.Equal(tt.updated) || got.Status != tt.status {
			t.Errorf("%s: updated %v, status %s, %v, want %v, %s", name, got.Updated, got.Status, ok, tt.updated, tt.status)
		}
	}
	if _, ok := (Edit{From: Active, Title: &title}).Apply(stored, ruleClock()); ok {
		t.Error("an edit of active memories changed an archived one")
	}
}

func TestAUseCountsOncePerTurn(t *testing.T) {
	m := Memory{}
	for _, turn := range []string{"one", "one", "two"} {
		m, _ = Edit{Used: 1, UsedIn: Use{Turn: turn}}.Apply(m, ruleClock())
	}
	want := []Use{{Turn: "one", At: ruleClock()}, {Turn: "two", At: ruleClock()}}
	if m.Uses != 2 || !slices.Equal(m.UsedIn, want) {
		t.Errorf("%d uses in %v, want 2", m.Uses, m.UsedIn)
	}
}

func TestAUseIsReadFromAnOlderStore(t *testing.T) {
	var uses []Use
	old := `["s1/p1",{"turn":"s2/p1","how":"edited","file":"a.go"}]`
	if err := json.Unmarshal([]byte(old), &uses); err != nil {
		t.Fatal(err)
	}
	if want := []Use{{Turn: "s1/p1"}, {Turn: "s2/p1", How: Edited, File: "a.go"}}; !slices.Equal(uses, want) {
		t.Errorf("got %+v, want %+v", uses, want)
	}
}

func TestTurnGetsTheNextNumberOnce(t *testing.T) {
	first, numbered := TurnChange{Text: "go", Person: true}.Apply(Turn{Trust: TrustUser}, 4)
	if !numbered || first.Number != 5 || first.Text != "go" {
		t.Errorf("%+v, %v", first, numbered)
	}
	again, numbered := TurnChange{Text: "other", Person: true, Tainted: true}.Apply(first, 5)
	if numbered || again.Number != 5 || again.Text != "go" || again.Trust != TrustNone {
		t.Errorf("%+v, %v", again, numbered)
	}
}
