package shell

import (
	"path"
	"slices"
	"strings"
)

// formatters are programs that check the layout of code and do not say so in their names.
var formatters = []string{
	"biome", "black", "checkstyle", "dprint", "flake8", "gofumpt", "isort", "prettier", "pycodestyle", "rubocop", "ruff",
	"spotless", "standard",
}

// runners run the program or the script that they name.
var runners = []string{
	"npm", "npx", "pnpm", "yarn", "bun", "bunx", "run", "make", "just", "task", "uv", "uvx", "poetry", "python", "python3",
	"-m", "exec", "cargo", "go", "bundle", "dotnet", "mix", "deno",
}

// ChecksLayout reports whether a command does nothing but check the layout of code: each of its simple commands is a
// formatter or a linter, by its own name or by that of a script, as in "npm run lint:fix".
func ChecksLayout(command string) bool {
	checks := false
	for _, words := range Words(command) {
		for len(words) > 0 && (IsAssignment(words[0]) || slices.Contains(runners, path.Base(words[0]))) {
			words = words[1:]
		}
		if len(words) == 0 || path.Base(words[0]) == "cd" {
			continue
		}
		name := path.Base(strings.ToLower(words[0]))
		script, _, _ := strings.Cut(name, ":")
		if !slices.Contains(formatters, name) && !strings.HasPrefix(script, "lint") && !strings.HasSuffix(script, "lint") &&
			!strings.HasSuffix(script, "fmt") && script != "format" && script != "golangci-lint" {
			return false
		}
		if slices.Contains(words[1:], "test") { // make lint test
			return false
		}
		checks = true
	}
	return checks
}
