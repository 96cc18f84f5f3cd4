//go:build release

package release

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// carrier installs one release of the program into a home, over the one before, and removes it.
type carrier struct {
	name    string
	install func(h *home, files, version string) (program string)
	remove  func(h *home, files string)
}

func carriers(t *testing.T) []carrier {
	npm := func(h *home, args ...string) {
		exe, err := exec.LookPath("npm")
		if err != nil {
			h.t.Fatal("npm is needed: ", err)
		}
		h.path = filepath.Dir(exe) + ":/usr/local/bin:/usr/bin:/bin"
		h.env = []string{
			"npm_config_prefix=" + filepath.Join(h.dir, "global"), "npm_config_cache=" + filepath.Join(t.TempDir(), "cache"),
			"NO_UPDATE_NOTIFIER=1", "npm_config_ignore_scripts=true", "npm_config_audit=false", "npm_config_fund=false",
			"npm_config_offline=true",
		}
		h.run("npm", args...)
	}
	return []carrier{
		{"script", func(h *home, files, _ string) string {
			h.run("sh", filepath.Join(files, "install.sh"), "--from", files)
			return filepath.Join(h.dir, ".local/bin/remanence")
		}, func(h *home, files string) { h.run("sh", filepath.Join(files, "install.sh"), "--uninstall") }},
		{"archive", func(h *home, files, version string) string {
			name := "remanence_" + version + "_" + runtime.GOOS + "_" + runtime.GOARCH
			dir := filepath.Join(h.dir, "opt")
			if err := os.MkdirAll(dir, 0o700); err != nil {
				h.t.Fatal(err)
			}
			h.run("tar", "-xzf", filepath.Join(files, name+".tar.gz"), "--strip-components=1", "-C", dir)
			return filepath.Join(dir, "remanence")
		}, func(h *home, _ string) { h.run("rm", "-r", filepath.Join(h.dir, "opt")) }},
		{"deb", func(h *home, files, _ string) string {
			root := dpkgRoot(h)
			h.run("dpkg", append(dpkg(root), "-i", filepath.Join(files, "remanence_"+runtime.GOARCH+".deb"))...)
			return filepath.Join(root, "usr/bin/remanence")
		}, func(h *home, _ string) {
			root := dpkgRoot(h)
			h.run("dpkg", append(dpkg(root), "-P", "remanence")...)
			h.run("rm", "-r", root)
		}},
		{"npm", func(h *home, files, _ string) string {
			packages, err := filepath.Glob(filepath.Join(files, "npm-*.tgz"))
			if err != nil || len(packages) != 2 {
				h.t.Fatalf("npm packages %v, %v", packages, err)
			}
			npm(h, append([]string{"install", "-g", "--omit=optional"}, packages...)...)
			return filepath.Join(h.dir, "global/bin/remanence")
		}, func(h *home, _ string) {
			list, err := os.ReadDir(filepath.Join(h.dir, "global/lib/node_modules"))
			if err != nil {
				h.t.Fatal(err)
			}
			args := []string{"uninstall", "-g"}
			for _, e := range list {
				if !strings.HasPrefix(e.Name(), ".") {
					args = append(args, e.Name())
				}
			}
			npm(h, args...)
			h.run("rm", "-r", filepath.Join(h.dir, "global"))
		}},
	}
}

// before builds the release before this one and returns its directory and version: the newest tag, and without a tag
// the same sources under a lower version.
func before(t *testing.T) (dir, number string) {
	t.Helper()
	dir, number, sources := filepath.Join(t.TempDir(), "before"), "9.8.6", filepath.Join("..", "..")
	if tag, err := exec.Command("git", "describe", "--tags", "--abbrev=0", "--match", "v[0-9]*").Output(); err == nil {
		name := strings.TrimSpace(string(tag))
		sources = filepath.Join(t.TempDir(), "sources")
		if text, err := exec.Command("git", "worktree", "add", "--detach", sources, name).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		t.Cleanup(func() { _ = exec.Command("git", "worktree", "remove", "--force", sources).Run() })
		number = strings.TrimPrefix(name, "v")
	}
	if err := buildFrom(sources, dir, number); err != nil {
		t.Fatal(err)
	}
	return dir, number
}

// session runs the real client with what the home's settings hold, and returns what the client sent to the model.
func (h *home) session(n int, script, prompt string) string {
	h.t.Helper()
	bench, err := filepath.Abs("../client/run.sh")
	if err != nil {
		h.t.Fatal(err)
	}
	out := h.t.TempDir()
	if strings.HasPrefix(script, "{") {
		file := filepath.Join(out, "turns.json")
		if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
			h.t.Fatal(err)
		}
		script = file
	}
	if script, err = filepath.Abs(script); err != nil {
		h.t.Fatal(err)
	}
	cmd := exec.Command(bench, script, "", prompt)
	work := filepath.Join(h.dir, "work")
	cmd.Env = append(os.Environ(), "CC_OUT="+out, "CC_HOME="+h.dir, "CC_CWD="+work, "CC_TIMEOUT=300")
	if text, err := cmd.CombinedOutput(); err != nil {
		h.t.Fatalf("session %d: %v\n%s", n, err, text)
	}
	return string(read(h.t, filepath.Join(out, "requests.jsonl")))
}

