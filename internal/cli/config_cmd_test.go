package cli

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"remanence/internal/config"
	"remanence/internal/daemon"
	"remanence/internal/fault"
	"remanence/internal/mem"
)

// home is one person with a home of his own.
type home struct {
	t   *testing.T
	env map[string]string
}

func newHome(t *testing.T) home {
	return home{t, map[string]string{"HOME": t.TempDir()}}
}

func (h home) run(args ...string) (stdout, stderr string, code int) {
	h.t.Helper()
	var out, err strings.Builder
	code = Main(h.t.Context(), config.System{
		Args: args, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &err, Getenv: func(k string) string {
			return h.env[k]
		}, Now: time.Now, Slack: time.Minute,
	})
	return out.String(), err.String(), code
}

func (h home) config() string {
	return filepath.Join(h.env["HOME"], ".config", "remanence", "config.toml")
}

func TestEverySettingCanBeSetReadAndTakenOut(t *testing.T) {
	h := newHome(t)
	for _, o := range config.Options() {
		lit, err := literal(o.Def)
		if err != nil {
			t.Fatal(err)
		}
		text := config.SettingOf(config.Value{Option: o, Value: o.Def}).ValueText()
		if _, stderr, code := h.run("config", "set", o.Key, text); code != 0 {
			t.Errorf("set %s %s: exit %d: %s", o.Key, lit, code, stderr)
		}
		if out, _, _ := h.run("config", "get", o.Key); strings.TrimSuffix(out, "\n") != text {
			t.Errorf("get %s: got %q, want %q", o.Key, out, text)
		}
	}
	cfg, err := config.LoadConfig(h.config(), func(string) string { return "" })
	if err != nil || len(cfg.Warnings) > 0 {
		t.Fatalf("after setting all: %v, %v", err, cfg.Warnings)
	}
	for _, v := range cfg.Values {
		if v.Origin != "file" {
			t.Errorf("%s comes from %s, want file", v.Key, v.Origin)
		}
		if _, stderr, code := h.run("config", "unset", v.Key); code != 0 {
			t.Errorf("unset %s: exit %d: %s", v.Key, code, stderr)
		}
	}
	cfg, err = config.LoadConfig(h.config(), func(string) string { return "" })
	for _, v := range cfg.Values {
		if err != nil || v.Origin != "default" {
			t.Errorf("%s comes from %s (%v), want default", v.Key, v.Origin, err)
		}
	}
}

func TestWhatIsDecidedAtOnceAllCounts(t *testing.T) {
	h := newHome(t)
	options := config.Options()
	m := newMachine(t)
	var all sync.WaitGroup
	for i, o := range options {
		all.Go(func() {
			h.run("config", "set", o.Key, config.SettingOf(config.Value{Option: o, Value: o.Def}).ValueText())
		})
		if i < 12 {
			all.Go(func() {
				if _, err := daemon.TrustProject(m.Paths, mem.Project{Root: "/clones/" + strconv.Itoa(i)}, "",
					time.Now()); err != nil {
					t.Error(err)
				}
			})
		}
	}
	all.Wait()
	file, err := os.ReadFile(h.config())
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(file), " = "); n != len(options) {
		t.Errorf("%d of %d settings are in the file:\n%s", n, len(options), file)
	}
	if list, err := daemon.ReadTrusted(m.Paths); err != nil || len(list) != 12 {
		t.Errorf("trusted: %+v, %v; want 12", list, err)
	}
}

