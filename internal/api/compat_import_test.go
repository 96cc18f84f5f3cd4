package api_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"remanence/internal/api"
	"remanence/internal/mem"
)

func TestWhatAnotherMemoryKeptIsReadInEveryForm(t *testing.T) {
	const row = `{"project":"shop","type":"bugfix","title":"Logins raced","narrative":"Two at once.","facts":"[\"one ` +
		`lock\"]","files_read":"[\"a.go\"]","created_at_epoch":1767225600000}`
	const summary = `{"project":"shop","request":"make the logins safe","learned":"one lock a ` +
		`session","created_at_epoch":1767225600000}`
	for name, c := range map[string]struct {
		text     string
		memories int
		left     int
	}{
		"an export": {`{"observations":[` + row + `],"summaries":[` + summary +
			`],"sessions":[{}],"prompts":[{},{}]}`, 2, 3},
		"rows":             {`[` + row + `,` + summary + `]`, 2, 0},
		"one on each line": {row + "\n" + summary + "\n", 2, 0},
		"several exports":  {`{"observations":[` + row + `]}` + "\n" + `{"summaries":[` + summary + `]}`, 2, 0},
		"rows of a server": {`[{"status":"OK","time":"1ms","result":[` + row + `,` + summary +
			`]},{"status":"OK","result":null}]`, 2, 0},
		"nothing":              {"", 0, 0},
		"nothing that we know": {`{"a":1}`, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := api.ReadExport(strings.NewReader(c.text))
			if err != nil || len(got.Memories) != c.memories || got.LeftOut["sessions"]+got.LeftOut["prompts"] != c.left {
				t.Fatalf("got %+v, %v, want %d memories and %d left out", got, err, c.memories, c.left)
			}
			if c.memories == 0 {
				return
			}
			m, s := got.Memories[0], got.Memories[1]
			if m.Kind != "bugfix" || m.Title != "Logins raced" || m.Body != "Two at once." || len(m.Facts) != 1 ||
				len(m.Files) != 1 || !m.Created.Equal(time.UnixMilli(1767225600000)) {
				t.Errorf("observation %+v", m)
			}
			if s.Kind != mem.Summary || s.Summary == nil || s.Summary.Learned != "one lock a session" || s.Project != "shop" {
				t.Errorf("summary %+v", s)
			}
		})
	}
	own, err := api.ReadExport(strings.NewReader(`{"schema":"remanence.memory/v1","memories":[{"id":"m_1",` +
		`"kind":"gotcha",` +
		`"title":"No ` +
		`Retry-After","body":null,"facts":[],"tags":["net"],"files":["client.go"],"command":null,` +
		`"created":"2026-09-12T08:14:03Z"}]}`))
	if err != nil || len(own.Memories) != 1 {
		t.Fatalf("our own: %+v, %v", own, err)
	}
	if m := own.Memories[0]; m.Kind != mem.Gotcha || m.Title != "No Retry-After" || len(m.Tags) != 1 ||
		m.Created.Year() != 2026 {
		t.Errorf("our own %+v", m)
	}
	if got := readOld(t, `[{"title":"x","result":"three tests failed"},{"title":"y","status":"open","result":"none"},`+
		`{"title":"z","status":"open","result":[{"title":"no response"}]}]`); len(got.Memories) != 3 {
		t.Errorf("of records with a result: %+v", got.Memories)
	}
	for _, bad := range []string{`nonsense`, `{"observations":3}`, `[1]`, `{"title":3}`, `{"observations":[`, `3`} {
		if got, err := api.ReadExport(strings.NewReader(bad)); err == nil {
			t.Errorf("%s: read as %+v", bad, got)
		}
	}
}

