package shell

import (
	"path"
	"slices"
	"strings"
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
	return containsAny(strings.ToLower(message), "unrecognized subcommand", "unknown subcommand", "unknown command",
		"unrecognized option", "unrecognized argument", "unknown option", "unknown flag", "invalid option", "illegal option",
		"unexpected argument", "command not found", "not recognized as an internal", "no such command", "usage: ")
}

// covers reports whether what a command is run on is, or has in it, something else.
func covers(all, one string) bool {
	dir := strings.TrimSuffix(strings.TrimSuffix(all, "..."), "/")
	return all == one || all == "./..." || one == dir && strings.HasSuffix(all, "...") ||
		strings.HasPrefix(one, dir+"/") && (strings.HasSuffix(all, "...") || path.Ext(all) == "")
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
	for _, words := range Words(command) {
		i := 0
		for i < len(words)-1 && (IsAssignment(words[i]) || words[i] == "sudo" || words[i] == "env") {
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

func containsAny(s string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(s, part) })
}
