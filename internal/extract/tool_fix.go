package extract

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"remanence/internal/chars"
	"remanence/internal/lang"
	"remanence/internal/mem"
	"remanence/internal/shell"
)

// Bounds of what a fix names.
const (
	MaxFixFiles    = 5
	MaxSideEffects = 3
	MaxFixError    = 60 // characters of the command, of its error, and of what helped, in the title
	MaxSideEffect  = 200
)

// Proves reports whether a command that worked shows that one that failed works
// too: it is the same, or the same on more.
func Proves(worked, failed string) bool {
	if worked == failed {
		return true
	}
	w, f := strings.Fields(worked), strings.Fields(failed)
	if len(w) < 2 || len(f) <= 1 || w[0] != f[0] || strings.ContainsAny(worked+failed, "|;&<>$`") {
		return false
	}
	named := func(words []string) (head, on []string) {
		for _, a := range words {
			if strings.HasPrefix(a, "-") || !strings.ContainsAny(a, "/.:") {
				head = append(head, a)
			} else {
				on = append(on, a)
			}
		}
		return head, on
	}
	wh, wo := named(w)
	fh, fo := named(f)
	if !slices.Equal(wh, fh) || len(fo) == 0 {
		return false
	}
	for _, one := range fo {
		if !slices.ContainsFunc(wo, func(all string) bool { return covers(all, one) }) {
			return len(wo) == 0
		}
	}
	return true
}

// managers of packages: what they add or install is the same thing by another hand.
var managers = []string{
	"npm", "pnpm", "yarn", "bun", "deno", "pip", "pip3", "pipx", "python", "python3", "uv", "poetry", "pipenv", "pdm",
	"conda", "mamba",
	"apt", "apt-get", "dnf", "yum", "apk", "pacman", "zypper", "brew", "port", "nix", "cargo", "gem", "bundle", "composer",
	"go", "choco", "winget", "scoop",
}

// Installs reports whether a command that worked installs what another one failed
// to: by another manager of packages, as pnpm add does for npm install.
func Installs(worked, failed string) bool {
	parts := func(command string) (program string, what []string, ok bool) {
		words := strings.Fields(strings.TrimPrefix(command, "sudo "))
		if len(words) == 0 || !slices.Contains(managers, words[0]) {
			return "", nil, false
		}
		for i, w := range words {
			if i > 0 && (w == "install" || w == "add" || w == "i") {
				return words[0], slices.DeleteFunc(
					words[i+1:],
					func(w string) bool { return strings.HasPrefix(w, "-") },
				), true
			}
		}
		return "", nil, false
	}
	by, has, ok := parts(worked)
	was, wants, failing := parts(failed)
	if !ok || !failing || by == was || len(wants) == 0 || strings.ContainsAny(worked+failed, "|;&<>$`") {
		return false
	}
	return !slices.ContainsFunc(wants, func(w string) bool { return !slices.Contains(has, w) })
}

// CalledAnew reports whether a command that worked is one that failed, called in another way: without a program in
// front that runs it or with one, as `bun run test` for `rtk bun run test`.
func CalledAnew(worked, failed string) bool {
	long, short := failed, worked
	if len(long) < len(short) {
		long, short = short, long
	}
	wrapper, ok := strings.CutSuffix(long, " "+short)
	words := strings.Fields(wrapper)
	return ok && len(strings.Fields(short)) > 1 && len(words) > 0 && len(words) <= maxWrapper &&
		!strings.ContainsAny(long, "|;&<>$`") && !slices.Contains(displays, words[0])
}

const maxWrapper = 3 // words of a program that runs another, with its own arguments

// displays are programs that do something with the name of a command, and do not run it.
var displays = []string{"echo", "printf", "which", "type", "man", "command", "grep", "rg", "git"}

