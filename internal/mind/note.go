package mind

import (
	"context"
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

// The tracking files. They say what happened, not where the work stands.
const (
	activityFile = ".last-activity"
	trackerFile  = ".file-tracker"
	agentsFile   = ".agent-activity"
	tasksFile    = ".task-completions"
	sessionsFile = ".session-tracking"

	errorsFile = ".mcp-errors.log" // MemoryForge's
)

const (
	maxTracking  = 256 << 10        // bytes of a tracking file
	quietLog     = 30 * time.Minute // time without a change of SESSION-LOG.md after which the session counts as not logged
	maxFileNames = 500              // of the changed files of a session
	grownErrors  = 100 << 10        // bytes of the log of errors, from which on it is cut
	keptErrors   = 500              // lines that it keeps
	readErrors   = 1 << 20          // bytes at its end that are read for that
)

// Note leaves what an event has to leave in the state files of a project. What
// stands there already is not written again.
func (f *Files) Note(ctx context.Context, p mem.Project, n workstate.Notes) error {
	if n.Indexed != "" {
		p = f.stateProject(p)
		f.mu.Lock()
		f.indexed[p.Root] = n.Indexed
		f.mu.Unlock()
		return nil
	}
	if !f.cfg.Trusted(p) {
		return nil
	}
	d, done, err := f.openLocked(ctx, p)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // they were taken away meanwhile
	}
	if err != nil {
		return err
	}
	defer done()
	if st, err := d.look(stateFile); err != nil || st == (stamp{}) {
		return nil
	}
	limits := f.limitsNow(d)
	var errs []error
	if n.TurnEnded {
		errs = append(errs, d.store(activityFile, n.At.UTC().Format(time.RFC3339)+"\n"), f.track(d, p, n))
	}
	errs = append(errs, d.log(agentsFile, n.Agents, limits), d.log(tasksFile, n.Tasks, limits))
	for _, what := range n.Done {
		errs = append(errs, f.edit(d, progressFile, "# Progress Tracker", func(t document) (document, bool) {
			done, _, _ := t.complete(what, n.At)
			return t, done
		}, &workstate.State{}))
	}
	if n.Compaction != "" {
		errs = append(errs, f.beforeCompaction(d, n, limits))
	}
	if n.EndReason != "" {
		errs = append(errs, f.end(d, p, n, limits))
	}
	return errors.Join(errs...)
}

// track keeps the list of what the session changed.
func (f *Files) track(d *folder, p mem.Project, n workstate.Notes) error {
	list := d.tracked()
	files := n.Files
	if f.cfg.Changed != nil && !n.Since.IsZero() {
		files = slices.Concat(files, f.cfg.Changed(p, n.Since))
	}
	had := len(list)
	for _, file := range files {
		file = chars.Line(file)
		if file == "" || strings.HasPrefix(file, workstate.Dir+"/") || slices.Contains(list, file) ||
			len(list) >= maxFileNames {
			continue
		}
		list = append(list, file)
	}
	if len(list) == had {
		return nil
	}
	return d.store(trackerFile, "# files changed in this session\n"+strings.Join(list, "\n")+"\n")
}

// tracked are the files that the session changed so far.
func (d *folder) tracked() []string {
	b, _, err := d.read(trackerFile, maxTracking)
	if err != nil {
		return nil
	}
	var out []string
	for line := range strings.Lines(string(b)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			out = append(out, line)
		}
	}
	return out
}

// store writes a small file whole. It is ours: what was there counts for nothing.
func (d *folder) store(name, content string) error {
	was, err := d.look(name)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if err := d.replace(name, []byte(content), was); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// log adds lines to a tracking file that are not in it yet. One that has grown
// to twice the limit is cut to it.
func (d *folder) log(name string, lines []string, l workstate.Limits) error {
	if len(lines) == 0 {
		return nil
	}
	have, _, err := d.tail(name, maxTracking)
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	for i, line := range have {
		have[i] = strings.TrimRight(line, "\r")
	}
	if slices.ContainsFunc(have, func(line string) bool { return !readable([]byte(line)) }) {
		have = nil
	}
	n := len(have)
	for _, line := range lines {
		if line = chars.Line(line); !slices.Contains(have, line) && !reported(have, line) {
			have = append(have, line)
		}
	}
	if len(have) == n {
		return nil
	}
	if len(have) > 2*l.TrackingLines {
		have = have[len(have)-l.TrackingLines:]
	}
	return d.store(name, strings.Join(have, "\n")+"\n")
}

// cutErrors clips the error log that MemoryForge's server keeps in the folder, once it is large: without its hooks
// no other program does.
func (d *folder) cutErrors() error {
	st, err := d.look(errorsFile)
	if err != nil || st.size <= grownErrors {
		return err
	}
	lines, st, err := d.tail(errorsFile, readErrors)
	if err != nil {
		return fmt.Errorf("read %s: %w", errorsFile, err)
	}
	kept := strings.Join(lines[max(0, len(lines)-keptErrors):], "\n") + "\n"
	if int64(len(kept)) >= st.size {
		return nil
	}
	if err := d.replace(errorsFile, []byte(kept), st); err != nil && !errors.Is(err, errChanged) {
		return fmt.Errorf("cut %s: %w", errorsFile, err)
	}
	return nil
}

// twice is the longest time between two equal lines about one event: a client may report it in two ways.
const twice = time.Minute

// reported reports whether one of the last lines has the same text and is at most twice old.
func reported(have []string, line string) bool {
	at, what, ok := stamped(line)
	if !ok || !strings.HasPrefix(what, "COMPLETED:") {
		return false
	}
	for _, old := range have[max(0, len(have)-10):] {
		then, text, ok := stamped(old)
		if ok && text == what && at.Sub(then).Abs() < twice {
			return true
		}
	}
	return false
}

// stamped splits "[time] text".
func stamped(line string) (at time.Time, what string, ok bool) {
	stamp, what, ok := strings.Cut(strings.TrimPrefix(line, "["), "] ")
	if !ok {
		return at, what, false
	}
	at, err := time.Parse(time.RFC3339, stamp)
	return at, what, err == nil
}

// end leaves what the end of a session leaves.
func (f *Files) end(d *folder, p mem.Project, n workstate.Notes, l workstate.Limits) error {
	errs := []error{f.track(d, p, n)}
	line := fmt.Sprintf("Session ended: %s (reason: %s)", n.At.UTC().Format(time.RFC3339), chars.Line(n.EndReason))
	errs = append(errs, d.log(sessionsFile, []string{line}, l), d.cutErrors(), d.sweep(f.cfg.Now()))
	files := d.tracked()
	st, err := d.look(logFile)
	if err == nil && len(files) > 0 && n.At.Sub(st.written) > quietLog {
		errs = append(errs, f.edit(d, logFile, "# Session Log", func(t document) (document, bool) {
			t.addAutomatic(n.EndReason, files, n.At)
			return t, true
		}, &workstate.State{}))
	}
	errs = append(errs, f.atEnd(d, n, len(files) > 0, l))
	if err := d.root.Remove(d.path(trackerFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		errs = append(errs, translateError(err))
	}
	if l.AutoCompress && len(d.grown(l)) > 0 {
		_, err := f.compress(d, false)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
