package mind

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"remanence/internal/chars"
	"remanence/internal/mem"
	"remanence/internal/workstate"
)

// backupEnd ends the name of a file's copy from before a compression, and
// maxBackups is how many of them are kept.
const (
	backupEnd  = ".pre-compress"
	maxBackups = 3
)

// Headings that hold what was compressed.
const (
	headOldSessions  = "Archived Sessions"
	headOldDecisions = "Archived Decisions"
)

// Compressed says what a compression did, or would do.
type Compressed struct {
	DryRun    bool     `json:"dry_run"`
	Sessions  int      `json:"sessions"`  // made one line
	Decisions int      `json:"decisions"` // made one or two lines
	Tasks     int      `json:"tasks"`     // moved to ARCHIVE.md
	Before    int64    `json:"before"`    // bytes of the three files
	After     int64    `json:"after"`
	Backups   []string `json:"backups"` // copies of before, relative to the project
}

// Compress makes old entries short: of sessions and decisions all but the
// newest. It moves what they said to ARCHIVE.md, with the tasks completed long
// ago. What it changes it copies first, and without a copy it changes nothing.
// A dry run only reads.
func (f *Files) Compress(ctx context.Context, p mem.Project, dry bool) (Compressed, error) {
	if dry {
		d, err := f.open(p)
		if err != nil {
			return Compressed{DryRun: dry, Backups: []string{}}, err
		}
		defer d.close()
		return f.compress(d, dry)
	}
	d, done, err := f.openLocked(ctx, p)
	if err != nil {
		return Compressed{DryRun: dry, Backups: []string{}}, err
	}
	defer done()
	return f.compress(d, dry)
}

// compress is Compress by a caller that holds the lock, if it is to write.
func (f *Files) compress(d *folder, dry bool) (Compressed, error) {
	out := Compressed{DryRun: dry, Backups: []string{}}
	l, at := f.limitsNow(d), f.cfg.Now()
	for _, job := range []struct {
		name string
		do   func(*document) (moved []string, n int)
		into *int
	}{
		{logFile, func(t *document) ([]string, int) { return t.shortenSessions(l.KeepSessions) }, &out.Sessions},
		{decisionFile, func(t *document) ([]string, int) { return t.shortenDecisions(l.KeepDecisions) }, &out.Decisions},
		{progressFile, func(t *document) ([]string, int) { return t.takeOld(at.Add(-l.ArchiveAfter)) }, &out.Tasks},
	} {
		b, was, err := d.read(job.name, maxFile)
		if err != nil {
			return out, fmt.Errorf("read %s: %w", job.name, translateError(err))
		}
		t := parse(b)
		moved, n := job.do(&t)
		*job.into = n
		after := t.String()
		if *job.into == 0 {
			after = string(b)
		}
		out.Before, out.After = out.Before+int64(len(b)), out.After+int64(len(after))
		if *job.into == 0 || dry {
			continue
		}
		if job.name == progressFile {
			err = f.archiveTasks(d, moved, at)
		} else {
			err = f.archiveEntries(d, moved)
		}
		if err != nil {
			return out, err
		}
		if err := d.store(job.name+backupEnd, string(b)); err != nil {
			return out, err
		}
		out.Backups = append(out.Backups, workstate.Dir+"/"+job.name+backupEnd)
		if err := d.replace(job.name, []byte(after), was); err != nil {
			return out, fmt.Errorf("write %s: %w", job.name, err)
		}
	}
	if !dry {
		d.pruneBackups()
	}
	return out, nil
}

// archiveEntries adds whole entries to ARCHIVE.md, but for those that it has: a compression that was interrupted is
// done again.
func (f *Files) archiveEntries(d *folder, entries []string) error {
	return f.edit(d, archiveFile, "# Archive", func(t document) (document, bool) {
		have, added := strings.ReplaceAll(t.String(), "\r\n", "\n"), false
		for _, e := range entries {
			if !strings.Contains(have, e) {
				t.append(strings.Split(e, "\n")...)
				added = true
			}
		}
		return t, added
	}, &workstate.State{})
}

