package llm

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"remanence/internal/mem"
)

const tags = `Here is what I found.
<observation kind="x">
  <type>bugfix</type>
  <title>Logins raced &amp; lost</title>
  <subtitle>lock order</subtitle>
  <facts><fact>per session now</fact><fact> two requests </fact></facts>
  <narrative>Two requests took the lock
in another order: a &lt; b.</narrative>
  <concepts>
    <concept>locking</concept>
  </concepts>
  <files_read><file>auth/session.go</file></files_read>
  <files_modified><file>auth/session.go</file></files_modified>
</observation>
<SUMMARY>
  <request>fix the tests</request><investigated>the lock</investigated><learned>order matters</learned>
  <completed>done</completed><next_steps>None.</next_steps>
</SUMMARY>`

const inJSON = `{"observations":[{"type":"bugfix","title":"Logins raced & lost","subtitle":"lock order",` +
	`"facts":["per session now"," two requests "],
"narrative":"Two requests took the lock\nin another order: a < b.","concepts":"- locking\n",` +
	`"files_read":["auth/session.go"],"files_modified":["auth/session.go"],"importance":1e999}],
"summary":{"request":"fix the tests","investigated":"the lock","learned":["order matters"],"completed":"done",` +
	`"next_steps":null}}`

func want() mem.Digest {
	return mem.Digest{
		Observations: []mem.Observation{{
			Type: "bugfix", Title: "Logins raced & lost", Subtitle: "lock order",
			Narrative: "Two requests took the lock\nin another order: a < b.",
			Facts:     []string{"per session now", "two requests"}, Concepts: []string{"locking"},
			Read: []string{"auth/session.go"}, Modified: []string{"auth/session.go"},
		}},
		Summary: &mem.SummaryText{
			Request: "fix the tests", Investigated: "the lock", Learned: "order matters",
			Completed: "done",
		},
	}
}

