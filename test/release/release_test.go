//go:build release

// Package release builds what a release carries, for this platform, and installs, runs and removes it.
package release

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha1" //nolint:gosec // npm's own checksum
	"crypto/sha512"
	"debug/elf"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

const (
	version    = "9.8.7"
	repository = "https://example.com/owner/remanence"
)

// out is the directory of the files of the release.
var out string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "release-test-")
	if err == nil {
		out = filepath.Join(dir, "out")
		err = build(out)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	status := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(status)
}

// build builds the release for this platform into a directory.
func build(dir string) error { return buildFrom(filepath.Join("..", ".."), dir, version) }

// archive is the archive of this platform.
func archive() string {
	return filepath.Join(out, "remanence_"+version+"_"+runtime.GOOS+"_"+runtime.GOARCH+".tar.gz")
}

// home is an empty home directory and what runs in it.
type home struct {
	t    *testing.T
	dir  string
	path string // search path
	env  []string
}

func newHome(t *testing.T) *home {
	t.Helper()
	dir, err := os.MkdirTemp("", "rem") // short: sockets are below it
	if err != nil {
		t.Fatal(err)
	}
	h := &home{t: t, dir: dir, path: "/usr/local/bin:/usr/bin:/bin"}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return h
}

func (h *home) try(name string, args ...string) (string, error) {
	h.t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = h.dir
	cmd.Env = append([]string{"HOME=" + h.dir, "PATH=" + h.path, "LANG=C.UTF-8"}, h.env...)
	text, err := cmd.CombinedOutput()
	return string(text), err
}

func (h *home) run(name string, args ...string) string {
	h.t.Helper()
	text, err := h.try(name, args...)
	if err != nil {
		h.t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, text)
	}
	return text
}

// files lists what is below a directory, directories as well.
func files(t *testing.T, dir string) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if path != dir {
			list = append(list, strings.TrimPrefix(path, dir+"/"))
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return list
}

// wants fails the test unless a text holds all words.
func wants(t *testing.T, what, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("%s: no %q in\n%s", what, w, text)
		}
	}
}

func TestTwoBuildsGiveTheSameBytes(t *testing.T) {
	again := filepath.Join(t.TempDir(), "elsewhere")
	if err := build(again); err != nil {
		t.Fatal(err)
	}
	one, two := read(t, filepath.Join(out, "SHA256SUMS")), read(t, filepath.Join(again, "SHA256SUMS"))
	if !bytes.Equal(one, two) {
		t.Errorf("checksums of two builds:\n%s\n%s", one, two)
	}
	h := newHome(t)
	h.run("sh", "-c", "cd '"+out+"' && sha256sum --quiet -c SHA256SUMS")
	if named := strings.Count(string(one), "\n"); named != len(files(t, out))-1 {
		t.Errorf("SHA256SUMS names %d of %d files", named, len(files(t, out))-1)
	}
}

func TestTheArchiveHoldsAStaticProgramThatNamesItsRelease(t *testing.T) {
	h := newHome(t)
	h.run("tar", "-xzf", archive(), "-C", h.dir)
	dir := filepath.Join(h.dir, strings.TrimSuffix(filepath.Base(archive()), ".tar.gz"))
	have := files(t, dir)
	for _, want := range []string{
		"remanence", "LICENSE", "README.md", "CHANGELOG.md", "SECURITY.md", "THIRD_PARTY_LICENSES.txt",
		"man/man1/remanence.1", "man/man1/remanence-db-backup.1", "completions/remanence.bash", "completions/_remanence",
		"completions/remanence.fish", "completions/remanence.ps1",
	} {
		if !slices.Contains(have, want) {
			t.Errorf("no %s in the archive", want)
		}
	}
	wants(t, "licences", string(read(t, filepath.Join(dir, "THIRD_PARTY_LICENSES.txt"))), "modernc.org/sqlite", "preact",
		"The Go Authors")
	program := filepath.Join(dir, "remanence")
	if runtime.GOOS == "linux" {
		e, err := elf.Open(program)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = e.Close() }()
		if slices.ContainsFunc(e.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP }) {
			t.Error("the program needs a dynamic linker")
		}
	}
	var v struct {
		Version, Commit, Date, Go, OS, Arch string
		Release                             bool
		Schema                              int `json:"schema_version"`
	}
	if err := json.Unmarshal([]byte(h.run(program, "version", "--json")), &v); err != nil {
		t.Fatal(err)
	}
	if v.Version != version || !v.Release || len(v.Commit) < 40 || v.Date == "" || v.Go == "" || v.OS != runtime.GOOS ||
		v.Arch != runtime.GOARCH || v.Schema < 1 {
		t.Errorf("version says %+v", v)
	}
	wants(t, "upgrade", h.run(program, "upgrade"), "installed by archive", repository+"/releases/latest")
}

