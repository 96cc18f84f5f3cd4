package outcome

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"remanence/internal/extract"
	"remanence/internal/shell"
)

// commits returns the commands that made commits, each with the paths that were staged for it, without those that were
// amended.
func (s *Session) commits() (out []Command) {
	var staged []string
	known, all := false, false
	for _, c := range s.Commands {
		if s.elsewhere(c) == "" {
			staged, all = append(staged, c.git.Staged...), all || c.git.StagesAll
			known = known || len(c.git.Staged) > 0
		}
		if !c.committed {
			continue
		}
		if c.amends {
			out = c.amend(out)
		}
		if s.elsewhere(c) == "" {
			if known && !all && !c.amends {
				c.holds = staged
			}
			staged, known, all = nil, false, false
		}
		out = append(out, c)
	}
	return out
}

// elsewhere returns the directory in which a command ran, if that is not in the directory of the session and does not
// hold it; else it is empty.
func (s *Session) elsewhere(c Command) string {
	dir := path.Join(c.cwd, c.git.Dir)
	if path.IsAbs(c.git.Dir) {
		dir = c.git.Dir
	}
	if s.Root == "" || !path.IsAbs(dir) || extract.Within(s.Root, dir) || extract.Within(dir, s.Root) {
		return ""
	}
	return dir
}

// scratch reports whether a session wrote a file and deleted it, and committed nothing in between.
func (s *Session) scratch(file string) bool {
	i := slices.IndexFunc(s.Edits, func(e Edit) bool { return e.File == file && e.Written })
	if i < 0 {
		return false
	}
	first, last := s.Edits[i].First, s.Edits[i].Last
	for _, e := range s.Edits {
		if e.File == file && e.First.Before(first) {
			first = e.First
		}
		if e.File == file && e.Last.After(last) {
			last = e.Last
		}
	}
	gone := slices.IndexFunc(s.Commands, func(c Command) bool { return c.at.After(last) && names(c.removed, file) })
	return gone >= 0 && !slices.ContainsFunc(s.Commands[:gone], func(c Command) bool {
		return c.committed && c.at.After(first) && s.elsewhere(c) == ""
	})
}

// names reports whether one of the paths of a command is a file or a directory above it. The command may have run in a
// directory of the project, or name the whole path.
func names(paths []string, file string) bool {
	return slices.ContainsFunc(paths, func(p string) bool {
		p = path.Clean(p)
		return p == file || extract.Within(p, file) || strings.HasSuffix(file, "/"+p) || strings.HasSuffix(p, "/"+file) ||
			strings.Contains("/"+file, "/"+p+"/")
	})
}

// division is the work of a session while it is divided.
type division struct {
	done, open []*Piece
	commits    []Command // that no piece has yet
}

// take gives the next commits to the open pieces that they hold, as far as that is known: to all that are open.
func (d *division) take(s *Session, n int, turns ...Turn) {
	for _, c := range d.commits[:n] {
		if s.elsewhere(c) != "" {
			d.apart(c, turns)
		}
	}
	commits := slices.DeleteFunc(slices.Clone(d.commits[:n]), func(c Command) bool { return s.elsewhere(c) != "" })
	d.commits = d.commits[n:]
	if len(commits) == 0 {
		return
	}
	for _, p := range d.done {
		p.missing = slices.DeleteFunc(p.missing, func(f string) bool { return held(commits, f) })
	}
	var in, left []*Piece
	for _, p := range d.open {
		if len(p.files) == 0 || slices.ContainsFunc(p.files, func(f string) bool { return held(commits, f) }) {
			in = append(in, p)
		} else {
			left = append(left, p)
		}
	}
	d.open = left
	if len(in) == 0 { // what was changed otherwise than by the agent's editor
		d.done = append(d.done, &Piece{Since: commits[0].at, At: commits[len(commits)-1].at, commits: commits})
		if one := d.done[len(d.done)-1]; len(left) == 0 {
			one.turns = turns
		}
		return
	}
	one := join(in)
	one.commits, one.At = commits, commits[len(commits)-1].at
	one.missing = slices.DeleteFunc(slices.Clone(one.files), func(f string) bool { return held(commits, f) })
	d.done = append(d.done, one)
}

