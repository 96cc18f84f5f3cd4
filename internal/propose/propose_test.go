package propose_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"remanence/internal/propose"
)

const guide = `---
title: rules
---
# Greeter

We use tabs for indentation. Amounts are **integer cents**,
never floats.

- Run ` + "`go test ./...`" + ` before each commit.
* [ ] Retries wait 30 seconds.
> Deploy from main only.

<!-- Commit messages are in German. -->
` + "```\nNever push on Fridays.\n```" + `

| Use npm | always |
`

func TestAFileSaysWhatItsStatementsSay(t *testing.T) {
	d := propose.Parse(guide)
	for claim, line := range map[string]int{
		"We use tabs for indentation.":                          6,
		"use tabs for indentation":                              6,
		"Again: we use tabs for indentation, please":            6,
		"Amounts are integer cents, never floats":               6,
		"run `go test ./...` before each commit":                9,
		"deploy from main only":                                 11,
		"Commit messages are in German.":                        0, // a comment
		"Never push on Fridays.":                                0, // code
		"Greeter":                                               0,
		"rules":                                                 0,
		"we use spaces for indentation":                         0,
		"we use tabs for indentation and spaces for alignment":  0, // more than the file says
		"retries wait 60 seconds":                               0,
		"we never use tabs for indentation":                     0,
		"Deploy from main only, and never on a Friday evening.": 0,
	} {
		if s, ok := d.Says(claim); ok != (line > 0) || s.Line != line {
			t.Errorf("%q: line %d (%q), want %d", claim, s.Line, s.Text, line)
		}
	}
}

func TestContradictedLinesAreNamed(t *testing.T) {
	d := propose.Parse(guide)
	for claim, want := range map[string]int{
		"Retries wait 60 seconds.":                       10,
		"We never use tabs for indentation.":             6,
		"We use spaces instead of tabs for indentation.": 6,
		"We use tabs for indentation.":                   0,
		"Deploy from main only.":                         0,
		"Retries are logged.":                            0,
	} {
		got := 0
		for _, s := range d.Against(claim) {
			got = s.Line
		}
		if got != want {
			t.Errorf("%q is against line %d, want %d", claim, got, want)
		}
	}
}