func TestTheInstallScriptInstallsAndRemovesWithoutATrace(t *testing.T) {
	for _, shell := range []string{"dash", "bash"} {
		t.Run(shell, func(t *testing.T) {
			if _, err := exec.LookPath(shell); err != nil {
				t.Skip(shell + " is not installed")
			}
			h := newHome(t)
			script := filepath.Join(out, "install.sh")
			wants(t, "help", h.run(shell, script, "--help"), "--dry-run", "--prefix DIR", repository)
			wants(t, "dry run", h.run(shell, script, "--from", out, "--dry-run"), "sha256", "nothing was downloaded or written")
			if left := files(t, h.dir); len(left) > 0 {
				t.Fatalf("a dry run wrote %v", left)
			}
			wants(t, "install", h.run(shell, script, "--from", out), "remanence "+version, "to your PATH")
			program := filepath.Join(h.dir, ".local/bin/remanence")
			wants(t, "upgrade", h.run(program, "upgrade"), "installed by script",
				"curl -fsSL "+repository+"/releases/latest/download/install.sh | sh\n")
			h.run(shell, script, "--from", out) // over itself, as an upgrade does
			h.run(shell, script, "--uninstall")
			if left := files(t, h.dir); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestTheInstallScriptRefusesAnotherArchive(t *testing.T) {
	h := newHome(t)
	from := filepath.Join(h.dir, "from")
	if err := os.Mkdir(from, 0o700); err != nil {
		t.Fatal(err)
	}
	other := append(read(t, archive()), 0)
	if err := os.WriteFile(filepath.Join(from, filepath.Base(archive())), other, 0o600); err != nil {
		t.Fatal(err)
	}
	text, err := h.try("sh", filepath.Join(out, "install.sh"), "--from", from, "--prefix", filepath.Join(h.dir, "p"))
	if err == nil {
		t.Error("another archive was installed")
	}
	wants(t, "install", text, "not the one of this release", "fix:")
	if left := files(t, filepath.Join(h.dir, "p")); len(left) > 0 {
		t.Errorf("installed %v", left)
	}
}

func TestTheDebianPackageInstallsAndRemovesWithoutATrace(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("there is no Debian package for " + runtime.GOOS)
	}
	h := newHome(t)
	root := dpkgRoot(h)
	deb := filepath.Join(out, "remanence_"+runtime.GOARCH+".deb")
	h.run("dpkg", append(dpkg(root), "-i", deb)...)
	wants(t, "version", h.run(filepath.Join(root, "usr/bin/remanence"), "--version"), "remanence "+version)
	installed := files(t, filepath.Join(root, "usr"))
	for _, want := range []string{
		"share/man/man1/remanence.1.gz", "share/bash-completion/completions/remanence",
		"share/zsh/vendor-completions/_remanence", "share/fish/vendor_completions.d/remanence.fish",
		"share/doc/remanence/copyright", "share/doc/remanence/THIRD_PARTY_LICENSES.txt",
	} {
		if !slices.Contains(installed, want) {
			t.Errorf("the package has no %s", want)
		}
	}
	h.run("dpkg", append(dpkg(root), "-P", "remanence")...)
	if left := files(t, filepath.Join(root, "usr")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// registry serves the npm packages of the release as the public one would.
func registry(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	packages, err := filepath.Glob(filepath.Join(out, "npm-*.tgz"))
	if err != nil || len(packages) != 2 {
		t.Fatalf("npm packages %v, %v", packages, err)
	}
	for _, file := range packages {
		data := read(t, file)
		var m map[string]any
		if err := json.Unmarshal(member(t, data, "package/package.json"), &m); err != nil {
			t.Fatal(err)
		}
		name, _ := m["name"].(string)
		sum := sha512.Sum512(data)
		m["dist"] = map[string]any{
			"tarball": server.URL + "/files/" + name + ".tgz", "shasum": fmt.Sprintf("%x", sha1.Sum(data)),
			"integrity": "sha512-" + base64.StdEncoding.EncodeToString(sum[:]),
		}
		mux.HandleFunc("/files/"+name+".tgz", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(data) })
		mux.HandleFunc("/"+name, func(w http.ResponseWriter, _ *http.Request) {
			_ = json.NewEncoder(w).Encode(map[string]any{
				"name": name, "dist-tags": map[string]any{"latest": version}, "versions": map[string]any{version: m},
			})
		})
	}
	return server.URL
}

func TestNpxRunsTheDemoAndNpmInstallsTheProgram(t *testing.T) {
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Fatal("npm is needed: ", err)
	}
	h := newHome(t)
	h.path = filepath.Dir(npm) + ":" + h.path
	h.env = []string{
		"npm_config_registry=" + registry(t), "npm_config_prefix=" + filepath.Join(h.dir, "global"), "NO_UPDATE_NOTIFIER=1",
		"npm_config_ignore_scripts=true", "npm_config_audit=false", "npm_config_fund=false",
	}
	wants(t, "demo", h.run("npx", "--yes", "remanence", "demo", "--fast"), "You see everything")
	wants(t, "upgrade", h.run("npx", "--yes", "remanence", "upgrade"), "installed by npm", "npx remanence@latest")
	h.run("npm", "install", "-g", "remanence")
	program := filepath.Join(h.dir, "global/bin/remanence")
	wants(t, "upgrade", h.run(program, "upgrade"), "installed by npm", "npm install -g remanence@latest")
	text, err := h.try(program, "nonsense")
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 2 {
		t.Errorf("a wrong command: %v, want the program's own exit status 2\n%s", err, text)
	}
	h.run(program, "install", "claude-code", "--yes")
	settings := filepath.Join(h.dir, ".claude/settings.json")
	// the program itself, not Node's script
	wants(t, "hooks", string(read(t, settings)), "/global/lib/node_modules/remanence/", "/bin/remanence")
	h.run(program, "uninstall", "--purge", "--yes")
	if _, err := os.Stat(settings); err == nil {
		t.Errorf("uninstall left %s", read(t, settings))
	}
}

func TestTheFormulaIsRubyAndTheManifestIsJSON(t *testing.T) {
	cache := os.Getenv("RUBY_PARSER")
	if cache == "" {
		dir, err := os.UserCacheDir()
		if err != nil {
			t.Fatal(err)
		}
		cache = filepath.Join(dir, "ruby-parser")
	}
	parsers, err := filepath.Glob(filepath.Join(cache, "*", "installed"))
	if err != nil || len(parsers) == 0 {
		t.Fatal("no parser of Ruby: run test/release/install.sh")
	}
	check := func(file string) (string, error) {
		out, err := exec.Command("node", "prism.mjs", filepath.Dir(parsers[0]), file).CombinedOutput()
		return string(out), err
	}
	for _, file := range []string{filepath.Join(out, "remanence.rb"), "../../tools/release/testdata/remanence.rb"} {
		if text, err := check(file); err != nil {
			t.Errorf("%v\n%s", err, text)
		}
	}
	broken := filepath.Join(t.TempDir(), "broken.rb")
	if err := os.WriteFile(broken, bytes.Replace(read(t, filepath.Join(out, "remanence.rb")), []byte("  end\n"), nil, 1),
		0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := check(broken); err == nil {
		t.Error("a formula without one end passes")
	}
	var m struct {
		Version, License, Bin string
		Architecture          map[string]struct{ URL, Hash string }
	}
	if err := json.Unmarshal(read(t, "../../tools/release/testdata/scoop-remanence.json"), &m); err != nil {
		t.Fatal(err)
	}
	if m.Bin != "remanence.exe" || len(m.Architecture) != 2 || len(m.Architecture["arm64"].Hash) != 64 {
		t.Errorf("the manifest says %+v", m)
	}
}

func TestThePluginsLauncherRunsTheInstalledProgramOrNothing(t *testing.T) {
	h := newHome(t)
	h.run("tar", "-xzf", filepath.Join(out, "remanence_"+version+"_claude-code-plugin.tar.gz"), "-C", h.dir)
	launcher := filepath.Join(h.dir, "plugin/bin/remanence")
	manifest := string(read(t, filepath.Join(h.dir, "plugin/.claude-plugin/plugin.json")))
	wants(t, "manifest", manifest, `"version": "`+version+`"`)
	h.path = filepath.Dir(launcher) + ":" + h.path // as in the agent's Bash tool
	hook := func(payload string) string {
		return h.run("sh", "-c", `printf '%s\n' "$1" | "$2" hook claude-code`, "sh", payload, launcher)
	}
	var notice struct{ SystemMessage string }
	if err := json.Unmarshal([]byte(hook(`{"hook_event_name":"SessionStart"}`)), &notice); err != nil ||
		!strings.Contains(notice.SystemMessage, "not installed") {
		t.Errorf("a session that starts gets %+v, %v", notice, err)
	}
	if got := hook(`{"hook_event_name":"Stop"}`); got != "" {
		t.Errorf("another event prints %q", got)
	}
	if text, err := h.try(launcher, "mcp"); err == nil {
		t.Errorf("a server that does not exist starts: %s", text)
	}
	h.run("dash", filepath.Join(out, "install.sh"), "--from", out)
	wants(t, "launcher", h.run(launcher, "--version"), "remanence "+version)
	h.run("tar", "-xzf", filepath.Join(out, "remanence_"+version+"_gemini-extension.tar.gz"), "-C", h.dir)
	extension := filepath.Join(h.dir, "gemini-extension")
	wants(t, "manifest of the extension", string(read(t, filepath.Join(extension, "gemini-extension.json"))),
		`"version": "`+version+`"`)
	wants(t, "launcher of the extension", h.run(filepath.Join(extension, "bin/remanence"), "--version"), version)
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// member returns one file of a tar.gz archive.
func member(t *testing.T, data []byte, name string) []byte {
	t.Helper()
	gz, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(gz); ; {
		h, err := r.Next()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if h.Name == name {
			text, err := io.ReadAll(r)
			if err != nil {
				t.Fatal(err)
			}
			return text
		}
	}
}