// processes lists what runs with this home.
func (h *home) processes() []string {
	var list []string
	environments, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range environments {
		env, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(env, []byte("HOME="+h.dir+"\x00")) {
			continue
		}
		if cmd, err := os.ReadFile(filepath.Join(filepath.Dir(file), "cmdline")); err == nil && len(cmd) > 0 {
			list = append(list, strings.ReplaceAll(string(cmd), "\x00", " "))
		}
	}
	return list
}

// TestEachCarrierServesTheClientUpgradesAndLeavesNothing goes the whole way of a person with every carrier: the release
// before, its hooks in a session of the real client, the upgrade, a session that gets what the first one taught, and
// the removal.
func TestEachCarrierServesTheClientUpgradesAndLeavesNothing(t *testing.T) {
	old, number := before(t)
	for _, c := range carriers(t) {
		t.Run(c.name, func(t *testing.T) {
			if c.name == "deb" && runtime.GOOS != "linux" {
				t.Skip("there is no Debian package for " + runtime.GOOS)
			}
			h := newHome(t)
			project := filepath.Join(h.dir, "work")
			check := "grep -q '^limit=[0-9][0-9]*$' retry.conf || { echo 'error: retry limit must be a number' >&2; exit 3; }\n"
			for name, text := range map[string]string{"check.sh": check, "retry.conf": "limit=many\n"} {
				if err := os.MkdirAll(project, 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(project, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			program := c.install(h, old, number)
			t.Cleanup(func() { _, _ = h.try(program, "daemon", "stop") })
			wants(t, "version", h.run(program, "--version"), "remanence "+number)
			h.run(program, "install", "claude-code", "--yes")
			h.session(1, "../e2e/testdata/learn.json", "make the check pass")

			program = c.install(h, out, version)
			wants(t, "version", h.run(program, "--version"), "remanence "+version)
			sent := h.session(2, `{"turns": [{"text": "I know."}]}`, "how does the webhook sender wait between attempts?")
			wants(t, "what the second session was given", sent, "remanence-context", "jittered backoff")
			wants(t, "doctor", h.run(program, "doctor"), "daemon up")
			h.run(program, "uninstall", "--purge", "--yes")
			c.remove(h, out)
			if left := h.processes(); len(left) > 0 {
				t.Errorf("still running: %v", left)
			}
			h.nothingOfOurs()
		})
	}
}

// nothingOfOurs fails the test if a file of the home is of the program or names it, except in what the client itself
// wrote about its sessions.
func (h *home) nothingOfOurs() {
	h.t.Helper()
	clients := []string{".claude/projects", ".claude.json", ".claude/backups", ".cache/claude-cli-nodejs", "work"}
	for _, name := range files(h.t, h.dir) {
		if slices.ContainsFunc(clients, func(c string) bool { return name == c || strings.HasPrefix(name, c+"/") }) {
			continue
		}
		path := filepath.Join(h.dir, name)
		info, err := os.Lstat(path)
		if err != nil {
			h.t.Fatal(err)
		}
		if strings.Contains(name, "remanence") {
			h.t.Errorf("left behind: %s", name)
		} else if info.Mode().Type() == fs.FileMode(0) && bytes.Contains(read(h.t, path), []byte("remanence")) {
			h.t.Errorf("%s still names the program", name)
		}
	}
}

func dpkg(root string) []string {
	return []string{"--root=" + root, "--force-not-root", "--log=/dev/null"}
}

// dpkgRoot makes a root directory with an empty database of packages, unless it is there.
func dpkgRoot(h *home) string {
	h.t.Helper()
	h.path = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
	root := filepath.Join(h.dir, "root")
	if _, err := os.Stat(root); err == nil {
		return root
	}
	for _, dir := range []string{"var/lib/dpkg/info", "var/lib/dpkg/updates", "usr"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			h.t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "var/lib/dpkg/status"), nil, 0o600); err != nil {
		h.t.Fatal(err)
	}
	return root
}

// buildFrom builds a release of some sources for this platform.
func buildFrom(sources, dir, number string) error {
	cmd := exec.Command("go", "run", "./tools/release", "-try", "-version", number, "-repository", repository,
		"-platforms", runtime.GOOS+"/"+runtime.GOARCH, "-out", dir)
	cmd.Dir = sources
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build release %s: %w\n%s", number, err, text)
	}
	return nil
}
