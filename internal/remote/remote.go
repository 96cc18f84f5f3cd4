// Package remote recognises tool calls that bring in text from outside the machine. It reads the name of the tool and
// the command line, runs nothing, and does not know what the call answered. Start with BringsText.
package remote

import (
	"path"
	"slices"
	"strings"

	"remanence/internal/lang"
	"remanence/internal/shell"
)

// BringsText reports whether the tool call brings in text from outside the machine: from the
// web, another server, or a program that prints what one answered. In doubt it does. A
// command line that only sends, or that brings in commits and files without showing them,
// does not: git pull, fetch, push and clone, and what gh creates or changes. What a later
// call reads of them is not recognised.
func BringsText(tool, command string) bool {
	if lang.ContainsAny(strings.ToLower(tool), "web", "mcp", "fetch", "browse", "http") {
		return true
	}
	return slices.ContainsFunc(shell.Words(command), fetches) && !showsNothing(command)
}

// fetches reports whether a simple command asks another machine, by itself or
// through a command that runs another one.
func fetches(words []string) bool {
	if len(words) > 0 && takesText(path.Base(words[0])) {
		return false
	}
	for i, w := range words {
		next := ""
		if i+1 < len(words) {
			next = words[i+1]
		}
		if isRemote(w) {
			return true
		}
		switch strings.TrimSuffix(path.Base(w), ".exe") {
		case "curl", "wget", "aria2c", "lynx", "w3m", "scp", "sftp", "rsync", "ncat", "xh", "curlie", "yt-dlp":
			return true
		case "npm", "pnpm", "yarn", "pip", "cargo", "brew", "gem":
			if next == "view" || next == "info" || next == "show" || next == "search" {
				return true
			}
		case "gh", "glab", "hub", "jira", "aws", "gcloud", "az", "http", "https", "links", "nc", "ssh", "telnet", "ftp":
			if i == 0 || shell.RunsAnother(words[:i]) {
				return true
			}
		case "git":
			if slices.Contains([]string{"ls-remote", "fetch", "clone", "pull"}, gitCommand(words[i+1:])) {
				return true
			}
		}
	}
	return false
}

// gitCommand is the command among git's arguments, behind flags and their values; "" if
// there is none.
func gitCommand(args []string) string {
	for i := 0; i < len(args); i++ {
		switch {
		case slices.Contains([]string{"-C", "-c", "--git-dir", "--work-tree", "--namespace"}, args[i]):
			i++
		case !strings.HasPrefix(args[i], "-"):
			return args[i]
		}
	}
	return ""
}

// isRemote reports whether a word is an address of another machine, or a
// library by which a script given on the command line asks one.
func isRemote(w string) bool {
	for _, scheme := range []string{"http://", "https://", "ftp://"} {
		if _, address, ok := strings.Cut(w, scheme); ok {
			return !isLocal(address)
		}
	}
	return strings.HasPrefix(w, "requests.") || strings.HasPrefix(w, "urllib") || strings.HasPrefix(w, "httpx.")
}

// isLocal reports whether an address without its scheme is of this machine.
func isLocal(address string) bool {
	host, _, _ := strings.Cut(address, "/")
	host, _, _ = strings.Cut(host, "?")
	if strings.HasPrefix(host, "[::1]") {
		return !strings.Contains(host, "@")
	}
	name, port, _ := strings.Cut(host, ":")
	if strings.Trim(port, "0123456789") != "" { // with a name and a password before an @, too
		return false
	}
	return name == "localhost" || name == "0.0.0.0" ||
		strings.HasPrefix(name, "127.") && strings.Trim(name, "0123456789.") == ""
}

// takesText reports whether a program takes words, not commands, as arguments.
func takesText(program string) bool {
	switch program {
	case "grep", "rg", "ag", "ack", "echo", "printf", "which", "type", "whereis", "man", "apt", "apt-get", "dnf", "dpkg",
		"cat", "ls", "sed":
		return true
	}
	return false
}

// showsNothing reports whether a line that asks other machines prints nothing that strangers
// wrote. Every command of it has to be understood.
func showsNothing(line string) bool {
	commands, ok := shell.Parse(line)
	if !ok {
		return false
	}
	brought := false // commits or files from elsewhere
	for _, words := range commands {
		for len(words) > 0 && shell.IsAssignment(words[0]) {
			words = words[1:]
		}
		if len(words) == 0 {
			continue
		}
		name, args := words[0], words[1:]
		switch name {
		case "git":
			verb, ok := gitVerb(args)
			if !ok || brought && !slices.Contains(gitQuiet, verb) {
				return false
			}
			brought = brought || slices.Contains(gitBrings, verb)
		case "gh", "glab":
			if !hubWrites(args) {
				return false
			}
			brought = true
		case "curl":
			if !onlyLocal(args) {
				return false
			}
		default:
			if brought && !slices.Contains([]string{"cd", "mkdir", "ls", "pwd", "rm", "echo", "true"}, name) ||
				!understood(name, args) {
				return false
			}
		}
	}
	return true
}

