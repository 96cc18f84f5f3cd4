package upgrade

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const repository = "https://example.com/owner/remanence"

func TestEachWayHasItsCommand(t *testing.T) {
	root := t.TempDir()
	touch := func(file string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	home := filepath.Join(root, "home")
	touch(filepath.Join(root, "var/lib/dpkg/info/remanence.list"))
	touch(filepath.Join(home, ".local", installedFiles))
	touch(filepath.Join(home, "opt", installedFiles))
	for _, c := range []struct{ file, by, command string }{
		{
			"/usr/lib/node_modules/remanence/node_modules/remanence-linux-x64/bin/remanence", viaNPM,
			"npm install -g remanence@latest",
		},
		{home + "/.npm/_npx/1f/node_modules/remanence-linux-x64/bin/remanence", viaNPM, "npx remanence@latest"},
		{
			home + "/shop/node_modules/remanence-linux-x64/bin/remanence", viaNPM,
			"npm install --prefix '" + home + "/shop' remanence@latest",
		},
		{"/opt/homebrew/Cellar/remanence/0.1.0/bin/remanence", homebrew, "brew upgrade remanence"},
		{"/Users/x/scoop/apps/remanence/0.1.0/remanence.exe", scoop, "scoop update remanence"},
		{
			"/usr/bin/remanence", debian, "curl -fLO " + repository +
				"/releases/latest/download/remanence_amd64.deb && sudo apt-get install ./remanence_amd64.deb",
		},
		{home + "/.local/bin/remanence", script, "curl -fsSL " + repository + "/releases/latest/download/install.sh | sh"},
		{
			home + "/opt/bin/remanence", script, "curl -fsSL " + repository +
				"/releases/latest/download/install.sh | sh -s -- --prefix '" + home + "/opt'",
		},
		{
			"/srv/remanence", archive, "download the archive of this platform from " + repository +
				"/releases/latest and replace /srv/remanence",
		},
		{"/srv/node_modules/other/remanence", archive, "download the archive of this platform from " + repository +
			"/releases/latest and replace /srv/node_modules/other/remanence"},
	} {
		p := Program{File: c.file, Release: true, Repository: repository, Arch: "amd64", Home: home, Root: root}
		if got, want := Of(p), (Way{c.by, c.command}); got != want {
			t.Errorf("%s:\n got %+v\nwant %+v", c.file, got, want)
		}
		p.Release = false
		if got := Of(p); got.By != source || !strings.Contains(got.Command, "-o '"+c.file+"'") {
			t.Errorf("%s, built from sources: got %+v", c.file, got)
		}
	}
}
