package mind

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"remanence/internal/chars"
	"remanence/internal/mem"
	"remanence/internal/workstate"
)

// Checkpoint files.
const (
	checkpointDir   = "checkpoints"
	latestFile      = checkpointDir + "/latest.md"
	endFile         = checkpointDir + "/session-end-latest.md"
	stampedPrefix   = "compact-"
	stampedApart    = 5 * time.Second // two compactions less than this apart have one stamped copy
	progressAtPoint = 20              // lines of PROGRESS.md in a checkpoint
)

// staleNote is the line of a session's end if STATE.md was not updated.
const staleNote = "STATE.md was not brought up to date in this session."

// beforeCompaction saves the state before a compaction.
func (f *Files) beforeCompaction(d *folder, n workstate.Notes, l workstate.Limits) error {
	if err := d.makeCheckpoints(); err != nil {
		return err
	}
	at := n.At.UTC().Format(time.RFC3339)
	content := fmt.Sprintf("# Pre-Compaction Checkpoint\n## Timestamp: %s\n## Trigger: %s\n\n## State at "+
		"Compaction\n%s\n\n## In-Progress Work\n%s\n\n## Recovery Instructions\n%s\n",
		at, chars.Line(n.Compaction), f.stateNow(d, n), f.workNow(d),
		"The next context begins with the briefing and what this checkpoint holds.\n.mind/STATE.md says where the work "+
			"stands; where it differs from this file, it counts.")
	err := d.store(latestFile, content)
	if d.stampedBefore(n.At) {
		return err
	}
	name := stampedPrefix + strings.NewReplacer(":", "-", ".", "-").Replace(at) + ".md"
	err = errors.Join(err, d.store(checkpointDir+"/"+name, content))
	d.prune(l.Checkpoints)
	return err
}

// makeCheckpoints makes the directory of checkpoints. A link in its place is not followed.
func (d *folder) makeCheckpoints() error {
	if err := d.root.Mkdir(d.path(checkpointDir), 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("make %s: %w", checkpointDir, translateError(err))
	}
	if info, err := d.root.Lstat(d.path(checkpointDir)); err != nil || !info.IsDir() {
		return fmt.Errorf("%s: %w", checkpointDir, ErrUnsafe)
	}
	return nil
}

// stateNow is STATE.md, or what follows from the session where it cannot be read.
func (f *Files) stateNow(d *folder, n workstate.Notes) string {
	b, _, err := d.read(stateFile, maxFile)
	s := strings.TrimSpace(f.cfg.Redact(string(b)))
	if err != nil || s == "" {
		s = strings.TrimSpace(n.Derived)
	}
	if s == "" {
		return "Not known."
	}
	return s
}

func (f *Files) workNow(d *folder) string {
	b, _, err := d.read(progressFile, maxFile)
	t := parse([]byte(f.cfg.Redact(string(b))))
	var lines []string
	for _, s := range t.open(progressAtPoint) {
		lines = append(lines, s.Lines...)
	}
	if err != nil || len(lines) == 0 {
		return "None."
	}
	return strings.Join(lines, "\n")
}

// stamped are the names of the stamped copies, oldest first.
func (d *folder) stamped() []string {
	list, err := fs.ReadDir(d.root.FS(), d.path(checkpointDir))
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range list {
		if strings.HasPrefix(e.Name(), stampedPrefix) && strings.HasSuffix(e.Name(), ".md") && e.Type().IsRegular() {
			out = append(out, e.Name())
		}
	}
	slices.Sort(out)
	return out
}

// stampedBefore reports whether there is a recent stamped copy.
func (d *folder) stampedBefore(at time.Time) bool {
	list := d.stamped()
	if len(list) == 0 {
		return false
	}
	name := strings.TrimSuffix(strings.TrimPrefix(list[len(list)-1], stampedPrefix), ".md")
	last, err := time.Parse("2006-01-02T15-04-05Z", name)
	return err == nil && at.Sub(last).Abs() < stampedApart
}

// prune takes away the oldest stamped copies but most.
func (d *folder) prune(most int) {
	list := d.stamped()
	for _, name := range list[:max(0, len(list)-most)] {
		_ = d.root.Remove(d.path(checkpointDir + "/" + name))
	}
}

// atEnd leaves the checkpoint of a session's end.
func (f *Files) atEnd(d *folder, n workstate.Notes, changed bool, l workstate.Limits) error {
	if err := d.makeCheckpoints(); err != nil {
		return err
	}
	note := ""
	if st, err := d.look(stateFile); err == nil && changed && n.At.Sub(st.written) > l.StaleAfter {
		note = "## Note: " + staleNote + "\n"
	}
	return d.store(endFile, fmt.Sprintf("# Session End Checkpoint\n## Timestamp: %s\n## Reason: %s\n%s\n## State at "+
		"End\n%s\n",
		n.At.UTC().Format(time.RFC3339), chars.Line(n.EndReason), note, f.stateNow(d, n)))
}

// Forgotten reports whether the last session of a project ended with changed files and without an update of the
// state, then or since.
func (f *Files) Forgotten(p mem.Project) bool {
	if !f.cfg.Trusted(p) {
		return false
	}
	d, err := openFolder(f.stateProject(p).Root, workstate.Dir)
	if err != nil {
		return false
	}
	defer d.close()
	b, end, err := d.read(endFile, maxFile)
	if err != nil || !strings.Contains(string(b), "\n## Note: "+staleNote+"\n") {
		return false
	}
	st, err := d.look(stateFile)
	return err == nil && st.written.Before(end.written)
}