// UsageError reports whether an error says that a command was called wrongly, and nothing of the work.
func UsageError(message string) bool {
	return lang.ContainsAny(strings.ToLower(message), "unrecognized subcommand", "unknown subcommand", "unknown command",
		"unrecognized option", "unrecognized argument", "unknown option", "unknown flag", "invalid option", "illegal option",
		"unexpected argument", "command not found", "not recognized as an internal", "no such command", "usage: ")
}

// covers reports whether what a command is run on is, or has in it, something else.
func covers(all, one string) bool {
	dir := strings.TrimSuffix(strings.TrimSuffix(all, "..."), "/")
	return all == one || all == "./..." || one == dir && strings.HasSuffix(all, "...") ||
		strings.HasPrefix(one, dir+"/") && (strings.HasSuffix(all, "...") || path.Ext(all) == "")
}

// FixTitle describes a fix in one line. It contains what helped in full, since the failure is known when it occurs
// again.
func FixTitle(failure mem.Memory, helped string) string {
	_, said, _ := strings.Cut(failure.Title, "| Error: ")
	left := 160 - utf8.RuneCountInString(fmt.Sprintf("`` failed (exit %d: ), %s", failure.ExitCode, helped))
	command := chars.Clip(failure.Command, min(MaxFixError, max(left/2, left-utf8.RuneCountInString(said))))
	said = chars.Clip(said, min(MaxFixError, left-utf8.RuneCountInString(command)))
	return fmt.Sprintf("`%s` failed (exit %d: %s), %s", command, failure.ExitCode, said, helped)
}

// FilesPhrase says in which files something was done.
func FilesPhrase(files []string) string {
	switch n := len(files); n {
	case 1:
		return path.Base(files[0])
	case 2:
		return path.Base(files[0]) + " and " + path.Base(files[1])
	default:
		return fmt.Sprintf("%s and %d other files", path.Base(files[0]), n-1)
	}
}

// SameProgram reports whether two commands are different ones of one program:
// what was run with it may be what helped.
func SameProgram(a, b string) bool {
	x, y := strings.Fields(a), strings.Fields(b)
	if len(x) < 2 || len(y) < 2 || x[0] != y[0] || x[1] == y[1] {
		return false
	}
	switch x[0] {
	case "git",
		"cd", "ls", "cat", "grep", "rg", "find", "python", "python3", "node", "sh", "bash", "curl", "psql",
		"npx":
		return false
	}
	return !slices.ContainsFunc(
		[]string{
			"test", "get", "logs", "log", "status", "show", "list", "ls", "describe", "lint", "check", "vet", "ps",
			"version", "help", "view",
		},
		func(w string) bool { return x[1] == w },
	)
}

// HasSideEffects reports whether a command changes something besides the files that are
// edited: what is installed, what runs, what is locked or generated.
func HasSideEffects(command string) bool {
	for _, words := range shell.Words(command) {
		i := 0
		for i < len(words)-1 && (shell.IsAssignment(words[i]) || words[i] == "sudo" || words[i] == "env") {
			i++
		}
		switch path.Base(words[i]) {
		case "chmod",
			"chown", "mkdir", "rm", "mv", "cp", "ln", "touch", "kill", "pkill", "systemctl", "service", "sysctl",
			"truncate", "make", "createdb", "dropdb", "ssh-add", "corepack", "nvm", "rustup", "direnv",
			"export":
			return true
		}
		for _, w := range words[i+1:] {
			switch strings.Trim(w, "-") {
			case "install",
				"i", "ci", "add", "up", "update", "upgrade", "remove", "uninstall", "rebuild", "restart", "start",
				"stop", "migrate", "db:migrate", "db:setup", "db:create", "seed", "generate", "gen", "tidy", "unlock",
				"force-unlock", "init", "login", "clean", "prune", "reset", "sync", "download", "vendor", "checkout",
				"restore", "apply", "rollback", "enable", "set", "use", "clear", "flush", "flushall",
				"cache:clear",
				"fix":
				return true
			}
		}
	}
	return false
}
