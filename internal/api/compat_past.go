package api

import (
	"cmp"
	"path/filepath"
	"strings"
	"time"

	"remanence/internal/curate"
	"remanence/internal/mem"
	"remanence/internal/when"
)

// session takes over a record of a list of sessions or prompts. taken is false if it has no id, time or text.
func (out *ExportedMemories) session(f *exportFile, r *exportRecord, list string) (taken bool, err error) {
	if list == "prompts" {
		return f.prompt(r)
	}
	one := curate.ImportedSession{}
	for _, ref := range r.take("contentsessionid", "claudesessionid", "memorysessionid", "sdksessionid", "sessionid",
		"id") {
		one.ID = cmp.Or(one.ID, strings.Trim(string(ref.value), `"`))
	}
	if one.Project, err = r.text("project"); err != nil {
		return false, err
	}
	for key, into := range map[string]*time.Time{"started": &one.Began, "completed": &one.Ended} {
		*into = r.timeOf(key)
	}
	if one.Ended.IsZero() {
		one.Ended = r.timeOf("ended")
	}
	if one.Began.IsZero() {
		one.Began, _ = r.created()
	}
	source, err := r.text("platformsource")
	if err != nil {
		return false, err
	}
	if one.Agent = source; source == "claude" {
		one.Agent = ""
	}
	if dir, err := r.text("directory", "cwd"); err == nil && filepath.IsAbs(dir) {
		one.Project = cmp.Or(one.Project, filepath.Base(dir))
		out.Dirs[one.Project] = append(out.Dirs[one.Project], dir)
	}
	if first, err := r.text("userprompt"); err == nil && first != "" {
		one.Prompts = []curate.ImportedPrompt{{Text: first, At: one.Began}}
	}
	for _, field := range r.fields {
		if field.key == "id" || isSessionKey(field.key) {
			f.sessions[strings.Trim(string(field.value), `"`)] = &one
		}
	}
	if one.ID == "" || one.Began.IsZero() { // it only says of which project its records are
		one.ID = ""
		return false, nil
	}
	if text, err := r.text("summary"); err == nil && text != "" {
		out.Memories = append(out.Memories, mem.Memory{
			Kind: mem.Summary, Body: text, Project: one.Project, Session: one.ID, Created: cmp.Or(one.Ended, one.Began),
		})
	}
	f.order = append(f.order, &one)
	return true, nil
}

// prompt adds a prompt to its session, which may have no record itself.
func (f *exportFile) prompt(r *exportRecord) (taken bool, err error) {
	text, err := r.text("prompttext", "content", "prompt", "text")
	if err != nil {
		return false, err
	}
	at, _ := r.created()
	project, err := r.text("project")
	refs := r.session()
	if err != nil || text == "" || len(refs) == 0 || at.IsZero() {
		return false, err
	}
	var of *curate.ImportedSession
	for _, ref := range refs {
		of = cmp.Or(of, f.sessions[ref])
	}
	if of == nil || of.ID == "" {
		of = &curate.ImportedSession{ID: refs[0], Project: project, Began: at}
		f.order = append(f.order, of)
		for _, ref := range refs {
			f.sessions[ref] = of
		}
	}
	if len(of.Prompts) > 0 && of.Prompts[0].Text == text && of.Prompts[0].At.Equal(of.Began) {
		of.Prompts[0].At = at // the first one, which the session's record has, too
		return true, nil
	}
	of.Project = cmp.Or(of.Project, project)
	of.Prompts = append(of.Prompts, curate.ImportedPrompt{Text: text, At: at})
	return true, nil
}

// timeOf returns the time of a field whose name begins with what happened; the zero time if there is none.
func (r *exportRecord) timeOf(what string) time.Time {
	for _, f := range r.take(what+"atepoch", what+"at") {
		if t, ok := when.ParseStamp(strings.Trim(string(f.value), `"`), time.UTC); ok {
			return t
		}
	}
	return time.Time{}
}
