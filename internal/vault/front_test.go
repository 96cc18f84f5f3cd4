package vault

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"remanence/internal/vaultfile"
)

func TestWhatPeopleWriteIsRead(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		want vaultfile.Note
	}{
		"plain": {
			"---\nname: No Friday deploys\ndescription: When to deploy # not before noon\ntype: feedback\ntags: [deploy, " +
				"ops]\nprojects:\n  - shop\n  - \"web: shop\"\nhits: 3\nprevented: 1\nlast_applied: 2026-02-03\ncreated: " +
				"2026-01-02\nhalf_life_days: 45.5\ncritical: true\nevergreen: yes\ninvariant: Never deploy on a Friday.\nid: " +
				"m_7\n---\n\nBecause of March.\n",
			vaultfile.Note{
				Name: "No Friday deploys", Description: "When to deploy", Type: "feedback", Tags: []string{"deploy", "ops"},
				Projects: []string{"shop", "web: shop"},
				Hits:     3, Caught: 1, LastApplied: day(2026, 2, 3), Created: day(2026, 1, 2), HalfLife: 45.5, Critical: true,
				Evergreen: true,
				Invariant: "Never deploy on a Friday.", ID: "m_7", Body: "Because of March.",
			},
		},
		"nested maps, block scalars, bare scalars": {
			"---\nname: |\n  Two\n  lines\nmeta:\n  type: design\n  deep:\n    name: inner\ndescription: >-\n  folded over\n " +
				" two lines\ntype: reference\njust a line\n# a comment: here\ntags:\n- a\n- b\n---\nbody",
			vaultfile.Note{
				Name: "Two lines", Description: "folded over two lines", Type: "reference", Tags: []string{"a", "b"},
				Body: "body",
			},
		},
		"a colon in a value": {
			"---\nname: Retry: how\ndescription: use X: not Y\n---\nb",
			vaultfile.Note{Name: "Retry: how", Description: "use X: not Y", Type: "feedback", Body: "b"},
		},
		"no second fence": {"---\nname: A\ntype: user\n\n# Heading\ntext", vaultfile.Note{
			Name: "A", Type: "user",
			Body: "# Heading\ntext",
		}},
		"no first fence": {"name: A\ntype: user\n---\nbody", vaultfile.Note{
			Name: "A", Type: "user",
			Body: "body",
		}},
		"no fences": {"name: A\ntype: user\n\nbody: x", vaultfile.Note{
			Name: "A", Type: "user",
			Body: "body: x",
		}},
		"no frontmatter": {"# Title\n\nname: not one", vaultfile.Note{
			Name: "feedback_x", Type: "feedback",
			Body: "# Title\n\nname: not one",
		}},
		"two rules, no frontmatter": {
			"---\n\nName your price.\n\n---\nbody",
			vaultfile.Note{Name: "feedback_x", Type: "feedback", Body: "---\n\nName your price.\n\n---\nbody"},
		},
		"a frontmatter of comments": {"---\n# name: A\n\n---\nbody", vaultfile.Note{
			Name: "feedback_x", Type: "feedback",
			Body: "body",
		}},
		"nothing": {"", vaultfile.Note{Name: "feedback_x", Type: "feedback"}},
		"windows": {
			"\ufeff---\r\nname: A\r\nhits: 2\r\n---\r\nb\r\nc\r\n",
			vaultfile.Note{Name: "A", Hits: 2, Type: "feedback", Body: "b\nc"},
		},
		"counters that cannot be meant": {
			"---\nhits: -3\nprevented: NaN\nhalf_life_days: .inf\nlast_applied: soon\n---\n",
			vaultfile.Note{Name: "feedback_x", Type: "feedback"},
		},
		"huge counters": {"---\nhits: 1e300\n---\n", vaultfile.Note{Name: "feedback_x", Type: "feedback", Hits: maxCount}},
		"quotes": {
			"---\nname: 'it''s'\ndescription: \"a \\\"b\\\" # c\"\ntags: [\"x, y\", 'z']\n---\n",
			vaultfile.Note{Name: "it's", Description: `a "b" # c`, Type: "feedback", Tags: []string{"x, y", "z"}},
		},
		"a quote without an end": {"---\nname: \"open\ntype: user\n---\nb", vaultfile.Note{
			Name: `"open`, Type: "user",
			Body: "b",
		}},
		"null": {
			"---\nname: A\nlast_applied: null\ntags: []\ninvariant: ~\n---\n",
			vaultfile.Note{Name: "A", Type: "feedback"},
		},
	} {
		got := parseNote("memory/feedback_x.md", tt.text)
		tt.want.File = "memory/feedback_x.md"
		if !same(got, tt.want) {
			t.Errorf("%s:\ngot  %+v\nwant %+v", name, got, tt.want)
		}
	}
}

