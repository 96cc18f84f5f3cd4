//go:build e2e

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// The repository is a marketplace of Codex and Copilot as well, and its plugin an extension of Qwen Code.
func TestThePluginServesCodexCopilotAndQwen(t *testing.T) {
	for id, commands := range map[string][]string{
		"codex":   {"plugin marketplace add @MARKET@", "plugin add remanence@remanence"},
		"copilot": {"plugin marketplace add @MARKET@", "plugin install remanence@remanence"},
		"qwen":    {"extensions install @MARKET@/plugin --consent"},
	} {
		t.Run(id, func(t *testing.T) {
			all := clients()
			c := all[slices.IndexFunc(all, func(c otherClient) bool { return c.id == id })]
			u := newUser(t)
			model, url := u.with(c)
			market := filepath.Join(u.dir, "market")
			for _, dir := range []string{".claude-plugin", "plugin"} {
				if err := os.CopyFS(filepath.Join(market, dir), os.DirFS("../../"+dir)); err != nil {
					t.Fatal(err)
				}
			}
			u.copied(filepath.Join(u.home, ".local/bin/remanence"), time.Now())
			words := c.words(t)
			program := words[:len(words)-len(c.args)]
			for _, command := range commands {
				args := strings.Fields(strings.ReplaceAll(command, "@MARKET@", market))
				cmd := exec.Command("timeout", slices.Concat([]string{"-k", "5", "120"}, program, args)...)
				cmd.Dir, cmd.Env = u.project(""), u.envOf(c, url)
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%s %s: %v\n%s", id, command, err, out)
				}
			}
			if id == "codex" { // its person trusts the hooks of a plugin with /hooks
				c.args = slices.Insert(slices.Clone(c.args), 1, "--dangerously-bypass-hook-trust")
			}
			model.takes(c.runs("sh check.sh"), reply{text: "I decided to use a ballista instead of a catapult."})
			u.talk(c, url, "what shall we throw with? <private>my cat is called Mitzi-77</private>")
			u.keeps("ballista", "--agent", c.id)
			if left := u.leaks("Mitzi-77"); len(left) > 0 {
				t.Errorf("on the disk: %v", left)
			}
			model.takes(reply{text: "As we said."})
			u.talk(c, url, "did we choose the ballista or the catapult?")
			sent := model.sent()
			wants(t, "second session", sent[0], "remanence-context", "I decided to use a ballista")
			wantsNot(t, "second session", strings.Join(sent, "\n"), "Mitzi-77")

			u.remanence("install", c.id, "--yes") // beside the plugin: every event is reported twice
			model.takes(reply{text: "I decided to grease the axle with lard instead of tar."})
			u.talk(c, url, "and what goes on the axle of the ballista?")
			u.keeps("lard", "--agent", c.id)
			if got := u.finds("--agent", c.id, "--kind", "decision", "lard tar axle"); len(got) != 1 {
				t.Errorf("one decision is kept as %+v", got)
			}
		})
	}
}
