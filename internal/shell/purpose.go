package shell

import (
	"path"
	"slices"
	"strings"
)

// Delivery returns what a command line does to hand work over: "push" for git push, else the word of its command, as
// "publish" for `npm publish` and "deploy" for `npm run deploy:eu`. It is empty for other lines, and for a dry run.
func Delivery(line string) string {
	if !containsAny(line, "push", "merge", "publish", "release", "deploy", "upload") { // most lines
		return ""
	}
	for _, words := range commandsOf(line) {
		if slices.Contains(words, "--dry-run") {
			continue
		}
		if program, rest, ok := programIn(words, "git", "gh"); ok {
			if program == "gh" {
				rest = withoutFlags(rest)
			}
			switch {
			case program == "git" && Subcommand(rest) == "push":
				return "push"
			case program == "gh" && len(rest) > 1 && rest[0] == "pr" && rest[1] == "merge":
				return "merge"
			case program == "gh" && len(rest) > 1 && rest[0] == "release" &&
				(rest[1] == "create" || rest[1] == "upload"):
				return "release"
			}
			continue
		}
		words = withoutFlags(words)
		if len(words) == 0 || slices.Contains(readers, path.Base(words[0])) {
			continue
		}
		for i, w := range words[:min(len(words), namedWithin)] {
			if i > 0 && strings.Contains(w, "/") && !slices.Contains(interpreters, words[0]) { // what it works on
				continue
			}
			name, _, _ := strings.Cut(strings.TrimSuffix(path.Base(w), path.Ext(w)), ":")
			if slices.Contains([]string{"publish", "release", "deploy", "upload"}, name) {
				return name
			}
			if slices.Contains([]string{"get", "list", "describe", "status", "logs", "help"}, name) {
				break
			}
		}
	}
	return ""
}

// Rewrites reports whether a command line gives commits other hashes: the last one, as `git commit --amend` does, or
// all that were not pushed, as a rebase.
func Rewrites(line string) (last, all bool) {
	if !containsAny(line, "--amend", "rebase") { // most lines
		return false, false
	}
	for _, words := range commandsOf(line) {
		_, rest, _ := programIn(words, "git")
		switch Subcommand(rest) {
		case "commit":
			last = last || slices.Contains(rest, "--amend")
		case "rebase":
			all = true
		case "pull":
			all = all || slices.ContainsFunc(rest, func(w string) bool { return strings.HasPrefix(w, "--rebase") })
		}
	}
	return last, all
}

// Checks returns what a command line checks: "test", "lint", "types", "build" or "check", each once.
func Checks(line string) []string {
	if !mayCheck(line) {
		return nil
	}
	return checksOf(commandsOf(line))
}

// mayCheck reports whether a line may check something. Most lines do not.
func mayCheck(line string) bool {
	return containsAny(line, "test", "lint", "check", "build", "fmt", "format", "compile", "tox", "jest", "rspec",
		"phpunit", "tsc", "mypy", "pyright", "vet") || containsAny(line, formatters...)
}

// checksOf returns what some commands check, each once.
func checksOf(commands [][]string) (out []string) {
	add := func(kind string) {
		if !slices.Contains(out, kind) {
			out = append(out, kind)
		}
	}
	for _, words := range commands {
		words = withoutFlags(words)
		if len(words) == 0 || slices.Contains(readers, path.Base(words[0])) {
			continue
		}
		if ChecksLayout(strings.Join(words, " ")) {
			add("lint")
			continue
		}
		for i, w := range words[:min(len(words), namedWithin)] {
			name, _, _ := strings.Cut(path.Base(w), ":")
			switch name {
			case "test", "tests":
				if i > 0 { // the first one compares something
					add("test")
				}
			case "pytest", "tox", "vitest", "jest", "rspec", "phpunit", "ctest":
				add("test")
			case "typecheck", "type-check", "tsc", "mypy", "pyright", "vet":
				add("types")
			case "build", "compile":
				add("build")
			case "check":
				add("check")
			}
		}
	}
	return out
}

