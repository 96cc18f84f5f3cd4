//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// The repository itself is the marketplace, and its plugin runs the installed program.
func TestThePluginOfTheMarketplaceRunsTheInstalledProgram(t *testing.T) {
	u := newUser(t)
	u.newProject("")
	u.settledHome()
	market := filepath.Join(u.dir, "market")
	for _, dir := range []string{".claude-plugin", "plugin"} {
		if err := os.CopyFS(filepath.Join(market, dir), os.DirFS("../../"+dir)); err != nil {
			t.Fatal(err)
		}
	}
	u.copied(filepath.Join(u.home, ".local/bin/remanence"), time.Now())
	u.beside(client(t), "plugin", "validate", market)
	u.beside(client(t), "plugin", "marketplace", "add", market)
	u.beside(client(t), "plugin", "install", "remanence@remanence")
	u.run(session{hooks: asTheyAre, bare: true, script: "learn.json", prompts: []string{"make the check pass"}})
	r := u.run(session{hooks: asTheyAre, bare: true, script: script(says("I know.")), prompts: []string{aboutSending}})
	wants(t, "second session", r.last(), "<remanence-context", "exit 3", "jittered backoff", "gateway timeout")
}
