package project

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestEveryFormOfARemoteIsOneOrigin(t *testing.T) {
	const want = "github.com/Acme/tool"
	for _, url := range []string{
		"https://github.com/Acme/tool.git",
		"https://github.com/Acme/tool/",
		"https://token@GITHUB.com:443/Acme/tool.git/",
		"https://user:p%40ss@github.com/Acme/tool?x=1#y",
		"http://github.com:80/Acme/tool",
		"ssh://git@github.com:2222/Acme/tool.git",
		"git+ssh://git@github.com/Acme/tool",
		"git://github.com:9418/Acme/tool.git",
		"git@github.com:Acme/tool.git",
		"git@github.com:/Acme/tool",
		"  github.com:Acme/tool\t",
	} {
		if got := normaliseOrigin(url, "/r"); got != want {
			t.Errorf("normaliseOrigin(%q) = %q, want %q", url, got, want)
		}
	}
}

func TestOriginsThatDifferStayApart(t *testing.T) {
	for url, want := range map[string]string{
		"http://localhost:3000/a/b":     "localhost:3000/a/b",
		"http://localhost:3001/a/b.git": "localhost:3001/a/b",
		"ssh://[::1]:22/a/b":            "[::1]/a/b",
		"git@[::1]:a/b.git":             "[::1]/a/b",
		"/no/such/place/x.git":          "/no/such/place/x",
		"/no/such/place/x/.git":         "/no/such/place/x",
		"file:///no/such/place/x":       "/no/such/place/x",
		"../x":                          "/r/x",
		"":                              "",
		"https://github.com/":           "",
		"://":                           "",
		":":                             "/r/tool/:",
	} {
		if got := normaliseOrigin(url, "/r/tool"); got != want {
			t.Errorf("normaliseOrigin(%q) = %q, want %q", url, got, want)
		}
	}
}

func TestConfigIsReadAsGitReadsIt(t *testing.T) {
	for name, text := range map[string]string{
		"plain":            "[remote \"origin\"]\n\turl = https://e.com/a\n",
		"no newline":       "[remote \"origin\"]\nurl=https://e.com/a",
		"windows lines":    "[remote \"origin\"]\r\n\turl = https://e.com/a\r\n",
		"other case":       "[REMOTE \"origin\"]\n\tURL = https://e.com/a\n",
		"dotted":           "[remote.origin]\nurl = https://e.com/a\n",
		"one line":         "[remote \"origin\"] url = https://e.com/a\n",
		"comments":         "# [x\n[remote \"origin\"] ; c\n ; url = no\nurl = https://e.com/a # rest\n",
		"comment at slash": "[remote \"origin\"]\n# path \\\nurl = https://e.com/a\n",
		"quoted":           "[remote \"origin\"]\nurl = \"https://e.com/a#b;c\"  \n",
		"half quoted":      "[remote \"origin\"]\nurl = https://\"e.com\"/a\n",
		"continued":        "[remote \"origin\"]\nurl = https://e.com/\\\na\n",
		"two":              "[remote \"origin\"]\nurl = https://e.com/a\nurl = https://e.com/b\n",
		"other remotes": "[remote \"up\"]\nurl = u\n[remote \"origin\"]\nurl = https://e.com/a\n[remote " +
			"\"x]\\\"\"]\nurl = x\n",
		"other keys": "[remote \"origin\"]\npushurl = p\nurl = https://e.com/a\nfetch = " +
			"+refs/heads/*:refs/remotes/origin/*\n",
		"twice the header": "[remote \"origin\"]\nfetch = x\n[core]\nbare = false\n[remote \"origin\"]\nurl = " +
			"https://e.com/a\n",
		"none":         "[core]\nurl = x\n",
		"mark":         "\uFEFF[remote \"origin\"]\nurl = https://e.com/a\n",
		"escaped":      "[remote \"origin\"]\nurl = c:\\\\repo\\\\a\n",
		"inner blanks": "[remote \"origin\"]\nurl = /a b/c   \n",
	} {
		t.Run(name, func(t *testing.T) {
			if got, want := configValue(text, "remote", "origin", "url"), askGit(t, text); got != want {
				t.Errorf("got %q, want %q, as git says", got, want)
			}
		})
	}
}

func askGit(t *testing.T, config string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config")
	cmd := exec.Command("git", "config", "--file", "-", "--get-all", "remote.origin.url")
	cmd.Dir, cmd.Stdin = filepath.Dir(file), strings.NewReader(config)
	out, err := cmd.Output()
	if err != nil {
		if e := (*exec.ExitError)(nil); errors.As(err, &e) && e.ExitCode() == 1 { // not there
			return ""
		}
		t.Fatalf("git config: %v", err)
	}
	first, _, _ := strings.Cut(string(out), "\n")
	return first
}

func FuzzConfig(f *testing.F) {
	f.Add("[remote \"origin\"]\nurl = \"a\\\"b\"\n")
	f.Add("[remote \"\\")
	f.Fuzz(func(t *testing.T, text string) {
		if url := configValue(text, "remote", "origin", "url"); len(url) > len(text) {
			t.Errorf("value %q is longer than its file", url)
		}
		normaliseOrigin(text, "/r")
	})
}
