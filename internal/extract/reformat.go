package extract

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"remanence/internal/shell"
)

// LayoutTag tags a change that only reformats a file.
const LayoutTag = "layout"

// indented are the extensions of files in which white space at the start of a line means something.
var indented = []string{
	"", ".py", ".pyi", ".yaml", ".yml", ".md", ".mk", ".haml", ".pug", ".sass", ".nim", ".hs", ".fs", ".coffee", ".txt",
}

// OnlyReformats reports whether an edit of a file is one of layout: of white space outside quoted text, and of commas
// before a closing bracket. In many languages such a change may mean something, so it teaches nothing only where a
// command that ChecksLayout asked for it.
func OnlyReformats(file, before, after string) bool {
	return before != after && !slices.Contains(indented, strings.ToLower(path.Ext(Slashed(file)))) &&
		withoutLayout(before) == withoutLayout(after) && slices.Equal(quoted(before), quoted(after))
}

// quoted are the parts of a code that stand between quotation marks; a mark that is not closed counts as well.
func quoted(code string) []string {
	var out []string
	for i, part := range strings.Split(strings.NewReplacer("'", `"`, "`", `"`).Replace(code), `"`) {
		if i%2 == 1 {
			out = append(out, part)
		}
	}
	return out
}

// withoutLayout is a code without white space but for one space between two words.
func withoutLayout(code string) string {
	var out strings.Builder
	word, gap := false, false // whether the last character belongs to a word; whether white space follows it
	for _, r := range code {
		if unicode.IsSpace(r) {
			gap = true
			continue
		}
		is := r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)
		if gap && word && is {
			out.WriteByte(' ')
		}
		out.WriteRune(r)
		word, gap = is, false
	}
	return strings.NewReplacer(",)", ")", ",]", "]", ",}", "}").Replace(out.String())
}

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
	for _, words := range shell.Words(command) {
		for len(words) > 0 && (shell.IsAssignment(words[0]) || slices.Contains(runners, path.Base(words[0]))) {
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
