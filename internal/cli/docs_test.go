package cli

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"remanence/internal/config"
	"remanence/internal/fault"
)

// pages returns the Markdown files that people and agents read, by their path in the repository.
func pages(t *testing.T) map[string]string {
	t.Helper()
	top := filepath.Join("..", "..")
	out := map[string]string{}
	err := filepath.WalkDir(top, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() && slices.Contains([]string{"testdata", "node_modules", "vendor", "bin", "dist", ".git"}, name) {
			return filepath.SkipDir
		}
		if entry.IsDir() || filepath.Ext(name) != ".md" {
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(top, file)
		out[filepath.ToSlash(rel)] = string(text)
		return err
	})
	if err != nil || len(out) < 40 {
		t.Fatalf("%d pages, %v", len(out), err)
	}
	return out
}

var codeSpan = regexp.MustCompile("`([^`\n]+)`")

func TestEveryCommandOfThePagesIsACommand(t *testing.T) {
	for page, text := range pages(t) {
		for line := range strings.Lines(text) {
			line = strings.TrimSpace(line)
			if strings.HasPrefix(line, "remanence ") { // one to be typed as it stands
				if err := parses(typed(line)); err != nil {
					t.Errorf("%s: %q: %v", page, line, err)
				}
			}
			for _, span := range codeSpan.FindAllStringSubmatch(line, -1) {
				if err := named(typed(span[1])); err != nil {
					t.Errorf("%s: %q: %v", page, span[1], err)
				}
			}
		}
	}
}

// typed returns the command of a line without its comment.
func typed(line string) string {
	for _, end := range []string{"   ", " <<", " | ", " > "} {
		line, _, _ = strings.Cut(line, end)
	}
	return line
}

// named reports what is wrong with a command that is only named: what it is about may be missing.
func named(line string) error {
	rest, ours := strings.CutPrefix(line, "remanence ")
	if !ours {
		return nil
	}
	cmd, args, err := testTree().Find(words(rest))
	if err != nil {
		return err
	}
	if err := cmd.ParseFlags(args); err != nil {
		return err
	}
	takesIDs := cmd.Name() == "review" || cmd.Name() == "share" // besides its subcommands
	if cmd.HasSubCommands() && cmd.Flags().NArg() > 0 && !takesIDs {
		return fmt.Errorf("%s has no %q", cmd.CommandPath(), cmd.Flags().Arg(0))
	}
	return nil
}

func TestEverySettingOfThePagesIsOne(t *testing.T) {
	keys, sections := map[string]bool{}, map[string]bool{}
	for _, o := range config.Options() {
		section, _, _ := strings.Cut(o.Key, ".")
		keys[o.Key], sections[section] = true, true
	}
	setting := regexp.MustCompile("(?:`|config (?:get|set|unset) )([a-z]+)((?:\\.[a-z_]+)+)[` =]")
	for page, text := range pages(t) {
		for _, m := range setting.FindAllStringSubmatch(text, -1) {
			if key := m[1] + m[2]; sections[m[1]] && !keys[key] && !slices.Contains([]string{".md", ".go", ".jsonl"}, m[2]) {
				t.Errorf("%s: no setting is called %s", page, key)
			}
		}
	}
}

// A relative link leads to a file of the repository, and what follows its # is a heading of that page.
func TestEveryFileOfThePagesIsThere(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	ours := regexp.MustCompile("`((?:cmd|docs|internal|plugin|test|tools)/[\\w./*-]+)`")
	source := regexp.MustCompile("`([\\w/]+/\\w+\\.(?:go|ts))`")
	all := pages(t)
	for page, text := range all {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			file, heading, _ := strings.Cut(m[1], "#")
			if strings.Contains(m[1], "://") {
				continue
			}
			if file != "" && !found(filepath.Dir(page), file) {
				t.Errorf("%s leads to %s, which is not there", page, m[1])
			}
			target := page
			if file != "" {
				target = path.Join(path.Dir(page), file)
			}
			if heading != "" && !slices.Contains(headings(all[target]), heading) {
				t.Errorf("%s leads to %s, and %s has no such heading", page, m[1], target)
			}
		}
		for _, m := range slices.Concat(ours.FindAllStringSubmatch(text, -1), source.FindAllStringSubmatch(text, -1)) {
			if !found("", m[1]) && !found("internal", m[1]) && !found("internal/store", m[1]) {
				t.Errorf("%s names %s, which is not there", page, m[1])
			}
		}
	}
}

// headings are the anchors of a page's headings, as GitHub makes them.
func headings(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		if title := strings.TrimLeft(line, "#"); title != line && strings.HasPrefix(title, " ") {
			title = regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), "")
			out = append(out, strings.ReplaceAll(title, " ", "-"))
		}
	}
	return out
}

// found reports whether the tree has such a file below dir.
func found(dir, name string) bool {
	files, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(dir), filepath.FromSlash(name)))
	return err == nil && len(files) > 0
}

func TestTheExitStatusesAreDocumented(t *testing.T) {
	page := pages(t)["docs/troubleshooting.md"]
	for _, e := range fault.ExitStatuses() {
		if row := fmt.Sprintf("| %d | %s |\n", e.Status, e.Meaning); !strings.Contains(page, row) {
			t.Errorf("docs/troubleshooting.md has no row %q", row)
		}
	}
}
