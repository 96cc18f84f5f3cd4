package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"remanence/internal/config"
)

// pages are the texts that people and agents read of us, by their path in the tree.
func pages(t *testing.T) map[string]string {
	t.Helper()
	top := filepath.Join("..", "..")
	out := map[string]string{}
	for _, where := range []string{"*.md", "docs/*.md", "docs/decisions/*.md", "plugin/*.md", "plugin/*/*.md", "plugin/*/*/*.md"} {
		files, err := filepath.Glob(filepath.Join(top, filepath.FromSlash(where)))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no page, %v", where, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			rel, _ := filepath.Rel(top, file)
			out[filepath.ToSlash(rel)] = string(text)
		}
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

// typed is what somebody types of a line with what is said beside it.
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
	if cmd.HasSubCommands() && cmd.Flags().NArg() > 0 && cmd.Name() != "review" {
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
			if key := m[1] + m[2]; sections[m[1]] && !keys[key] && !slices.Contains([]string{".md", ".go"}, m[2]) {
				t.Errorf("%s: no setting is called %s", page, key)
			}
		}
	}
}

func TestEveryFileOfThePagesIsThere(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#\s]+)\)`)
	ours := regexp.MustCompile("`((?:cmd|docs|internal|plugin|test|tools)/[\\w./*-]+)`")
	source := regexp.MustCompile("`([\\w/]+/\\w+\\.(?:go|ts))`")
	for page, text := range pages(t) {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if !strings.Contains(m[1], "://") && !found(filepath.Dir(page), m[1]) {
				t.Errorf("%s leads to %s, which is not there", page, m[1])
			}
		}
		for _, m := range slices.Concat(ours.FindAllStringSubmatch(text, -1), source.FindAllStringSubmatch(text, -1)) {
			if !found("", m[1]) && !found("internal", m[1]) && !found("internal/store", m[1]) {
				t.Errorf("%s names %s, which is not there", page, m[1])
			}
		}
	}
}

// found reports whether the tree has such a file below dir.
func found(dir, name string) bool {
	files, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(dir), filepath.FromSlash(name)))
	return err == nil && len(files) > 0
}
