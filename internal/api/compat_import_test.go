package api_test

import (
	"strings"
	"testing"
	"time"

	"remanence/internal/api"
	"remanence/internal/mem"
)

func TestWhatAnotherMemoryKeptIsReadInEveryForm(t *testing.T) {
	const row = `{"project":"shop","type":"bugfix","title":"Logins raced","narrative":"Two at once.","facts":"[\"one lock\"]","files_read":"[\"a.go\"]","created_at_epoch":1767225600000}`
	const summary = `{"project":"shop","request":"make the logins safe","learned":"one lock a session","created_at_epoch":1767225600000}`
	for name, c := range map[string]struct {
		text     string
		memories int
		left     int
	}{
		"an export":            {`{"observations":[` + row + `],"summaries":[` + summary + `],"sessions":[{}],"prompts":[{},{}]}`, 2, 3},
		"rows":                 {`[` + row + `,` + summary + `]`, 2, 0},
		"one on each line":     {row + "\n" + summary + "\n", 2, 0},
		"several exports":      {`{"observations":[` + row + `]}` + "\n" + `{"summaries":[` + summary + `]}`, 2, 0},
		"nothing":              {"", 0, 0},
		"nothing that we know": {`{"a":1}`, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := api.ReadOld(strings.NewReader(c.text))
			if err != nil || len(got.Memories) != c.memories || got.LeftOut["sessions"]+got.LeftOut["prompts"] != c.left {
				t.Fatalf("got %+v, %v, want %d memories and %d left out", got, err, c.memories, c.left)
			}
			if c.memories == 0 {
				return
			}
			m, s := got.Memories[0], got.Memories[1]
			if m.Kind != "bugfix" || m.Title != "Logins raced" || m.Body != "Two at once." || len(m.Facts) != 1 || len(m.Files) != 1 || !m.Created.Equal(time.UnixMilli(1767225600000)) {
				t.Errorf("observation %+v", m)
			}
			if s.Kind != mem.Summary || s.Summary == nil || s.Summary.Learned != "one lock a session" || s.Project != "shop" {
				t.Errorf("summary %+v", s)
			}
		})
	}
	own, err := api.ReadOld(strings.NewReader(`{"schema":"remanence.memory/v1","memories":[{"id":"m_1","kind":"gotcha","title":"No Retry-After","body":null,"facts":[],"tags":["net"],"files":["client.go"],"command":null,"created":"2026-09-12T08:14:03Z"}]}`))
	if err != nil || len(own.Memories) != 1 {
		t.Fatalf("our own: %+v, %v", own, err)
	}
	if m := own.Memories[0]; m.Kind != mem.Gotcha || m.Title != "No Retry-After" || len(m.Tags) != 1 || m.Created.Year() != 2026 {
		t.Errorf("our own %+v", m)
	}
	for _, bad := range []string{`nonsense`, `{"observations":3}`, `[1]`, `{"title":3}`, `{"observations":[`, `3`} {
		if got, err := api.ReadOld(strings.NewReader(bad)); err == nil {
			t.Errorf("%s: read as %+v", bad, got)
		}
	}
}
