package shell

import (
	"fmt"
	"testing"
)

func TestWhatGitCommandsDoBesidesCommits(t *testing.T) {
	for line, want := range map[string]string{
		"git add fee.go a/b.go && git commit -m 'add all'":                  "{ [fee.go a/b.go] false [] [] false }",
		"git add fee.go && git commit -m \"$(cat <<'EOF'\nfee -a\nEOF\n)\"": "{ [fee.go] false [] [] false }",
		"git commit -am fee":                        "{ [] true [] [] false }",
		"git commit -qa -m fee":                     "{ [] true [] [] false }",
		"git commit -mall":                          "{ [] false [] [] false }",
		"git add -A; git commit -m fee":             "{ [] true [] [] false }",
		"git add . && git commit -m fee":            "{ [.] true [] [] false }",
		"git add 'src/*.go'":                        "{ [src/*.go] true [] [] false }",
		"git commit -m fee -- fee.go":               "{ [fee.go] false [] [] false }",
		"cd /srv/api && git add x && git commit":    "{/srv/api [x] false [] [] false }",
		"cd web && git -C ../api commit -m x":       "{api [] false [] [] false }",
		"git -C /srv/api add x":                     "{/srv/api [x] false [] [] false }",
		"git tag -m 'one two' -a v1.2":              "{ [] false [v1.2] [] false }",
		"git tag v1.2 && git push origin main v1.2": "{ [] false [v1.2] [main v1.2] false }",
		"git push --tags":                           "{ [] false [] [] true }",
		"git push origin --delete v1":               "{ [] false [] [] false }",
		"git tag -l 'v*'":                           "{ [] false [] [] false }",
		"gh release create v1.2 --notes x":          "{ [] false [] [] false v1.2}",
		"ls":                                        "{ [] false [] [] false }",
	} {
		if got := fmt.Sprint(Git(line)); got != want {
			t.Errorf("%q: got %s, want %s", line, got, want)
		}
	}
}

func TestFilesThatRmDeletes(t *testing.T) {
	for line, want := range map[string]string{
		"rm -f a.go b.go && ls": "[a.go b.go]", "git rm a.go": "[]", "npm run form a": "[]", "cd x; rm y": "[y]",
	} {
		if got := fmt.Sprint(Removes(line)); got != want {
			t.Errorf("%q: got %s, want %s", line, got, want)
		}
	}
}

func TestWhatSkipsTheChecksOfACommit(t *testing.T) {
	for line, want := range map[string]string{
		"git commit --no-verify -m fee": "--no-verify", "git commit -nm fee": "--no-verify",
		"git commit -an -m x":                           "--no-verify",
		"rtk git commit -m 'x' --no-verify && git push": "--no-verify", "HUSKY=0 git commit -m x": "HUSKY=0",
		"SKIP=eslint git commit -m x": "SKIP=eslint", "git -c core.hooksPath=/dev/null commit -m x": "core.hooksPath",
		"git commit -m fee": "", "git commit -m '--no-verify is wrong'": "", "git commit -mn": "",
		"git commit --no-gpg-sign -m x": "", "git push --no-verify": "", "git commit --no-edit --amend": "",
		"git log -n 3 && git commit -m x": "", "git commit -m x | head -n 3": "",
		"git commit -m \"$(cat <<'EOF'\nfee --no-verify -n\nEOF\n)\"": "",
	} {
		if got := SkipsChecks(line); got != want {
			t.Errorf("%s: got %q, want %q", line, got, want)
		}
	}
}
