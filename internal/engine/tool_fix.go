package engine

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"remanence/internal/mem"
)

// Bounds of what a fix names.
const (
	maxFixFiles = 5
	maxActs     = 3
	maxFixError = 60 // characters of the command, of its error, and of what helped, in the title
	maxAct      = 200
)

// succeeded keeps a command that worked: as the proof that its failure earlier in
// the session is fixed, or for its own sake if it is a lasting one.
func (e *Engine) succeeded(ctx context.Context, m *moment, c call) error {
	if c.plain == "" {
		return nil
	}
	open, err := e.Store.List(ctx, mem.Query{
		Project: m.project.Key, Session: m.Session, Kinds: []mem.Kind{mem.Command}, Open: true, Order: mem.ByUpdate, Limit: 20,
	})
	if err != nil {
		return fmt.Errorf("find failure: %w", err)
	}
	joined := false
	for _, failure := range open {
		other := installs(c.plain, failure.Command)
		if !other && !proves(c.plain, failure.Command) || failure.Updated.After(m.At) {
			continue
		}
		m.batch.Edits = append(m.batch.Edits, mem.Edit{ID: failure.ID, Resolved: new(true)})
		if joined {
			continue
		}
		fix, ok := replaced(m, failure, c), !remote(m.Tool, c.command)
		if !other {
			if fix, ok, err = e.fixed(ctx, m, failure); err != nil {
				return err
			}
		}
		if joined = ok; ok {
			e.observe(ctx, m, fix)
		}
	}
	if joined || len(m.batch.Edits) > 0 || !lasting(c.plain) {
		return nil
	}
	mm := m.newMemory(mem.Command, mem.ScopeSession)
	mm.Tool, mm.Command = m.Tool, c.plain
	mm.Tags = []string{"command-outcome", autoCaptured}
	mm.Title = "Command succeeded: " + mem.Clip(c.plain, maxCommand)
	mm.Key = "worked:" + c.plain
	e.observe(ctx, m, mm)
	return nil
}

// proves reports whether a command that worked shows that one that failed works
// too: it is the same, or the same on more.
func proves(worked, failed string) bool {
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
	"npm", "pnpm", "yarn", "bun", "deno", "pip", "pip3", "pipx", "python", "python3", "uv", "poetry", "pipenv", "pdm", "conda", "mamba",
	"apt", "apt-get", "dnf", "yum", "apk", "pacman", "zypper", "brew", "port", "nix", "cargo", "gem", "bundle", "composer", "go", "choco", "winget", "scoop",
}

