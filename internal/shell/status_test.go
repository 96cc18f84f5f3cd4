package shell

import (
	"strings"
	"testing"
)

func TestWhichCommandsTheExitStatusIsOf(t *testing.T) {
	for line, want := range map[string]string{
		"go test ./...":                         "go/",
		"cd x && go test ./... && npm test":     "cd go npm/",
		"go vet . && go test ./... | tail -5":   "go tail/go",
		"go test ./... || true":                 "true/go",
		"go vet . && go test . || echo bad":     "echo/go go",
		"go vet . || true && go test .":         "true go/go",
		"go test ./...; echo done":              "echo/go",
		"go test ./...;":                        "go/",
		"go test ./... 2>&1":                    "go/",
		"go test ./... &> out.txt":              "go/",
		"npm start & go test .":                 "go/npm",
		"set -e; go vet .; go test .":           "set go go/",
		"set -euo pipefail; go test . | tail":   "set go tail/",
		"go test . |& tee out":                  "tee/go",
		"echo $(go test .)":                     "echo/go",
		"grep -E 'a|b;c' x":                     "grep/",
		"for d in a b; do go test ./$d; done":   "/for do d done",
		"if true && [[ a ]] && go test . && fi": "if [[ go fi/",
	} {
		shown, hidden := byStatus(line)
		names := func(commands [][]string) string {
			var out []string
			for _, words := range commands {
				out = append(out, words[0])
			}
			return strings.Join(out, " ")
		}
		if got := names(shown) + "/" + names(hidden); got != want {
			t.Errorf("%s: got %s, want %s", line, got, want)
		}
	}
}
