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

	"remanence/internal/setup"
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
			for _, command := range commands {
				u.manages(c, url, strings.Fields(strings.ReplaceAll(command, "@MARKET@", market)))
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
			if n := strings.Count(model.sent()[0], "=== SESSION BRIEFING ==="); n != 1 {
				t.Errorf("the briefing is in the request %d times, want once", n)
			}
			u.keeps("lard", "--agent", c.id)
			if got := u.finds("--agent", c.id, "--kind", "decision", "lard tar axle"); len(got) != 1 {
				t.Errorf("one decision is kept as %+v", got)
			}
		})
	}
}

// manages runs one of the client's own commands.
func (u *user) manages(c otherClient, url string, args []string) {
	u.t.Helper()
	words := c.words(u.t)
	cmd := exec.Command("timeout", slices.Concat([]string{"-k", "5", "120"}, words[:len(words)-len(c.args)], args)...)
	cmd.Dir, cmd.Env = u.project(""), u.envOf(c, url)
	if out, err := cmd.CombinedOutput(); err != nil {
		u.t.Fatalf("%s %q: %v\n%s", c.id, args, err, out)
	}
}

// The extension is installed, which copies it, or linked.
func TestTheExtensionServesGemini(t *testing.T) {
	for _, args := range [][]string{{"install"}, {"link"}} {
		t.Run(args[0], func(t *testing.T) {
			u := newUser(t)
			c := clients()[1]
			model, url := u.with(c)
			extension := filepath.Join(u.dir, "extension")
			files, err := setup.GeminiExtension(os.DirFS("../../plugin"), "1.2.3")
			if err != nil {
				t.Fatal(err)
			}
			for name, text := range files {
				u.write(filepath.Join(extension, name), string(text))
			}
			u.copied(filepath.Join(extension, "bin/remanence"), time.Now())
			u.manages(c, url, append([]string{"extensions"}, append(args, extension, "--consent")...))

			model.takes(c.runs("sh check.sh"), reply{text: "I decided to use a ballista instead of a catapult."})
			u.talk(c, url, "what shall we throw with? <private>my cat is called Mitzi-77</private>")
			u.keeps("ballista", "--agent", c.id)
			u.keeps("sh check.sh", "--agent", c.id)
			if left := u.leaks("Mitzi-77"); len(left) > 0 {
				t.Errorf("on the disk: %v", left)
			}
			model.takes(c.runs("sh check.sh"), reply{text: "As we said."})
			u.talk(c, url, "did we choose the ballista or the catapult?")
			sent := model.sent()
			if len(sent) < 2 {
				t.Fatalf("the model got %d requests in the second session", len(sent))
			}
			wants(t, "second session", sent[0], "remanence-context", "I decided to use a ballista", "remanence-recall",
				"Search Remanence, the memory of earlier sessions", "mcp_remanence_search")
			wants(t, "after the command", sent[1], "failed in this way before")
			wantsNot(t, "second session", strings.Join(sent, "\n"), "Mitzi-77")

			u.manages(c, url, []string{"extensions", "uninstall", "remanence"})
			model.takes(reply{text: "Hello."})
			u.talk(c, url, "did we choose the ballista or the catapult?")
			wantsNot(t, "after uninstall", model.sent()[0], "remanence")
		})
	}
}