// ChecksFailed reports whether GitHub says, to a command that asks for it, that the checks of what was pushed failed;
// of a list of runs that the newest did. known is false if the output says nothing about their end.
func ChecksFailed(line, output string) (failed, known bool) {
	if !strings.Contains(line, "gh ") {
		return false, false
	}
	asks, lists := false, false
	for _, words := range commandsOf(line) {
		if _, rest, ok := programIn(withoutFlags(words), "gh"); ok && len(rest) > 0 {
			asks = asks || slices.Contains([]string{"run", "pr", "api", "workflow"}, rest[0])
			lists = lists || len(rest) > 1 && rest[1] == "list"
		}
	}
	if !asks {
		return false, false
	}
	for line := range strings.Lines(strings.ReplaceAll(output, `": "`, `":"`)) {
		bad := containsAny(line, `"conclusion":"failure"`, "completed\tfailure\t", "\tfail\t")
		known = known || bad || containsAny(line, `"conclusion":"success"`, "completed\tsuccess\t", "\tpass\t")
		if failed = failed || bad; known && lists {
			break
		}
	}
	return failed, known
}

// OnlyShows reports whether a command shows something and makes nothing.
func OnlyShows(command string) bool {
	words := strings.Fields(command)
	if len(words) == 0 {
		return true
	}
	looks := []string{
		"cat", "echo", "file", "find", "grep", "head", "ls", "pwd", "rg", "stat", "tail", "tree", "wc", "which",
	}
	switch words[0] {
	case "git":
		return len(words) > 1 && slices.Contains([]string{"branch", "diff", "log", "show", "status"}, words[1])
	case "sed":
		return len(words) > 1 && words[1] == "-n"
	}
	return slices.Contains(looks, words[0])
}

// Work returns the commands of a line that do more than to show or to move something or to record work in git, each
// without its redirections, and without those that filter the output of others.
func Work(line string) (out []string) {
	line, _, _ = strings.Cut(line, "<<") // the text that a command is given
	for _, words := range commandsOf(line) {
		if works(words) {
			out = append(out, strings.Join(words, " "))
		}
	}
	return out
}

// works reports whether a command does more than to show or to move something or to record work in git.
func works(words []string) bool {
	named := withoutFlags(words)
	return len(named) > 0 && !slices.ContainsFunc(named[:min(len(named), 2)], func(w string) bool {
		return w != "test" && slices.Contains(readers, path.Base(w))
	})
}

// namedWithin is the number of words of a command that can say what it is for: "docker compose exec web pytest".
const namedWithin = 5

// Subcommand returns the first of the words after git that is neither one of its own options nor the value of one.
func Subcommand(words []string) string {
	for i, w := range words {
		if !strings.HasPrefix(w, "-") && (i == 0 || words[i-1] != "-c" && words[i-1] != "-C") {
			return w
		}
	}
	return ""
}

// readers are programs that show or move files, whatever their names are.
var readers = []string{
	"cat", "cd", "chmod", "cp", "echo", "find", "git", "grep", "head", "kill", "less", "ls", "man", "mkdir", "mv", "pkill",
	"printf", "rg", "rm", "sed", "sleep", "stat", "tail", "test", "touch", "tree", "wc", "which", "[",
}

// WrittenForOneCall reports whether a command runs a program that stands in its line or input, and not in a file.
func WrittenForOneCall(command string) bool {
	for _, words := range commandsOf(command) {
		if len(words) > 1 && slices.Contains(interpreters, path.Base(words[0])) &&
			slices.Contains([]string{"-", "-c", "-e", "-p"}, words[1]) {
			return true
		}
	}
	return false
}

// interpreters run the script that they are given.
var interpreters = []string{"bash", "sh", "zsh", "node", "python", "python3"}

// commandsOf returns the words of each command of a line.
func commandsOf(line string) [][]string {
	if commands, ok := Parse(line); ok {
		return commands
	}
	return Words(line)
}

// withoutFlags returns the words of a command without variables that are set in front and without options, and without
// the directory that it is run in.
func withoutFlags(words []string) (out []string) {
	for i, w := range words {
		if i > 0 && words[i-1] == "-C" {
			continue
		}
		if !strings.HasPrefix(w, "-") && (len(out) > 0 || !IsAssignment(w)) {
			out = append(out, w)
		}
	}
	return out
}

// programIn returns that of some programs which a command runs, itself or behind another one, and what follows it.
func programIn(words []string, programs ...string) (program string, rest []string, ok bool) {
	for i, w := range words[:min(len(words), maxWrapper)] {
		if slices.Contains(programs, path.Base(w)) {
			return path.Base(w), words[i+1:], true
		}
	}
	return "", nil, false
}