// Commands of git by what they do with the texts of others.
var (
	gitBrings = []string{"fetch", "pull", "clone", "submodule", "remote"}
	gitQuiet  = []string{"push", "fetch", "pull", "add", "config", "rev-parse", "remote", "init"} // after those
	gitKnown  = []string{
		"add", "commit", "push", "pull", "fetch", "clone", "status", "branch", "checkout", "switch", "merge", "rebase", "tag",
		"stash", "reset", "restore", "rm", "mv", "init", "config", "remote", "submodule", "rev-parse", "cherry-pick",
		"revert", "show", "diff", "log", "grep", "blame", "cat-file", "whatchanged", "shortlog", "reflog", "format-patch",
		"archive", "range-diff", "annotate", "difftool",
	}
)

// gitVerb is the command of git that arguments name; ok is false for one that prints what
// another machine answered, or that is not known.
func gitVerb(args []string) (verb string, ok bool) {
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == "-C":
			i++
		case args[i] == "--no-pager":
		case strings.HasPrefix(args[i], "-"):
			return "", false
		default:
			runs := slices.ContainsFunc(args[i:], func(w string) bool { // another command
				return w == "foreach" || strings.HasPrefix(w, "-x") || strings.HasPrefix(w, "--exec")
			})
			return args[i], !runs && slices.Contains(gitKnown, args[i])
		}
	}
	return "", false
}

// hubWrites reports whether a command of GitHub's or GitLab's client shows no text of
// others, as it creates or changes something or works on the clone.
func hubWrites(args []string) bool {
	var words []string
	for i := 0; i < len(args) && len(words) < 2; i++ {
		switch {
		case args[i] == "-R" || args[i] == "--repo":
			i++
		case strings.HasPrefix(args[i], "-"):
			return false
		default:
			words = append(words, args[i])
		}
	}
	if len(words) < 2 {
		return false
	}
	switch words[0] {
	case "auth":
		return true
	case "pr", "mr", "issue", "release", "repo", "label", "workflow", "run", "secret", "variable", "milestone":
		return slices.Contains([]string{
			"create", "new", "edit", "update", "merge", "comment", "note", "review", "approve", "delete",
			"pin", "unpin", "checkout", "develop", "clone", "fork", "sync", "rerun", "cancel",
			"run", "enable", "disable", "set", "set-default", "add", "remove", "rename", "archive", "unarchive",
			"transfer", "upload",
		}, words[1])
	}
	return false
}

// understood reports whether a program surely asks no other machine, whatever its
// arguments hold.
func understood(name string, args []string) bool {
	if path.Base(name) != name {
		return false
	}
	if takesText(name) {
		return true
	}
	words := []string{name}
	for _, a := range args { // one may be a script
		words = append(words, strings.FieldsFunc(a, func(r rune) bool {
			return strings.ContainsRune(" \t\n\"'();|&`$", r)
		})...)
	}
	return !fetches(words) && !shell.RunsAnother(words[:1])
}

// Flags of curl that take a value, and those by which the addresses do not say whom it asks.
const (
	shortValues = "AbcdeFHmoTuwX"
	longValues  = " --header --data --data-raw --data-binary --data-urlencode --json --request --output --user" +
		" --max-time --connect-timeout --retry --retry-delay --write-out --form --cookie --cookie-jar --user-agent "
	otherHosts = " --proxy --config --resolve --connect-to --preproxy --doh-url --url --location --location-trusted "
)

// onlyLocal reports whether all that curl asks with these arguments is on this machine.
func onlyLocal(args []string) bool {
	local := false
	for i := 0; i < len(args); i++ {
		w := args[i]
		flag, _, hasValue := strings.Cut(w, "=")
		switch {
		case strings.Contains(otherHosts, " "+flag+" "):
			return false
		case strings.HasPrefix(w, "--"):
			if !hasValue && strings.Contains(longValues, " "+w+" ") {
				i++
			}
		case strings.HasPrefix(w, "-") && len(w) > 1:
			letters := w[1:]
			n := strings.IndexAny(letters, shortValues)
			if n == len(letters)-1 {
				i++
			}
			if n >= 0 { // the rest is the value
				letters = letters[:n]
			}
			if strings.ContainsAny(letters, "xKL") {
				return false
			}
		default:
			if !isLocal(strings.TrimPrefix(strings.TrimPrefix(w, "http://"), "https://")) {
				return false
			}
			local = true
		}
	}
	return local
}