func TestWhatIsInsertedLeavesTheRestByteForByte(t *testing.T) {
	lines := []propose.Line{{Text: "Use tabs.", Note: "m_1: said 3 times"}, {Text: "Run the linter."}}
	section := propose.Heading + "\n\n- Use tabs.\n  <!-- m_1: said 3 times -->\n- Run the linter.\n"
	crlf := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	for name, c := range map[string][2]string{
		"empty":            {"", section},
		"end":              {"# A\n\ntext\n", "# A\n\ntext\n\n" + section},
		"blank end":        {"# A\n\n", "# A\n\n" + section},
		"no line break":    {"# A\n\ntext", "# A\n\ntext\n\n" + strings.TrimSuffix(section, "\n")},
		"CRLF":             {"# A\r\n\r\ntext\r\n", "# A\r\n\r\ntext\r\n\r\n" + crlf(section)},
		"CRLF, no break":   {"# A\r\ntext", "# A\r\ntext\r\n\r\n" + strings.TrimSuffix(crlf(section), "\r\n")},
		"byte order mark":  {"\ufeff# A\n", "\ufeff# A\n\n" + section},
		"mixed, trailing ": {"a  \r\nb\t\nc\n", "a  \r\nb\t\nc\n\n" + section},
		"a section": {
			"# A\n\n" + propose.Heading + "\n\n- Old.\n\n## B\n\ntext", "# A\n\n" + propose.Heading +
				"\n\n- Old.\n- Use tabs.\n  <!-- m_1: said 3 times -->\n- Run the linter.\n\n## B\n\ntext",
		},
		"a section at the end": {
			propose.Heading + "\n\n- Old.", propose.Heading +
				"\n\n- Old.\n- Use tabs.\n  <!-- m_1: said 3 times -->\n- Run the linter.",
		},
	} {
		got := propose.Insert(c[0], lines)
		if got != c[1] {
			t.Errorf("%s: got\n%q, want\n%q", name, got, c[1])
		}
		applied(t, name, c[0], got)
		doc := propose.Parse(got)
		for _, l := range lines {
			if _, ok := doc.Says(l.Text); !ok {
				t.Errorf("%s: the file does not say %q", name, l.Text)
			}
		}
		if err := propose.Check(got); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// applied checks that git makes the same of the difference.
func applied(t *testing.T, name, old, want string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil || old == "" {
		return
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "AGENTS.md")
	if err := os.WriteFile(file, []byte(old), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "git", "-c", "core.autocrlf=false", "apply", "--whitespace=nowarn", "-")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	cmd.Stdin = strings.NewReader(propose.Diff("AGENTS.md", old, want))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s%s", name, err, out, propose.Diff("AGENTS.md", old, want))
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != want {
		t.Errorf("%s: git made\n%q of the difference, want\n%q", name, got, want)
	}
}

func TestFilesThatCannotBeEditedAreRefused(t *testing.T) {
	for text, want := range map[string]error{
		"a\n":                                   nil,
		"\xff\xfe#\x00":                         propose.ErrNotText,
		"# A\n```\ncode\n":                      propose.ErrOpenCode,
		"# A\n````\n```\ncode\n````\n":          nil,
		"# A\n<!-- open\n":                      propose.ErrOpenCode,
		"<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n": propose.ErrConflict,
	} {
		if err := propose.Check(text); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", text, err, want)
		}
	}
}

func TestATaskIsNoRule(t *testing.T) {
	for claim, want := range map[string]bool{
		"Please look into the cache: keeps its locks in redis, never in the database": true,
		"can you fix the parser?": true, "fix the parser, never by hand": true, "Do we use tabs?": true,
		"Always use tabs.": false, "Add a line to the change log for each change.": false, "please use pnpm": false,
	} {
		if got := propose.IsTask(claim); got != want {
			t.Errorf("%q: %t", claim, got)
		}
	}
}

func TestALineIsOneHarmlessItem(t *testing.T) {
	for claim, want := range map[string]string{
		"always use tabs": "Always use tabs",
		"I told you already: never push on Fridays": "Never push on Fridays",
		"From now on, we use pnpm.":                 "We use pnpm.",
		"No, use pnpm.":                             "Use pnpm.",
		"never run the migrations, please":          "Never run the migrations",
		"go.mod stays at 1.26":                      "go.mod stays at 1.26",
		"see @~/.ssh/id_rsa and `@kept`":            "See `@~/.ssh/id_rsa` and `@kept`",
		"# Big\n- item <!-- hidden -->":             "Big - item <! -- hidden -- >",
		strings.Repeat("long ", propose.MaxClaim/4): "",
		"use\u202e tabs\x1b[31m":                    "Use tabs [31m",
	} {
		got, ok := propose.Bullet(claim, true)
		if got != want || ok != (want != "") {
			t.Errorf("%q: %q, want %q", claim, got, want)
		}
		if marked, _ := propose.Bullet(claim, false); ok && marked != propose.Unconfirmed+want {
			t.Errorf("%q is not marked: %q", claim, marked)
		}
	}
}

// BenchmarkSays compares a claim with a file of 1,000 statements, none of which says it.
func BenchmarkSays(b *testing.B) {
	var text strings.Builder
	words := strings.Fields("cache parser worker queue index token lock retry batch schema export import mail page test")
	for i := range 1000 {
		fmt.Fprintf(&text, "- The %s of the %s always waits for the %s before it writes to the %s %d.\n", words[i%15],
			words[i/15%15], words[i*7%15], words[i*11%15], i)
	}
	d := propose.Parse(text.String())
	for b.Loop() {
		d.Says("The worker of the export never reads the schema while the queue is locked by an import")
	}
}