func day(y int, m time.Month, d int) time.Time { return time.Date(y, m, d, 0, 0, 0, 0, time.UTC) }

func same(a, b vaultfile.Note) bool {
	ta, tb, pa, pb := a.Tags, b.Tags, a.Projects, b.Projects
	a.Tags, b.Tags, a.Projects, b.Projects = nil, nil, nil, nil
	return slices.Equal(ta, tb) && slices.Equal(pa, pb) && equalNote(a, b)
}

func equalNote(a, b vaultfile.Note) bool {
	return a.Note == b.Note && a.ID == b.ID && a.Name == b.Name && a.Description == b.Description && a.Type == b.Type &&
		a.Status == b.Status && a.Body == b.Body &&
		a.Hits == b.Hits && a.Caught == b.Caught && a.LastApplied.Equal(b.LastApplied) && a.Created.Equal(b.Created) &&
		a.HalfLife == b.HalfLife &&
		a.Critical == b.Critical && a.Evergreen == b.Evergreen && a.Invariant == b.Invariant
}

// Forgotten and restored, a file is what it was.
func TestARestoredFileHasItsBytesAgain(t *testing.T) {
	for _, file := range []string{
		"---\nid: m_1\nname: a\ncolor: green\n---\nText.\n", "---\r\nname: a # mine\r\nid: m_1\r\n---\r\n\r\nText.  ",
		"---\nid: m_1\n---\nText.\nstatus: forgotten\n",
	} {
		text := file
		for _, status := range []string{"forgotten", "active"} {
			var err error
			if text, err = changed("memory/a.md", text, vaultfile.NoteChange{ID: new("m_1"), Status: new(status)}); err != nil {
				t.Fatal(err)
			}
			if forgotten := parseNote("memory/a.md", text).Status == "forgotten"; forgotten != (status == "forgotten") {
				t.Errorf("%s: %q", status, text)
			}
		}
		if text != file {
			t.Errorf("got %q, want %q", text, file)
		}
	}
}