// apart makes a commit in another directory a piece of its own, with the turns that changed nothing here.
func (d *division) apart(c Command, turns []Turn) {
	p := &Piece{Since: c.at, At: c.at, commits: []Command{c}}
	for _, t := range turns {
		if !slices.ContainsFunc(t.Files, func(f string) bool { return !Outside(f) }) {
			p.turns = append(p.turns, t)
		}
	}
	d.done = append(d.done, p)
}

// held reports whether one of some commits holds a file, as far as that is known.
func held(commits []Command, file string) bool {
	return slices.ContainsFunc(commits, func(c Command) bool { return c.holds == nil || names(c.holds, file) })
}

// filesChanged returns how many files git says that a commit changed; of several commits the sum.
func filesChanged(output string) (n int) {
	for line := range strings.Lines(output) {
		if before, _, ok := strings.Cut(line, " changed, "); ok && strings.Contains(before, " file") {
			words := strings.Fields(before)
			if count, err := strconv.Atoi(words[len(words)-2]); err == nil {
				n += count
			}
		}
	}
	return n
}

// made says of the commits of a piece of work what else they hold, and whether the checks of hooks were skipped.
func (s *Session) made(p *Piece) (out []string) {
	n := 0
	for _, c := range p.commits {
		if len(p.files) > 0 && s.elsewhere(c) == "" {
			n += s.foreign(c)
		}
	}
	switch {
	case n == 1:
		out = append(out, "with a file the session did not edit")
	case n > 1:
		out = append(out, fmt.Sprintf("with %d files the session did not edit", n))
	}
	for _, c := range p.commits {
		if c.skips != "" {
			return append(out, "checks skipped by "+c.skips)
		}
	}
	return out
}

// foreign returns how many files a commit holds that no edit of the session changed, and no command of it may have; 0
// if that is not known. Which files it holds says the repository, or what was staged by name if git counted as many.
func (s *Session) foreign(c Command) (n int) {
	if c.amends || s.Partial {
		return 0
	}
	files := c.holds
	for _, l := range s.byTheirSubject(c) {
		files, c.changed = l.Files, len(l.Files)
	}
	edited := map[string]bool{}
	for _, e := range s.Edits {
		if !Outside(e.File) && !e.First.After(c.at) {
			edited[e.File] = true
		}
	}
	if len(files) != c.changed {
		if slices.ContainsFunc(s.Ran, mayWrite) {
			return 0
		}
		return max(0, c.changed-len(edited))
	}
	for _, staged := range files {
		known := slices.ContainsFunc(s.Ran, func(line string) bool {
			return strings.Contains(strings.Join(shell.Work(line), "\n"), path.Base(staged))
		})
		for file := range edited {
			known = known || names([]string{staged}, file)
		}
		if !known {
			n++
		}
	}
	return n
}

// mayWrite reports whether a command line may change files that it does not name.
func mayWrite(line string) bool {
	line, _, _ = strings.Cut(line, "git commit")   // its message may say anything
	line = strings.ReplaceAll(line, "git add", "") // which only records work
	return shell.HasSideEffects(line) || slices.ContainsFunc([]string{
		">", "sed -i", "python", "node ", "perl", "ruby", "awk", "tee ", "fix", "fmt", "format", "--write", "build",
		"generate", "git checkout", "git mv", "git rm", "git apply", "git am", "git stash", "git merge", "git pull",
		"git rebase", "git cherry-pick", "git revert", "patch",
	}, func(part string) bool { return strings.Contains(strings.ReplaceAll(line, "2>&1", ""), part) })
}

// MayWrite reports whether a command line may change a file: it does more than to show or to check something or to
// record work in git.
func MayWrite(line string) bool {
	return mayWrite(line) || slices.ContainsFunc(shell.Work(line), func(command string) bool {
		return len(shell.Checks(command)) == 0
	})
}