func readOld(t *testing.T, text string) api.ExportedMemories {
	t.Helper()
	got, err := api.ReadExport(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return got
}

func TestATextIsTakenOverWhateverItsFieldIsCalled(t *testing.T) {
	for _, field := range []string{
		"body", "narrative", "content", "text", "description", "observation",
		"compressed_observation", "subtitle", "Content", "compressedObservation",
	} {
		got := readOld(t, `{"title":"Carts expire","`+field+`":"after an hour"}`)
		if len(got.Memories) != 1 || got.Memories[0].Body != "after an hour" || len(got.Dropped()) != 0 {
			t.Errorf("%s: got %+v, dropped %+v", field, got.Memories, got.Dropped())
		}
		if got := readOld(t, `{"`+field+`":"after an hour"}`+"\n"); len(got.Memories) != 1 ||
			got.Memories[0].Body != "after an hour" {
			t.Errorf("%s alone on a line: got %+v, dropped %+v", field, got.Memories, got.Dropped())
		}
	}
	m := readOld(t, `[{"title":"Carts expire","subtitle":"soon","narrative":"after an hour","text":"after an `+
		`hour","notes":"ask the shop"}]`).Memories[0]
	if m.Body != "after an hour\n\nsoon\n\nask the shop" {
		t.Errorf("of several texts is kept %q", m.Body)
	}
	long := strings.Repeat("long ", 60)
	if m := readOld(t, `[{"title":"`+long+`","text":"rest"}]`).Memories[0]; !strings.HasPrefix(m.Body,
		strings.TrimSpace(long)) || !strings.HasSuffix(m.Body, "rest") {
		t.Errorf("of a title that is too long is kept %q", m.Body)
	}
	if m := readOld(t, `[{"facts":["one","two"]}]`).Memories[0]; m.Body != "one" || len(m.Facts) != 1 {
		t.Errorf("of facts alone is kept %+v", m)
	}
	if m := readOld(t, `[{"facts":"a plain text","title":"x"}]`).Memories[0]; len(m.Facts) != 1 ||
		m.Facts[0] != "a plain text" {
		t.Errorf("of a fact that is no list is kept %+v", m)
	}
	s := readOld(t, `{"summaries":[{"learned":"there are two kinds","files_edited":["a.go"]},{"summary":"a plain `+
		`text","title":"x"}]}`).Memories
	if s[0].Title != "there are two kinds" || s[0].Summary == nil || len(s[0].Modified) != 1 ||
		s[1].Body != "a plain text" {
		t.Errorf("summaries are kept as %+v", s)
	}
}

func TestADateIsTakenOverInEveryForm(t *testing.T) {
	want := time.Date(2025, 3, 4, 5, 6, 7, 0, time.UTC)
	for _, date := range []string{
		`"created_at":"2025-03-04T05:06:07Z"`, `"created_at":"2025-03-04T05:06:07.000Z"`,
		`"created_at":"2025-03-04 05:06:07"`, `"createdAt":"2025-03-04T07:06:07+02:00"`,
		`"created":"2025-03-04T05:06:07Z"`, `"timestamp":1741064767`, `"created_at_epoch":1741064767`,
		`"created_at_epoch":1741064767000`,
		`"created_at":1741064767000`, `"created_at":"1741064767"`, `"created_at":"nonsense","created_at_epoch":1741064767000`,
	} {
		got := readOld(t, `[{"title":"x",`+date+`}]`)
		if at := got.Memories[0].Created; !at.Equal(want) || len(got.Dropped()) != 0 {
			t.Errorf("%s: got %s, dropped %+v", date, at, got.Dropped())
		}
	}
	got := readOld(t, `[{"title":"x","created_at":"soon"},{"title":"y","created_at":"later"},{"title":"z",`+
		`"created_at":"2999-01-01"}]`)
	if len(got.Memories) != 3 || !slices.Equal(names(got), []string{"2 date in created_at", "1 date in the future"}) {
		t.Errorf("of dates that cannot be read: %v", names(got))
	}
}

// names are what is named as dropped, with its number.
func names(got api.ExportedMemories) (out []string) {
	for _, d := range got.Dropped() {
		if d.Why == "" {
			out = append(out, "no reason for:")
		}
		out = append(out, fmt.Sprint(d.Count, " ", d.What))
	}
	return out
}

func TestWhatIsNotTakenOverIsNamedWithItsNumber(t *testing.T) {
	got := readOld(t, `{"exportedAt":"2026-01-01","settings":[{"a":1},{}],"nothing":[],"observations":[
		{"id":1,"title":"x","mood":"calm","empty":"","none":null,"list":"[]"},{"id":2,"title":"y","mood":"wild",`+
		`"summary":{"learned":"z","odd":1}}],
		"sessions":[{"id":3}],"prompts":[{"id":4}]}`)
	want := []string{"2 entries of settings", "2 field id", "2 field mood", "1 field exportedAt", "1 field summary.odd"}
	if !slices.Equal(names(got), want) || got.LeftOut["sessions"] != 1 || got.LeftOut["prompts"] != 1 {
		t.Errorf("got %q and %v, want %q", names(got), got.LeftOut, want)
	}
	if got := readOld(t, `{"a":1}`+"\n"+`{"id":5,"tool_name":"Bash"}`); !slices.Equal(names(got),
		[]string{"2 value without memories"}) {
		t.Errorf("got %q", names(got))
	}
	var wide strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&wide, `,"f%d":1`, i)
	}
	if all := readOld(t, `[{"title":"x"`+wide.String()+`}]`).Dropped(); len(all) != 201 || all[0].Count != 800 {
		t.Errorf("of a thousand fields %d are named, and %+v", len(all), all[0])
	}
}

func TestASessionWithAnUnusableIDIsLeftOutAndCounted(t *testing.T) {
	long := strings.Repeat("x", 121)
	got := readOld(t, `{"observations":[{"title":"a","session_id":"`+long+`"}],"sessions":[{"id":"`+long+
		`","started_at":"2026-01-02"},{"id":"s","started_at":"2026-01-02"}],"prompts":[{"session_id":"`+long+
		`","prompt":"p","created_at":"2026-01-02"}]}`)
	if len(got.Sessions) != 1 || got.Sessions[0].ID != "s" || len(got.Memories) != 1 || got.Memories[0].Session != "" {
		t.Errorf("got %+v and %+v", got.Sessions, got.Memories)
	}
	if !slices.Contains(names(got), "1 session") {
		t.Errorf("named: %q", names(got))
	}
}

func TestARecordHasTheProjectOfItsSessionAndOfItsFile(t *testing.T) {
	got := readOld(t,
		`{"project":"one","observations":[{"title":"a"},{"title":"b","project":"own"},{"title":"c","session_id":7},`+
			`{"title":"d","memory_session_id":"s-7"}],
		"sessions":[{"id":7,"memory_session_id":"s-7","project":"till"}]}`+"\n"+
			`{"project":"two","observations":[{"title":"e"}]}`)
	var projects []string
	for _, m := range got.Memories {
		projects = append(projects, m.Project)
	}
	if want := []string{"one", "own", "till", "till", "two"}; !slices.Equal(projects, want) {
		t.Errorf("got %q, want %q", projects, want)
	}
}
