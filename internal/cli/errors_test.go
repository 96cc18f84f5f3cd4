package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/cli/ui"
	"remanence/internal/config"
	"remanence/internal/daemon"
	"remanence/internal/fault"
	"remanence/internal/mem"
	"remanence/internal/setup"
)

func testTree() *cobra.Command {
	a := &app{Connection: &daemon.Connection{Sys: config.System{Getenv: func(string) string {
		return ""
	}}, Close: func() {}}}
	root := a.root()
	root.InitDefaultHelpCmd()
	return root
}

func TestEveryCommandThatAFaultSuggestsExists(t *testing.T) {
	for _, f := range fault.All() {
		for _, fix := range f.Fix {
			if err := parses(fix); err != nil {
				t.Errorf("%s: %q: %v", f.Code, fix, err)
			}
		}
	}
	for _, c := range setup.Check(setup.Config{Home: t.TempDir(), RecordDir: t.TempDir(), Binary: "/bin/remanence"}) {
		for _, fix := range c.Fix {
			if err := parses(fix); err != nil {
				t.Errorf("%s: %q: %v", c.ID, fix, err)
			}
		}
	}
}

func TestAnotherWordForACommandNamesIt(t *testing.T) {
	for word, want := range map[string]string{
		"remember": "remanence add", "delete": "remanence forget", "find": "remanence search", "dashboard": "remanence open",
		"serach": "remanence search", "xyzzy": fault.Usage.Fix[0],
	} {
		if got := suggest(testTree(), word); !slices.Equal(got, []string{want}) {
			t.Errorf("%s: got %q, want %q", word, got, want)
		}
	}
	of := map[string]string{}
	for _, cmd := range testTree().Commands() {
		for _, word := range append([]string{cmd.Name()}, cmd.SuggestFor...) {
			if other, ok := of[word]; ok {
				t.Errorf("%q stands for %s and for %s", word, other, cmd.Name())
			}
			of[word] = cmd.Name()
		}
	}
}

func TestEveryExampleOfTheHelpIsACommand(t *testing.T) {
	root := testTree()
	var visit func(*cobra.Command)
	visit = func(cmd *cobra.Command) {
		if cmd.Example == "" {
			t.Errorf("%s has no example", cmd.CommandPath())
		}
		for line := range strings.Lines(cmd.Example) {
			_, line, ok := strings.Cut(line, "remanence")
			line, _, _ = strings.Cut(line, "   ")
			if err := parses("remanence" + line); !ok || err != nil {
				t.Errorf("%s: %q: %v", cmd.CommandPath(), line, err)
			}
		}
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
	}
	visit(root)
}

// parses reports what is wrong with a command line of ours; other advice passes.
func parses(line string) error {
	line = strings.TrimRight(strings.TrimSpace(line), ")")
	line, _, _ = strings.Cut(line, " > ")
	rest, ours := strings.CutPrefix(line, "remanence")
	if !ours {
		return nil
	}
	root := testTree()
	cmd, args, err := root.Find(words(rest))
	if err != nil {
		return err
	}
	if err := cmd.ParseFlags(args); err != nil {
		return err
	}
	if cmd.Args == nil {
		return nil
	}
	return cmd.Args(cmd, cmd.Flags().Args())
}

// words splits a command line at blanks outside of quotes.
func words(s string) []string {
	out := regexp.MustCompile(`"[^"]*"|\S+`).FindAllString(s, -1)
	for i := range out {
		out[i] = strings.Trim(out[i], `"`)
	}
	return out
}

func TestEveryCodeIsThereOnceWithAllThatHelpSays(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range fault.All() {
		if seen[f.Code] || !regexp.MustCompile(`^REM-[DSHCUPNV]\d{3}$`).MatchString(f.Code) {
			t.Errorf("code %q comes twice or has another form", f.Code)
		}
		seen[f.Code] = true
		if f.What == "" || f.About == "" || f.Why != "" || f.Fix == nil && f.Code != fault.Input.Code {
			t.Errorf("%s is not whole: %+v", f.Code, f)
		}
	}
	for _, code := range []string{
		setup.CodeBinary, setup.CodeMissing, setup.CodeDoubled, setup.CodeStale,
		setup.CodeDisabled, setup.CodeOthers,
	} {
		if !seen[code] {
			t.Errorf("help knows nothing of %s, which doctor shows", code)
		}
	}
}

func TestErrorsBecomeTheirFaults(t *testing.T) {
	for _, tc := range []struct {
		err  error
		code string
		exit int
	}{
		{fmt.Errorf("show: %w", mem.ErrNotFound), "REM-U002", 3},
		{fmt.Errorf("show: %w", mem.ErrAmbiguous), "REM-U003", 3},
		{&api.Error{Name: "not_found", Detail: "m_9"}, "REM-U002", 3},
		{mem.ErrNewer, "REM-S003", 6},
		{mem.ErrForeign, "REM-S009", 6},
		{mem.ErrLocked, "REM-S001", 6},
		{mem.ErrCorrupt, "REM-S002", 1},
		{fmt.Errorf("%w: %w", api.ErrUnreachable, errors.New("refused")), "REM-D004", 4},
		{context.DeadlineExceeded, "REM-D007", 1},
		{config.ErrNoHome, "REM-C003", 4},
		{fmt.Errorf("read: %w", setup.ErrNotJSON), "REM-H015", 6},
		{fmt.Errorf("wrapped: %w", fault.NoKey), "REM-C004", 3},
		{fmt.Errorf("write x.html: %w", fs.ErrPermission), "REM-U010", 1},
		{errors.New("odd"), "REM-U000", 1},
	} {
		f := explain(nil, tc.err)
		if f.Code != tc.code || f.Exit != tc.exit {
			t.Errorf("%v: got %s, exit %d, want %s, %d", tc.err, f.Code, f.Exit, tc.code, tc.exit)
		}
	}
}

func TestHelpListsEveryCommandAndFitsEightyColumns(t *testing.T) {
	var listed []string
	for _, c := range chapters() {
		listed = append(append(listed, c.first...), c.more...)
	}
	root := testTree()
	for _, cmd := range root.Commands() {
		if !slices.Contains(listed, cmd.Name()) {
			t.Errorf("help does not list %q", cmd.Name())
		}
	}
	pages := [][]string{{"help", "--all"}}
	for _, name := range listed {
		pages = append(pages, []string{"help", name})
	}
	for _, args := range pages {
		var out strings.Builder
		code := Main(t.Context(), config.System{
			Args: args, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out,
			Getenv: func(k string) string { return map[string]string{"HOME": "/nowhere"}[k] },
		})
		if code != 0 {
			t.Errorf("%v: got exit %d: %s", args, code, out.String())
		}
		for line := range strings.Lines(out.String()) {
			if n := ui.Cells(strings.TrimSuffix(line, "\n")); n > ui.HelpWidth {
				t.Errorf("%v: %d columns: %s", args, n, line)
			}
		}
	}
}
