package event_test

import (
	"reflect"
	"testing"

	"remanence/internal/event"
	"remanence/internal/mem"
)

// set gives every field of a struct a value that is not its zero value.
func set(t *testing.T, v reflect.Value) {
	t.Helper()
	for i := range v.NumField() {
		f := v.Field(i)
		switch f.Kind() {
		case reflect.String:
			f.SetString("x")
		case reflect.Bool:
			f.SetBool(true)
		case reflect.Int:
			f.SetInt(1)
		case reflect.Pointer:
			f.Set(reflect.New(f.Type().Elem()))
		case reflect.Slice:
			f.Set(reflect.MakeSlice(f.Type(), 1, 1))
		case reflect.Struct:
			set(t, f)
		default:
			t.Fatalf("no value for a field of kind %s", f.Kind())
		}
	}
}

func TestMergeKeepsEveryFieldOfBothChanges(t *testing.T) {
	var full event.Changes
	set(t, reflect.ValueOf(&full).Elem())
	var c event.Changes
	c.Merge(full)
	if !reflect.DeepEqual(c, full) {
		t.Errorf("nothing merged with changes: got %+v, want %+v", c, full)
	}
	c.Merge(event.Changes{})
	if !reflect.DeepEqual(c, full) {
		t.Errorf("changes merged with nothing: got %+v, want %+v", c, full)
	}
}

func TestMergeAppendsListsAndLetsTheLastValueCount(t *testing.T) {
	c := event.Changes{
		Session:  mem.SessionChange{Status: mem.Running, Processing: new(true), FirstPrompt: "fix the build"},
		Memories: []mem.Memory{{ID: "m_1"}},
	}
	c.Merge(
		event.Changes{Session: mem.SessionChange{Status: mem.Completed}, Memories: []mem.Memory{{ID: "m_2"}}},
		event.Changes{Session: mem.SessionChange{Processing: new(false)}, Memories: []mem.Memory{{ID: "m_3"}}},
	)
	if c.Session.Status != mem.Completed || *c.Session.Processing || c.Session.FirstPrompt != "fix the build" {
		t.Errorf("got session %+v, want it completed, not processing and with its first prompt", c.Session)
	}
	if len(c.Memories) != 3 || c.Memories[0].ID != "m_1" || c.Memories[2].ID != "m_3" {
		t.Errorf("got memories %v, want three in the order of the changes", c.Memories)
	}
}

func TestMergedTurnHasTheLowestTrust(t *testing.T) {
	for _, tt := range []struct {
		name        string
		first, next mem.TurnChange
		want        mem.Trust
		tainted     bool
	}{
		{"neither is tainted", mem.TurnChange{}, mem.TurnChange{}, 0, false},
		{"a later taint", mem.TurnChange{}, mem.TurnChange{Tainted: true, Taint: mem.TrustTool}, mem.TrustTool, true},
		{"an earlier taint", mem.TurnChange{Tainted: true, Taint: mem.TrustTool}, mem.TurnChange{}, mem.TrustTool, true},
		{
			"the lower of two",
			mem.TurnChange{Tainted: true, Taint: mem.TrustNone},
			mem.TurnChange{Tainted: true, Taint: mem.TrustTool},
			mem.TrustNone, true,
		},
	} {
		c := event.Changes{Turn: tt.first}
		c.Merge(event.Changes{Turn: tt.next})
		if c.Turn.Taint != tt.want || c.Turn.Tainted != tt.tainted {
			t.Errorf("%s: got taint %v (%v), want %v (%v)", tt.name, c.Turn.Taint, c.Turn.Tainted, tt.want, tt.tainted)
		}
	}
}