func TestOnlyTheChangedValuesChange(t *testing.T) {
	const file = "\ufeff---\r\n# mine\r\nname:   Odd   spacing   # why\r\n'hits' : 3   # counted\r\nweird: {a: [1, 2], " +
		"b: {c: d}}\r\nnotes: |\r\n    keep\r\n      this: exactly\r\n\r\ntags:\r\n  - a   # first\r\n  - " +
		"b\r\ndescription: >\r\n  folded\r\n  text\r\nunknown_key: 0x1F\r\nlast_applied: null\r\n---\r\n\r\nBody   with  " +
		"trailing  \r\n\r\n\r\n"
	got, err := changed("memory/a.md", file, vaultfile.NoteChange{
		ID: new("m_12"), Hits: new(4), Caught: new(2), LastApplied: new(day(2026, 3, 1)), Critical: new(true),
	})
	if err != nil {
		t.Fatal(err)
	}
	want := strings.NewReplacer(
		"'hits' : 3   # counted", "'hits' : 4   # counted", "last_applied: null\r\n---",
		"last_applied: 2026-03-01\r\nid: m_12\r\ncritical: true\r\nprevented: 2\r\n---",
	).Replace(file)
	if got != want {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
	got, err = changed("memory/a.md", file, vaultfile.NoteChange{
		Description: new("new: text"), Tags: []string{"x", "y z"},
	})
	if err != nil {
		t.Fatal(err)
	}
	want = strings.NewReplacer("tags:\r\n  - a   # first\r\n  - b\r\n", "tags: [x, y z]\r\n",
		"description: >\r\n  folded\r\n  text\r\n", "description: \"new: text\"\r\n").Replace(file)
	if got != want {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
	if got, err = changed("memory/a.md", file, vaultfile.NoteChange{Hits: new(3), Tags: []string{"a", "b"}}); err != nil ||
		got != file {
		t.Errorf("what is so already changed bytes: %q, %v", got, err)
	}
}

func TestAFileThatCannotBeChangedSafelyIsNot(t *testing.T) {
	for name, text := range map[string]string{
		"an open quote":       "---\nname: a\nhits: \"3\ntype: user\n---\nb",
		"a nested value":      "---\nhits:\n  of: 3\n---\nb",
		"a doubled key":       "---\nhits: 1\nhits: 2\n---\nb",
		"an open bracket":     "---\nhits: [1\ntype: user\n---\nb",
		"a fence and no more": "---",
	} {
		got, err := changed("memory/a.md", text, vaultfile.NoteChange{Hits: new(9)})
		if err == nil && parseNote("memory/a.md", got).Hits != 9 {
			t.Errorf("%s: silently without effect: %q", name, got)
		}
		if err == nil && name != "a doubled key" && name != "a fence and no more" {
			t.Errorf("%s: changed to %q", name, got)
		}
	}
}

// asYAML is what a library reads in a frontmatter; ok is false where it refuses.
func asYAML(head string) (values map[string]any, ok bool) {
	defer func() {
		if recover() != nil {
			values, ok = nil, false
		}
	}()
	err := yaml.Unmarshal([]byte(head), &values)
	return values, err == nil && values != nil
}

// Where a text is YAML it says to us what it says to a library.
func agrees(t *testing.T, head string) {
	t.Helper()
	values, ok := asYAML(head)
	if !ok {
		return
	}
	f := parseFront("---\n" + head + "---\nbody\n")
	for key, want := range values {
		fd, found := f.get(key)
		switch want := want.(type) {
		case string:
			if got := strings.Join(strings.Fields(fd.value), " "); !found || got != strings.Join(strings.Fields(want), " ") {
				t.Errorf("%s: got %q, a library reads %q in\n%s", key, fd.value, want, head)
			}
		case bool:
			if f.yes(key) != want {
				t.Errorf("%s: got %v, a library reads %v in\n%s", key, fd.value, want, head)
			}
		case uint64:
			if got := f.number(key); got != float64(want) && want < math.MaxInt32 {
				t.Errorf("%s: got %v, a library reads %v in\n%s", key, got, want, head)
			}
		case []any:
			var list []string
			for _, x := range want {
				if s, ok := x.(string); ok {
					list = append(list, s)
				}
			}
			if len(list) == len(want) && !slices.Equal(fd.list, list) {
				t.Errorf("%s: got %q, a library reads %q in\n%s", key, fd.list, list, head)
			}
		}
	}
}

func TestAYAMLLibraryReadsTheSame(t *testing.T) {
	for _, head := range []string{
		"name: a b  c\ntype: user # x\ntags: [a, b, \"c, d\", 'e''f']\n",
		"name: 'one\n  two'\ndescription: \"x\n\n  y\"\n",
		"tags:\n- a\n- \"b: c\"\n- d # e\nprojects:\n    - x\n",
		"name: |\n  a\n  b\ndescription: >-\n  c\n  d\n\n  e\ntype: x\n",
		"name: plain\n  goes on\n  and on\ntype: y\n",
		"critical: true\nevergreen: false\nhits: 12\nname: \"\"\nlast_applied: null\n",
		"meta: {a: b}\nother:\n  name: inner\nname: outer\n",
		"tags: [\n  a,\n  b\n]\nname: x\n",
		"name: a#b\ndescription: http://x.y/z#w\n",
	} {
		if _, ok := asYAML(head); !ok {
			t.Errorf("no YAML:\n%s", head)
		}
		agrees(t, head)
	}
}

// Whatever a file holds: reading ends, a change changes what it says and nothing
// else, and can be read back.
func FuzzFrontmatter(f *testing.F) {
	for _, s := range []string{
		"---\nname: a\nhits: 3 # x\n---\nbody", "name: x\ntype: user\n", "---\r\ntags:\r\n - a\r\n---\r\n",
		"---\nname: |\n a\n\n---\n", "---\n\"k\": [a, 'b\n---\n",
		"---\nhits: {a: b}\n---", "\ufeff---\nname: \"a\\\"b\"\n...\nx", "---\n", "---\nname:\n  - a\n  deep: b\n---\n",
		"---\na: '''\n---\n",
	} {
		f.Add(s, "a: \"b\"", 7)
	}
	f.Fuzz(func(t *testing.T, text, word string, n int) {
		was := parseNote("memory/a.md", text)
		n &= 0xffff
		got, err := changed("memory/a.md", text, vaultfile.NoteChange{Hits: &n, Description: &word})
		if err != nil {
			return
		}
		now := parseNote("memory/a.md", got)
		want := was
		want.Hits, want.Description = n, now.Description
		if !same(now, want) {
			t.Fatalf("%q with %d and %q became %q:\ngot  %+v\nwant %+v", text, n, word, got, now, want)
		}
		if line := strings.Join(strings.Fields(word), " "); now.Description != line && word != was.Description &&
			!strings.ContainsAny(word, "\r\\\u0085\u2028\u2029\x00") {
			t.Fatalf("%q: said %q, want %q in %q", text, now.Description, line, got)
		}
		again, err := changed("memory/a.md", got, vaultfile.NoteChange{Hits: &n})
		if err != nil || again != got {
			t.Fatalf("once more: %q became %q, %v", got, again, err)
		}
	})
}

// A search for the end of a quote from each quote would take too long in a file of the largest size.
func TestQuotesWithoutEndAreReadOnce(t *testing.T) {
	n := parseNote("memory/fact_a.md", "---\nname: quotes\ntags: [a"+strings.Repeat("'", maxFile-100)+"]\n---\nbody\n")
	if n.Name != "quotes" || len(n.Tags) != 1 || n.Body != "body" {
		t.Errorf("got %q, %d tags, %q", n.Name, len(n.Tags), n.Body)
	}
}