// textOf returns the lines of a range without the empty ones behind them.
func (t *document) textOf(s span) string {
	var b strings.Builder
	for _, l := range t.lines[s.from:s.to] {
		b.WriteString(strings.TrimRight(l, "\r\n") + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

// archiveTasks adds tasks to ARCHIVE.md.
func (f *Files) archiveTasks(d *folder, lines []string, at time.Time) error {
	return f.edit(d, archiveFile, "# Archive", func(t document) (document, bool) {
		name := "Completed tasks, archived " + at.UTC().Format(time.DateOnly)
		if h := t.find(name); h >= 0 {
			have := t.contentLines(t.body(h, false))
			t.addBelow(h, slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return slices.Contains(have, l) })...)
			return t, true
		}
		t.append(append([]string{"## " + name}, lines...)...)
		return t, true
	}, &workstate.State{})
}

// shortenSessions makes one line of each session but the newest keep. It returns what they were.
func (t *document) shortenSessions(keep int) (moved []string, n int) {
	all := t.sessions()
	old := all[:max(0, len(all)-keep)]
	if len(old) == 0 {
		return nil, 0
	}
	var lines []string
	for _, e := range old {
		what := cmp.Or(e.Summary, strings.Join(e.Completed, "; "))
		if what == "" {
			what = strings.Join(t.contentLines(span{e.from + 1, min(e.to, e.from+2)}), " ")
		}
		lines = append(lines, "- "+e.Title+": "+chars.Clip(chars.Line(strings.TrimLeft(what, "-*+ ")), 120))
	}
	spans := make([]span, 0, len(old))
	for _, e := range old {
		spans, moved = append(spans, e.span), append(moved, t.textOf(e.span))
	}
	t.shorten(headOldSessions, lines, spans)
	return moved, len(old)
}

// shortenDecisions makes a line of each decision but the newest keep, and a
// second one of why. It returns what they were.
func (t *document) shortenDecisions(keep int) (moved []string, n int) {
	all := slices.DeleteFunc(t.decisions(), func(d decision) bool { return !strings.HasPrefix(d.ID, "DEC-") })
	old := all[:max(0, len(all)-keep)]
	if len(old) == 0 {
		return nil, 0
	}
	var lines []string
	var spans []span
	for _, d := range old {
		line := "- " + d.ID + ": " + d.Title
		if d.Text != "" && !strings.EqualFold(d.Text, d.Title) {
			line += ": " + chars.Clip(d.Text, 120)
		}
		if d.Status != "" {
			line += " [" + d.Status + "]"
		}
		lines = append(lines, line)
		if d.Rationale != "" {
			lines = append(lines, "  Why: "+chars.Clip(d.Rationale, 120))
		}
		spans, moved = append(spans, d.span), append(moved, t.textOf(d.span))
	}
	t.shorten(headOldDecisions, lines, spans)
	return moved, len(old)
}

// shorten puts lines under a heading of their own, in the place of the first of
// the ranges, and takes the ranges away.
func (t *document) shorten(heading string, lines []string, old []span) {
	at := old[0].from
	t.removeSpans(old)
	if h := t.find(heading); h >= 0 {
		t.addBelow(h, lines...)
		return
	}
	block := append([]string{"## " + heading}, lines...)
	if at < len(t.lines) {
		block = append(block, "")
	}
	t.replace(span{at, at}, block...)
}

// takeOld takes away the tasks that were completed before a time, and returns
// their lines and how many they are.
func (t *document) takeOld(before time.Time) (out []string, n int) {
	var gone []span
	for _, k := range t.tasks() {
		at, ok := completedAt(k.text)
		if !ok || !k.done || !at.Before(before) {
			continue
		}
		for _, l := range t.lines[k.from:k.to] {
			out = append(out, strings.TrimRight(l, "\r\n"))
		}
		gone = append(gone, k.span)
	}
	t.removeSpans(gone)
	return out, len(gone)
}

// completedAt reads the date at the end of a completed task: "(completed
// 2026-01-12)" or "(2026-01-12)".
func completedAt(s string) (time.Time, bool) {
	s = strings.TrimSpace(s)
	if !strings.HasSuffix(s, ")") || len(s) < len("(2026-01-12)") {
		return time.Time{}, false
	}
	i := strings.LastIndexByte(s, '(')
	inner := strings.TrimSuffix(s[i+1:], ")")
	at, err := time.Parse(time.DateOnly, strings.TrimSpace(strings.TrimPrefix(inner, "completed")))
	return at, err == nil
}

// pruneBackups takes away all copies of before a compression but the newest.
func (d *folder) pruneBackups() {
	list, err := fs.ReadDir(d.root.FS(), d.dir)
	if err != nil {
		return
	}
	type copied struct {
		name string
		at   time.Time
	}
	var all []copied
	for _, e := range list {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && strings.HasSuffix(e.Name(), backupEnd) {
			all = append(all, copied{e.Name(), info.ModTime()})
		}
	}
	slices.SortStableFunc(all, func(a, b copied) int { return b.at.Compare(a.at) })
	for _, c := range all[min(len(all), maxBackups):] {
		_ = d.root.Remove(d.path(c.name))
	}
}

// Offer reports which of the state files have grown so that a compression would help.
func (f *Files) Offer(p mem.Project) []string {
	if !f.cfg.Trusted(p) {
		return nil
	}
	d, err := openFolder(f.stateProject(p).Root, workstate.Dir)
	if err != nil {
		return nil
	}
	defer d.close()
	return d.grown(f.limitsNow(d))
}

// grown are the state files that are larger than they should be.
func (d *folder) grown(l workstate.Limits) []string {
	var out []string
	for _, name := range []string{progressFile, decisionFile, logFile} {
		if st, err := d.look(name); err == nil && st.size > l.CompressBytes {
			out = append(out, workstate.Dir+"/"+name)
		}
	}
	return out
}