// installs reports whether a command that worked installs what another one failed
// to: by another manager of packages, as pnpm add does for npm install.
func installs(worked, failed string) bool {
	parts := func(command string) (program string, what []string, ok bool) {
		words := strings.Fields(strings.TrimPrefix(command, "sudo "))
		if len(words) == 0 || !slices.Contains(managers, words[0]) {
			return "", nil, false
		}
		for i, w := range words {
			if i > 0 && (w == "install" || w == "add" || w == "i") {
				return words[0], slices.DeleteFunc(words[i+1:], func(w string) bool { return strings.HasPrefix(w, "-") }), true
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

// replaced is what is kept of a command that failed where another one did instead.
func replaced(m *moment, failure mem.Memory, c call) mem.Memory {
	mm := fixOf(m, failure)
	mm.Trust = min(mm.Trust, m.turn.Trust)
	mm.Title = fixTitle(failure, fmt.Sprintf("done by `%s`", mem.Clip(c.plain, maxFixError)))
	mm.Body = mem.Clip(c.plain, maxAct)
	return mm
}

// covers reports whether what a command is run on is, or has in it, something else.
func covers(all, one string) bool {
	dir := strings.TrimSuffix(strings.TrimSuffix(all, "..."), "/")
	return all == one || all == "./..." || one == dir && strings.HasSuffix(all, "...") || strings.HasPrefix(one, dir+"/") && (strings.HasSuffix(all, "...") || path.Ext(all) == "")
}

// fixed joins a failure and the success of the same command. What was changed
// between the two is what fixed it: files, or else what other commands did. Where
// nothing was, it was tried again, and there is nothing to keep.
func (e *Engine) fixed(ctx context.Context, m *moment, failure mem.Memory) (mem.Memory, bool, error) {
	changes, err := e.Store.List(ctx, mem.Query{
		Session: m.Session, Kinds: []mem.Kind{mem.Change}, Order: mem.ByUpdate, Limit: 20,
	})
	if err != nil {
		return mem.Memory{}, false, fmt.Errorf("find changes: %w", err)
	}
	mm := fixOf(m, failure)
	var how []string
	for _, ch := range changes {
		if ch.Updated.Before(failure.Updated) || ch.Updated.After(m.At) {
			continue
		}
		for _, f := range ch.Files {
			mm.Files = appendNew(mm.Files, f, maxFixFiles)
		}
		mm.Trust = min(mm.Trust, ch.Trust)
		how = append(how, ch.Title)
	}
	mm.Modified = mm.Files
	helped := ""
	if len(mm.Files) > 0 {
		helped = mem.Clip("fixed in "+place(mm.Files), 2*maxFixError)
	} else {
		acts, trust, err := e.actsBetween(ctx, m, failure)
		if err != nil || len(acts) == 0 {
			return mem.Memory{}, false, err
		}
		mm.Trust = min(mm.Trust, trust)
		helped, how = fmt.Sprintf("works after `%s`", mem.Clip(acts[len(acts)-1], maxFixError)), acts
	}
	mm.Title = fixTitle(failure, helped)
	mm.Body = strings.Join(how[:min(len(how), maxFixFiles)], "\n")
	if _, said, _ := strings.Cut(failure.Title, "| Error: "); !strings.Contains(mm.Title, said) {
		mm.Facts = []string{"error: " + mem.Clip(said, maxFact)}
	}
	return mm, true, nil
}

// fixOf is what every fix of a failure has.
func fixOf(m *moment, failure mem.Memory) mem.Memory {
	mm := m.newMemory(mem.ErrorFix, mem.ScopeProject)
	mm.Command, mm.ExitCode, mm.Tool, mm.Trust, mm.Origin = failure.Command, failure.ExitCode, m.Tool, failure.Trust, failure.Origin
	mm.Tags, mm.Key = []string{"debugging", "resolved", autoCaptured}, "fix:"+failure.Command
	return mm
}

// fixTitle tells a fix in one line. What helped stands in it whole: who meets the
// failure again knows the rest.
func fixTitle(failure mem.Memory, helped string) string {
	_, said, _ := strings.Cut(failure.Title, "| Error: ")
	left := 160 - utf8.RuneCountInString(fmt.Sprintf("`` failed (exit %d: ), %s", failure.ExitCode, helped))
	command := mem.Clip(failure.Command, min(maxFixError, max(left/2, left-utf8.RuneCountInString(said))))
	said = mem.Clip(said, min(maxFixError, left-utf8.RuneCountInString(command)))
	return fmt.Sprintf("`%s` failed (exit %d: %s), %s", command, failure.ExitCode, said, helped)
}

// place says in which files something was done.
func place(files []string) string {
	switch n := len(files); n {
	case 1:
		return path.Base(files[0])
	case 2:
		return path.Base(files[0]) + " and " + path.Base(files[1])
	default:
		return fmt.Sprintf("%s and %d other files", path.Base(files[0]), n-1)
	}
}

// actsBetween are the commands since a failure that changed something besides
// files, oldest first, and the trust of the turns they were run in.
func (e *Engine) actsBetween(ctx context.Context, m *moment, failure mem.Memory) ([]string, mem.Trust, error) {
	worst := mem.TrustUser
	calls, err := e.Store.Events(ctx, mem.EventQuery{Session: m.Session, Kinds: []mem.EventKind{mem.PostToolUse}, Tool: "Bash", Limit: 50})
	if err != nil {
		return nil, worst, fmt.Errorf("find what was run: %w", err)
	}
	turns, err := e.Store.Turns(ctx, m.Session, wholeSession)
	if err != nil {
		return nil, worst, fmt.Errorf("turns: %w", err)
	}
	var out []string
	for _, ev := range calls { // newest first
		if !ev.At.After(failure.Updated) || !ev.At.Before(m.At) || len(out) == maxActs {
			continue
		}
		c := e.understand(&moment{Event: ev, project: m.project})
		if !acts(c.plain) && !sameProgram(c.plain, failure.Command) || remote(ev.Tool, c.command) {
			continue
		}
		out = append(out, mem.Clip(c.plain, maxAct))
		for _, t := range turns {
			if t.PromptID == ev.PromptID {
				worst = min(worst, t.Trust)
			}
		}
	}
	slices.Reverse(out)
	return out, worst, nil
}

// sameProgram reports whether two commands are different ones of one program:
// what was run with it may be what helped.
func sameProgram(a, b string) bool {
	x, y := strings.Fields(a), strings.Fields(b)
	if len(x) < 2 || len(y) < 2 || x[0] != y[0] || x[1] == y[1] {
		return false
	}
	switch x[0] {
	case "git", "cd", "ls", "cat", "grep", "rg", "find", "python", "python3", "node", "sh", "bash", "curl", "psql", "npx":
		return false
	}
	return !slices.ContainsFunc([]string{"test", "get", "logs", "log", "status", "show", "list", "ls", "describe", "lint", "check", "vet", "ps", "version", "help", "view"}, func(w string) bool { return x[1] == w })
}

// acts reports whether a command changes something besides the files that are
// edited: what is installed, what runs, what is locked or generated.
func acts(command string) bool {
	for _, words := range simpleCommands(command) {
		i := 0
		for i < len(words)-1 && (assignment(words[i]) || words[i] == "sudo" || words[i] == "env") {
			i++
		}
		switch path.Base(words[i]) {
		case "chmod", "chown", "mkdir", "rm", "mv", "cp", "ln", "touch", "kill", "pkill", "systemctl", "service", "sysctl", "truncate", "make", "createdb", "dropdb", "ssh-add", "corepack", "nvm", "rustup", "direnv", "export":
			return true
		}
		for _, w := range words[i+1:] {
			switch strings.Trim(w, "-") {
			case "install", "i", "ci", "add", "up", "update", "upgrade", "remove", "uninstall", "rebuild", "restart", "start", "stop", "migrate", "db:migrate", "db:setup", "db:create", "seed", "generate", "gen", "tidy", "unlock", "force-unlock", "init", "login", "clean", "prune", "reset", "sync", "download", "vendor", "checkout", "restore", "stash", "apply", "rollback", "enable", "set", "use", "clear", "flush", "flushall", "cache:clear", "fix":
				return true
			}
		}
	}
	return false
}
