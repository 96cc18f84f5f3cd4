package cli

import (
	"io/fs"
	"path"
	"regexp"
	"strings"
	"testing"

	"remanence/internal/chars"
	"remanence/plugin"
)

// Each word of a skill's description is in every request of every session.
const alwaysOn = 600 // tokens of all descriptions

func TestEverySkillSaysWhatAndWhenAndNamesCommandsThatExist(t *testing.T) {
	skills, err := fs.Glob(plugin.Files, "skills/*/SKILL.md")
	if err != nil || len(skills) == 0 {
		t.Fatalf("%d skills, %v", len(skills), err)
	}
	cost := 0
	for _, file := range skills {
		b, err := fs.ReadFile(plugin.Files, file)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(b), "---\n")
		head, body, ok := strings.Cut(rest, "\n---\n")
		if !ok {
			t.Errorf("%s has no frontmatter", file)
		}
		about := regexp.MustCompile(`(?m)^description: (.+)$`).FindStringSubmatch(head)
		if len(about) == 0 || len(about[1]) > 1024 || !strings.Contains(about[1], "Use ") {
			t.Errorf("%s: the description has to say what it does and when to use it, in 1,024 characters: %q", file, about)
		} else {
			cost += chars.Tokens(about[1])
			if strings.Contains(about[1], ": ") {
				t.Errorf("%s: a description with a colon is no YAML: %q", file, about[1])
			}
		}
		if folder := path.Base(path.Dir(file)); !strings.Contains(head, "name: "+folder+"\n") {
			t.Errorf("%s is not named %s", file, folder)
		}
		if strings.Count(body, "\n") > 100 {
			t.Errorf("%s is longer than 100 lines", file)
		}
		for _, line := range commandsIn(body) {
			if err := parses(line); err != nil {
				t.Errorf("%s: %q: %v", file, line, err)
			}
			allowed := !strings.Contains(head, "allowed-tools: Bash(")
			for _, a := range regexp.MustCompile(`Bash\(([a-z ]+):\*\)`).FindAllStringSubmatch(head, -1) {
				allowed = allowed || strings.HasPrefix(line, a[1])
			}
			if !allowed {
				t.Errorf("%s: %q is not among its allowed tools", file, line)
			}
		}
	}
	if cost > alwaysOn {
		t.Errorf("the descriptions of all skills cost %d tokens in every request, more than %d", cost, alwaysOn)
	}
	t.Logf("%d skills, %d tokens in every request", len(skills), cost)
}

// A command's description is in no request, as long as only the person can call it.
func TestEverySlashCommandIsThePersonsAloneAndNamesCommandsThatExist(t *testing.T) {
	for _, name := range []string{"recall", "remember", "checkpoint", "handoff"} {
		if _, err := fs.Stat(plugin.Files, "skills/"+name+"/SKILL.md"); err != nil {
			t.Errorf("/remanence:%s: %v", name, err)
		}
	}
	for _, name := range []string{"forget", "help", "off", "on", "status", "why"} {
		b, err := fs.ReadFile(plugin.Files, "commands/"+name+".md")
		if err != nil {
			t.Errorf("/remanence:%s: %v", name, err)
			continue
		}
		_, rest, _ := strings.Cut(string(b), "---\n")
		head, body, _ := strings.Cut(rest, "\n---\n")
		if !strings.Contains(head, "description: ") || !strings.Contains(head, "disable-model-invocation: true") {
			t.Errorf("/remanence:%s has the frontmatter\n%s", name, head)
		}
		for _, line := range commandsIn(body) {
			if err := parses(line); err != nil {
				t.Errorf("/remanence:%s: %q: %v", name, line, err)
			}
		}
	}
}

// commandsIn are the command lines of ours that a text names.
func commandsIn(body string) []string {
	var out []string
	for _, m := range regexp.MustCompile("(?m)`(remanence [^`]+)`|^ *(remanence .+)$").FindAllStringSubmatch(body, -1) {
		line, _, _ := strings.Cut(m[1]+m[2], " <<")
		out = append(out, strings.Join(strings.Fields(line), " "))
	}
	return out
}