func TestBothFormsSayTheSame(t *testing.T) {
	plain := strings.Replace(inJSON, `,"importance":1e999`, "", 1)
	for name, text := range map[string]string{
		"tags": tags, "JSON": plain, "JSON in a fence": "Sure!\n```json\n" + plain + "\n```\n",
		"JSON behind another": "I saw {\"a\": 1} and [x].\n" + plain,
		"tags in a fence":     "```xml\n" + tags + "\n```", "tags after braces": tags +
			"\n{\"observations\": [{\"title\": \"no\"}]}",
	} {
		got, err := Parse(text)
		if err != nil || !reflect.DeepEqual(got, want()) {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
	}
}

func TestWhatIsBrokenIsReadAsFarAsItGoes(t *testing.T) {
	for name, c := range map[string]struct {
		text   string
		titles []string
		sum    bool
		ok     bool
	}{
		"nothing worth keeping": {"<skip_summary/>", nil, false, true},
		"with a reason":         {`<skip_summary reason="chat" />`, nil, false, true},
		"so in JSON":            {`{"skip_summary":true}`, nil, false, true},
		"NaN":                   {`{"observations":[{"title":"a","importance":NaN}]}`, nil, false, false},
		"an empty list":         {`{"observations":[]}`, nil, false, true},
		"not skipped":           {`{"skip_summary":false}`, nil, false, false},
		"one alone":             {`{"title":"a","type":"fact"}`, []string{"a"}, false, true},
		"a list":                {`[{"title":"a"},{"title":"b"},7,null]`, []string{"a", "b"}, false, true},
		"cut in the second": {
			"<observation><title>a</title></observation><observation><title>b",
			[]string{"a"},
			false, true,
		},
		"JSON cut in the third": {
			`{"summary":{"request":"r \" ` +
				`]"},"observations":[{"title":"a","facts":["}"]},{"title":"b","importance":1e999},{"title":"c","facts":["x"],"narr`,
			[]string{"a", "b"},
			true, true,
		},
		"a list cut in the third":   {`[{"title":"a"},{"title":"b"},{"title":"c`, []string{"a", "b"}, false, true},
		"JSON cut in its first":     {`{"observations":[{"title":"a","facts":["x"`, nil, false, false},
		"JSON cut behind a bracket": {`{"observations":[]`, nil, false, false},
		"cut in the summary":        {"<summary><request>r</request><learned>l", nil, true, true},
		"without titles":            {"<observation><narrative>x</narrative></observation>", nil, false, false},
		"items without tags": {
			"<observation><title>a</title><facts>\n- one\n- two\n</facts></observation>",
			[]string{"a"},
			false, true,
		},
		"an empty summary": {"<summary></summary>", nil, false, false},
		"words":            {"I'm sorry, I can't.", nil, false, false},
		"empty":            {"", nil, false, false},
		"numbers":          {`{"observations":[{"title":7,"facts":[1,2]}]}`, nil, false, true},
		"another name":     {"<observations><title>a</title></observations>", nil, false, false},
		"a nested one": {
			"<observation><title>a <observation>b</title></observation>",
			[]string{"a <observation>b"},
			false, true,
		},
		"a number of any size": {inJSON, []string{"Logins raced & lost"}, true, true},
	} {
		got, err := Parse(c.text)
		if (err == nil) != c.ok || err != nil && !errors.Is(err, errAnswer) {
			t.Errorf("%s: %v", name, err)
		}
		var titles []string
		for _, o := range got.Observations {
			titles = append(titles, o.Title)
		}
		if !reflect.DeepEqual(titles, c.titles) || (got.Summary != nil) != c.sum {
			t.Errorf("%s: got %q, summary %v", name, titles, got.Summary)
		}
	}
}

func TestWhatIsReadIsBounded(t *testing.T) {
	huge := strings.Repeat("é\x00 ", 50_000)
	o := "<observation><title>t" + huge + "</title><facts>" + strings.Repeat("<fact>f"+strings.Repeat("x", 100)+"</fact>",
		500) + "</facts></observation>"
	d, err := Parse(strings.Repeat(o, 30))
	if err != nil {
		t.Fatal(err)
	}
	bounded(t, d)
}

func bounded(t *testing.T, d mem.Digest) {
	t.Helper()
	if len(d.Observations) > maxObservations {
		t.Errorf("%d observations", len(d.Observations))
	}
	text := func(s string) {
		if utf8.RuneCountInString(s) > maxText || !utf8.ValidString(s) || strings.ContainsAny(s, "\x00\x1b\x7f") {
			t.Errorf("a text of %d characters: %.40q", utf8.RuneCountInString(s), s)
		}
	}
	for _, o := range d.Observations {
		for _, s := range []string{o.Type, o.Title, o.Subtitle, o.Narrative} {
			text(s)
		}
		for _, list := range [][]string{o.Facts, o.Concepts, o.Read, o.Modified} {
			if len(list) > maxList {
				t.Errorf("a list of %d", len(list))
			}
			for _, s := range list {
				text(s)
			}
		}
		if o.Title == "" {
			t.Error("an observation without a title")
		}
	}
	if s := d.Summary; s != nil {
		for _, part := range []string{s.Request, s.Investigated, s.Learned, s.Completed, s.NextSteps, s.Notes} {
			text(part)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		tags, inJSON, "<skip_summary/>", "<observation", "</observation>",
		"<observation><title>a</title></observation", "[[[[", `{"observations":{"a":`, `[{"title":"a"},{"title":"b"},{"t`,
		"<summary ><request\n>x</request >", "&#0;<title>&#x110000;",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d, err := Parse(s)
		if err != nil {
			return
		}
		bounded(t, d)
		b, err := json.Marshal(map[string]any{"observations": spoken(d), "summary": d.Summary, "skip_summary": true})
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse(string(b))
		if err != nil || len(again.Observations) != len(d.Observations) {
			t.Errorf("%q is read as %+v, and that as %+v, %v", s, d, again, err)
		}
	})
}

// spoken are observations in the words of the contract.
func spoken(d mem.Digest) []map[string]any {
	out := []map[string]any{}
	for _, o := range d.Observations {
		out = append(out, map[string]any{"title": o.Title, "facts": o.Facts, "narrative": o.Narrative})
	}
	return out
}
