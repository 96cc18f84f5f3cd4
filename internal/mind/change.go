package mind

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"remanence/internal/fsx"
	"remanence/internal/mem"
	"remanence/internal/workstate"
)

// maxTries is how often a change is made anew on a file that changed meanwhile.
const maxTries = 5

// Change does to the state files what ask says, and returns what they say then.
// A file that does not exist yet is made; a hand that writes at the same time is
// merged with, never written over.
func (f *Files) Change(ctx context.Context, p mem.Project, ask workstate.Request) (workstate.State, error) {
	var note workstate.State
	if ask.Op != workstate.OpGet {
		d, done, err := f.openLocked(ctx, p)
		if err != nil {
			return workstate.State{}, err
		}
		note, err = f.change(d, p, ask)
		done()
		if err != nil {
			return workstate.State{}, err
		}
	}
	m, err := f.Look(p)
	if err != nil {
		return workstate.State{}, err
	}
	out := m.State
	out.Changed, out.Candidates, out.Notes = note.Changed, note.Candidates, slices.Concat(note.Notes, m.Warnings)
	return out, nil
}

func (f *Files) change(d *folder, p mem.Project, ask workstate.Request) (note workstate.State, err error) {
	at := f.cfg.Now()
	switch ask.Op {
	case workstate.OpUpdate:
		first, known := f.version(p, ask.Update.Seen)
		err = f.edit(d, stateFile, "# Project State", func(t document) (document, bool) {
			if !known {
				first, known = parse([]byte(t.String())), true
			}
			var out document
			out, note.Notes = update(first, t, ask.Update, at)
			return out, true
		}, &note)
	case workstate.OpDecision:
		err = f.edit(d, decisionFile, "# Decision Log", func(t document) (document, bool) {
			t.addDecision(ask.Decision, p.Branch, at)
			return t, true
		}, &note)
	case workstate.OpSession:
		err = f.edit(d, logFile, "# Session Log", func(t document) (document, bool) {
			t.addSession(ask.Session, at)
			return t, true
		}, &note)
	case workstate.OpProgress:
		err = f.edit(d, progressFile, "# Progress Tracker", func(t document) (document, bool) {
			note.Candidates, note.Notes = nil, nil
			if ask.Progress.Action == "add" {
				t.addTask(ask.Progress.Section, ask.Progress.Task)
				return t, true
			}
			done, rivals, why := t.complete(ask.Progress.Task, at)
			if !done {
				note.Candidates, note.Notes = rivals, []string{why}
			}
			return t, done
		}, &note)
	default:
		err = fmt.Errorf("%q: %w", ask.Op, errors.ErrUnsupported)
	}
	return note, err
}

// version returns the text of STATE.md that a writer has read. If the version is unknown, as in another process,
// any line may have changed since.
func (f *Files) version(p mem.Project, name string) (document, bool) {
	p = f.stateProject(p)
	f.mu.Lock()
	defer f.mu.Unlock()
	if s := f.known[p.Root]; s != nil {
		for _, v := range s.versions {
			if v.name == name {
				return parse([]byte(v.text)), true
			}
		}
	}
	return document{}, name != ""
}

// edit changes one file. do is called again if the file changed before it could be replaced.
func (f *Files) edit(d *folder, name, title string, do func(document) (document, bool), note *workstate.State) error {
	for range maxTries {
		b, was, err := d.read(name, maxFile)
		if err != nil {
			return fmt.Errorf("read %s: %w", name, translateError(err))
		}
		if len(b) == 0 {
			b = []byte(title + "\n")
		}
		out, write := do(parse(b))
		if !write {
			return nil
		}
		err = d.replace(name, []byte(out.String()), was)
		if err == nil {
			note.Changed = append(note.Changed, workstate.Dir+"/"+name)
			return nil
		}
		if !errors.Is(err, errChanged) {
			return fmt.Errorf("write %s: %w", name, err)
		}
	}
	return fmt.Errorf("write %s: %w", name, ErrBusy)
}

// Init makes the state files of a project from a template: those that are not
// there yet. It returns the files it made, and errors.ErrUnsupported for a
// unknown template. A directory that it makes gets the mark of its origin,
// which no repository carries along.
func Init(project, template, origin string) (made []string, err error) {
	files, ok := templates()[template]
	if !ok {
		return nil, fmt.Errorf("template %q: %w", template, errors.ErrUnsupported)
	}
	files = append(files, templateFile{ignoreFile, ignored}, templateFile{attributesFile, attributes})
	top, err := openFolder(project, ".")
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", project, translateError(err))
	}
	defer top.close()
	err = top.root.Mkdir(workstate.Dir, 0o755)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("make %s: %w", workstate.Dir, translateError(err))
	}
	if err == nil {
		files = append(files, templateFile{originFile, origin + "\n"})
	}
	d, err := openFolder(project, workstate.Dir)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", workstate.Dir, translateError(err))
	}
	defer d.close()
	for _, file := range files {
		err := d.create(file.name, []byte(file.text), fsx.Replacement{Mode: 0o644})
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return made, fmt.Errorf("write %s: %w", file.name, translateError(err))
		}
		if file.name != originFile {
			made = append(made, workstate.Dir+"/"+file.name)
		}
	}
	return made, nil
}

// attributesFile tells git how to merge the decisions of two branches: both stay. A block begins and ends with a line
// of its own, see addDecision, so that none loses a line.
const (
	attributesFile = ".gitattributes"
	attributes     = decisionFile + " merge=union\n"
)

// originFile marks a directory as made on a machine.
const originFile = ".origin"

// Origin is the mark of a project's state files, empty where there is none.
func Origin(project string) string {
	d, err := openFolder(project, workstate.Dir)
	if err != nil {
		return ""
	}
	defer d.close()
	b, _, err := d.read(originFile, 256)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// ignoreFile keeps out of a repository what is of one machine alone.
const (
	ignoreFile = ".gitignore"
	ignored    = "# Of this machine alone: what happened here, and copies.\n" +
		originFile + "\n" + activityFile + "\n" + trackerFile + "\n" + agentsFile + "\n" + tasksFile + "\n" + sessionsFile +
		"\n" +
		lockName + "\n" + checkpointDir + "/\n*" + backupEnd + "\n*.tmp\n"
)