func TestTheFileKeepsItsModeAndItsLink(t *testing.T) {
	h := newHome(t)
	real := filepath.Join(h.env["HOME"], "dotfiles.toml")
	if err := os.WriteFile(real, []byte("# mine\n"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(h.config()), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, h.config()); err != nil {
		t.Fatal(err)
	}
	if _, stderr, code := h.run("config", "set", "profile", "full"); code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	b, err := os.ReadFile(real)
	info, _ := os.Stat(real)
	if err != nil || string(b) != "# mine\nprofile = 'full'\n" || info.Mode().Perm() != 0o640 {
		t.Errorf("got %q, %v, %v", b, info.Mode(), err)
	}
}

func TestWhatAnEditorPutsBeforeTheTextIsNoMistake(t *testing.T) {
	h := newHome(t)
	if err := errors.Join(os.MkdirAll(filepath.Dir(h.config()), 0o700),
		os.WriteFile(h.config(), []byte(config.UtfBOM+"profile = \"full\"\r\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if out, stderr, code := h.run("config", "get", "profile"); out != "full\n" {
		t.Errorf("got %q %q, status %d, want full", out, stderr, code)
	}
	if _, stderr, code := h.run("config", "set", "profile", "silent"); code != 0 {
		t.Errorf("set: status %d: %s", code, stderr)
	}
	if b, err := os.ReadFile(h.config()); err != nil || string(b) != config.UtfBOM+"profile = 'silent'\r\n" {
		t.Errorf("got %q, %v", b, err)
	}
}

func TestALinkThatLeadsNowhereIsNotReplaced(t *testing.T) {
	h := newHome(t)
	if err := errors.Join(os.MkdirAll(filepath.Dir(h.config()), 0o700),
		os.Symlink("away/config.toml", h.config())); err != nil {
		t.Fatal(err)
	}
	if _, stderr, code := h.run("config", "set", "profile", "full"); code == 0 ||
		!strings.Contains(stderr, "leads nowhere") {
		t.Errorf("status %d: %s", code, stderr)
	}
	if to, err := os.Readlink(h.config()); err != nil || to != "away/config.toml" {
		t.Errorf("the link leads to %q, %v", to, err)
	}
}

func TestWithoutAPlaceForWhatIsKeptTheFaultSaysSo(t *testing.T) {
	h := newHome(t)
	state := filepath.Join(h.env["HOME"], ".local", "state")
	if err := errors.Join(os.MkdirAll(filepath.Dir(state), 0o700), os.WriteFile(state, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, stderr, code := h.run("config", "set", "profile", "full"); code == 0 ||
		!strings.Contains(stderr, fault.ReadOnly.Code) {
		t.Errorf("status %d: %s, want %s", code, stderr, fault.ReadOnly.Code)
	}
}

func TestTheSchemaKnowsEverySettingAndNoOther(t *testing.T) {
	b, err := json.Marshal(config.Schema())
	if err != nil {
		t.Fatal(err)
	}
	var root map[string]any
	if err := json.Unmarshal(b, &root); err != nil {
		t.Fatal(err)
	}
	left := map[string]bool{}
	var visit func(prefix string, node map[string]any)
	visit = func(prefix string, node map[string]any) {
		props, ok := node["properties"].(map[string]any)
		if !ok {
			left[prefix] = true
			return
		}
		if node["additionalProperties"] != false {
			t.Errorf("%q lets other keys in", prefix)
		}
		for name, sub := range props {
			visit(strings.TrimPrefix(prefix+"."+name, "."), sub.(map[string]any))
		}
	}
	visit("", root)
	for _, o := range config.Options() {
		if !left[o.Key] {
			t.Errorf("the schema does not have %s", o.Key)
		}
		delete(left, o.Key)
	}
	if len(left) > 0 {
		t.Errorf("the schema has also %v", left)
	}
}

// A setting that is overridden is reported at once.
func TestAServerThatWillNotBeUsedIsReportedWhenItIsSet(t *testing.T) {
	h := newHome(t)
	for _, step := range []struct {
		key, value string
		warns      bool
	}{
		{"embed.url", "http://embed.example.com", true}, // no provider yet
		{"profile", "full", false},
		{"embed.provider", "ollama", true},
		{"embed.allow_remote", "true", false},
		{"embed.allow_remote", "false", true},
		{"embed.provider", "none", false},
		{"embed.url", "http://127.0.0.1:11434", false},
	} {
		_, stderr, code := h.run("config", "set", step.key, step.value)
		if code != 0 || strings.Contains(stderr, "warning:") != step.warns {
			t.Errorf("%s %s: exit %d, said %q, want a warning: %v", step.key, step.value, code, stderr, step.warns)
		}
	}
}
