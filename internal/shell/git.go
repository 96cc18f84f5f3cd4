package shell

import (
	"path"
	"slices"
	"strings"
)

// GitWork is what the git commands of a line do besides commits.
type GitWork struct {
	Dir       string   // where they run, as the line says it; empty if it does not
	Staged    []string // paths that they add to the next commit
	StagesAll bool     // they add every change, or such that the line does not name
	Tags      []string // that they make
	Pushed    []string // branches and tags that they push by name
	PushTags  bool     // they push all tags
	Release   string   // the tag that `gh release create` publishes
}

// Git reads the git commands of a line.
func Git(line string) (w GitWork) {
	if !containsAny(line, "git", "gh ") { // most lines
		return w
	}
	cd := ""
	for _, words := range commandsOf(line) {
		if len(words) > 1 && words[0] == "cd" {
			cd = joinDir(cd, words[1])
			continue
		}
		program, rest, _ := programIn(words, "git", "gh")
		switch sub := Subcommand(rest); {
		case program == "gh":
			if rest = withoutFlags(rest); len(rest) > 2 && rest[0] == "release" && rest[1] == "create" {
				w.Release = rest[2]
			}
		case sub != "":
			if sub == "commit" || w.Dir == "" {
				w.Dir = cd
				if i := slices.Index(rest, "-C"); i >= 0 && i < slices.Index(rest, sub) {
					w.Dir = joinDir(cd, rest[i+1])
				}
			}
			w.read(sub, rest[slices.Index(rest, sub)+1:])
		}
	}
	return w
}

// joinDir returns the directory that a path names in another; "~" is not known, and no path changes it.
func joinDir(dir, to string) string {
	if path.IsAbs(to) || strings.HasPrefix(to, "~") || strings.Contains(to, "$") || dir == "" {
		return to
	}
	return path.Join(dir, to)
}

// read takes one git command.
func (w *GitWork) read(sub string, args []string) {
	flag := func(names ...string) bool {
		return slices.ContainsFunc(args, func(a string) bool { return slices.Contains(names, a) })
	}
	named := withoutFlags(args)
	switch sub {
	case "add", "stage":
		w.StagesAll = w.StagesAll || flag("-A", "--all", "-u", "--update", "-p", "--patch", "-i", "-e") || len(named) == 0
		for _, name := range named {
			if w.Staged = append(w.Staged, name); name == "." || strings.ContainsAny(name, "*$?[:") {
				w.StagesAll = true
			}
		}
	case "rm", "mv":
		w.Staged = append(w.Staged, named...)
	case "commit":
		for i, a := range args {
			short := len(a) > 1 && a[0] == '-' && a[1] != '-'
			w.StagesAll = w.StagesAll || a == "--all" || short && strings.Contains(beforeValue(a), "a")
			if a == "--" {
				w.Staged = append(w.Staged, args[i+1:]...)
			}
		}
	case "tag":
		named = withoutFlags(withoutValues(args))
		if len(named) > 0 && !flag("-d", "--delete", "-l", "--list", "-v", "--verify", "-n") {
			w.Tags = append(w.Tags, named[0])
		}
	case "push":
		w.PushTags = w.PushTags || flag("--tags", "--follow-tags", "--mirror")
		if len(named) > 1 && !flag("-d", "--delete") {
			w.Pushed = append(w.Pushed, named[1:]...)
		}
	}
}

// withoutValues removes the values of the flags of `git tag`.
func withoutValues(args []string) (out []string) {
	for i, a := range args {
		if i == 0 || !slices.Contains([]string{"-m", "-F", "-u"}, args[i-1]) {
			out = append(out, a)
		}
	}
	return out
}

// beforeValue returns the letters of joined short flags up to the one that takes a value: "-am" of "-am", "-m" of
// "-mall".
func beforeValue(flags string) string {
	if i := strings.IndexAny(flags, "mFCct"); i > 0 {
		return flags[:i]
	}
	return flags
}

// Removes returns the files that the rm commands of a line delete.
func Removes(line string) (out []string) {
	if !strings.Contains(line, "rm ") {
		return nil
	}
	for _, words := range commandsOf(line) {
		if words = withoutFlags(words); len(words) > 1 && words[0] == "rm" {
			out = append(out, words[1:]...)
		}
	}
	return out
}

// SkipsChecks returns by what the git commit of a line skips the checks of the repository's hooks: "--no-verify", or
// the variable that its tool of hooks reads. It is empty if the line runs them.
func SkipsChecks(line string) string {
	if !strings.Contains(line, "commit") {
		return ""
	}
	for _, words := range commandsOf(line) {
		_, rest, ok := programIn(words, "git")
		if !ok || Subcommand(rest) != "commit" {
			continue
		}
		for i, w := range rest {
			short := len(w) > 1 && w[0] == '-' && w[1] != '-' && i > slices.Index(rest, "commit")
			if w == "--no-verify" || short && strings.Contains(beforeValue(w), "n") {
				return "--no-verify"
			}
			if strings.HasPrefix(w, "core.hooksPath=") {
				return "core.hooksPath"
			}
		}
		for _, w := range words {
			name, value, _ := strings.Cut(w, "=")
			if name == "HUSKY" && value == "0" || name == "SKIP" && value != "" || name == "LEFTHOOK" && value == "0" ||
				name == "HUSKY_SKIP_HOOKS" && value == "1" {
				return w
			}
			if path.Base(w) == "git" {
				break
			}
		}
	}
	return ""
}
