package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"remanence/internal/api"
	"remanence/internal/chars"
	"remanence/internal/config"
	"remanence/internal/digest"
	"remanence/internal/event"
	"remanence/internal/fsx"
	"remanence/internal/gitblame"
	"remanence/internal/instructions"
	"remanence/internal/mcpserver"
	"remanence/internal/mem"
	"remanence/internal/propose"
	"remanence/internal/views"
)

// economy adds to the engine's counts what only the server of tools knows.
func (h *Daemon) economy(ctx context.Context, ask views.EconomyRequest) (views.EconomyResponse, error) {
	out, err := h.Engine.Views.Economy(ctx, ask)
	out.ToolsTokens = mcpserver.ListTokens(config.Get[string](h.Config.Now(), "mcp.tools"))
	return out, err
}

// fileLines answers what is asked about lines of files in a project.
type fileLines struct{ *Daemon }

// maxBlameLines is the number of lines that one request for a file of a project gets.
const maxBlameLines = 2000

// blameFile reads lines of a project's file and traces them. Files outside the project and excluded ones are refused.
func (h fileLines) blameFile(ctx context.Context, ask views.BlameFileRequest) (views.BlameFileResponse, error) {
	p, file, err := h.fileOf(ctx, ask.ProjectRef, ask.File)
	if err != nil {
		return views.BlameFileResponse{}, err
	}
	from := max(ask.From, 1)
	read, err := gitblame.Read(ctx, file, from, 0)
	if err != nil {
		return views.BlameFileResponse{}, refused(ask.File, err)
	}
	out := views.BlameFileResponse{Project: p, From: from, Total: from - 1 + len(read.Lines)}
	n := min(len(read.Lines), maxBlameLines)
	if ask.To >= from {
		n = min(n, ask.To-from+1)
	}
	read.Lines = read.Lines[:n]
	out.BlameResponse, err = h.Engine.Views.Blame(ctx, views.BlameRequest{
		ProjectRef: mem.ProjectRef{Project: p.Key}, File: file, Top: read.Top, Lines: read.Lines,
	})
	if err != nil {
		return out, err
	}
	for i, r := range out.Rows {
		row := &out.Rows[i]
		row.Text, row.Subject, row.Author = h.Redactor.Text(r.Text), h.Redactor.Text(r.Subject), h.Redactor.Text(r.Author)
	}
	texts := make([]string, 0, n)
	for _, l := range read.Lines {
		texts = append(texts, l.Text)
	}
	whole := strings.Split(h.Redactor.Text(strings.Join(texts, "\n")), "\n")
	if len(whole) != n { // what was taken out has several lines
		return out, nil
	}
	out.Text = whole
	return out, nil
}

// fileOf returns the absolute path of a project's file.
func (h fileLines) fileOf(ctx context.Context, at mem.ProjectRef, name string) (mem.Project, string, error) {
	p, err := h.rootOf(ctx, at)
	if err != nil {
		return p, "", err
	}
	file := name
	if !filepath.IsAbs(file) {
		file = filepath.Join(p.Root, filepath.FromSlash(name))
	}
	root, err := filepath.EvalSymlinks(p.Root)
	if err != nil {
		return p, "", refused(name, err)
	}
	real, err := filepath.EvalSymlinks(file)
	if err != nil {
		return p, "", refused(name, err)
	}
	rel, err := filepath.Rel(root, real)
	if err != nil || !filepath.IsLocal(rel) {
		return p, "", refused(name, instructions.ErrOutside)
	}
	file = filepath.Join(p.Root, rel)
	if h.Engine.Event.ExcludesFile(p, file) {
		return p, "", refused(name, errExcluded)
	}
	return p, file, nil
}

// errExcluded is the error of a file that the settings exclude.
var errExcluded = errors.New("the settings exclude it (privacy.exclude_paths)")

// rootOf returns one project with its directory and its configuration file, which a stored project lacks.
func (h fileLines) rootOf(ctx context.Context, at mem.ProjectRef) (mem.Project, error) {
	p, err := h.Engine.Event.Place(ctx, at)
	if err != nil {
		return p, err
	}
	if p.Root == "" {
		return p, &api.Error{
			Status: http.StatusBadRequest, Name: api.NameInvalid, Detail: "files belong to one project", Fix: "name a project",
		}
	}
	here, err := h.Engine.Event.ProjectOf(p.Root)
	p.File = here.File
	return p, err
}

// refused is the error of a file that is not read.
func refused(name string, err error) error {
	var beyond gitblame.RangeError
	fix := "name a text file of the project, of at most 4 MB"
	switch {
	case errors.As(err, &beyond):
		fix = fmt.Sprintf("ask for lines up to %d", beyond.Lines)
	case errors.Is(err, gitblame.ErrNoGit):
		fix = "install git: it is asked for the commits"
	case errors.Is(err, instructions.ErrNone):
		return &api.Error{
			Status: http.StatusBadRequest, Name: api.NameInvalid, Detail: "the project has no AGENTS.md and no CLAUDE.md",
			Fix: "make one, which may be empty",
		}
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: %w", name, mem.ErrNotFound)
	case errors.Is(err, errExcluded), errors.Is(err, instructions.ErrOutside):
		fix = "name another file of the project"
	case errors.Is(err, fsx.ErrTooLarge):
		fix = "name a file of at most 256 KB"
	}
	return &api.Error{Status: http.StatusBadRequest, Name: api.NameInvalid, Detail: name + ": " + err.Error(), Fix: fix}
}

// Instructions is a project's file of instructions, with what is asked about it.
type Instructions struct {
	File    instructions.File
	Apart   string // another such file, which agents do not read together with it
	Request views.ProposeRequest
}

// maxDated bounds the lines whose dates are looked up.
const maxDated = 20_000

// ReadInstructions reads the file that lines are proposed for, and when its lines were committed. A name chooses the
// file; errors are those of instructions.Choose and propose.Check, with the file as far as it is known.
func ReadInstructions(ctx context.Context, at mem.ProjectRef, root, name string, sessions int) (Instructions, error) {
	file, with, apart, err := instructions.Choose(root, name)
	out := Instructions{File: file, Apart: apart}
	if err == nil {
		err = propose.Check(file.Text)
	}
	if err != nil {
		return out, err
	}
	out.Request = views.ProposeRequest{ProjectRef: at, File: file.Name, Text: file.Text, Sessions: sessions}
	for _, f := range with {
		out.Request.With = append(out.Request.With, f.Text)
	}
	read, err := gitblame.Read(ctx, file.Path, 1, 0)
	if err != nil { // without git, no line has a date
		return out, nil //nolint:nilerr // the dates are left out
	}
	for _, l := range read.Lines[:min(len(read.Lines), maxDated)] {
		out.Request.Changed = append(out.Request.Changed, time.Time{})
		if l.Commit != "" {
			out.Request.Changed[len(out.Request.Changed)-1] = l.Authored
		}
	}
	return out, nil
}

// recap answers what was done; in prose, if asked, by the model that is set up. The model is shown no project that the
// settings exclude, no statement of less trust than they allow, and no commit, whose trust is not known.
func (h fileLines) recap(ctx context.Context, ask views.RecapRequest) (views.RecapResponse, error) {
	out, err := h.Engine.Views.Recap(ctx, ask)
	if err != nil || !ask.Prose || len(out.Days) == 0 {
		return out, err
	}
	settings := h.Config.settings()
	shown, err := h.Engine.Views.Recap(ctx, views.RecapRequest{
		ProjectRef: ask.ProjectRef, Since: ask.Since, Until: out.Until, MinTrust: settings.DigestTrust, Statements: true,
	})
	if err != nil {
		return out, err
	}
	projects, err := h.Engine.Store.Projects(ctx, "")
	if err != nil {
		return out, fmt.Errorf("projects: %w", err)
	}
	known := map[string]mem.Project{}
	for _, p := range projects {
		known[p.Key] = p
	}
	days := shown.Days
	shown.Days = nil
	for _, d := range days {
		p := known[d.Project]
		ec := event.Context{Event: mem.Event{Root: p.Root}, Project: p}
		if ec.ProjectIn(settings.ExcludeProjects) || ec.ProjectIn(settings.DigestExclude) {
			out.Withheld++
			continue
		}
		d.Commits = nil
		shown.Days = append(shown.Days, d)
	}
	if len(shown.Days) == 0 {
		return out, noProse("the settings let the model see none of these projects",
			"change digest.exclude_projects or privacy.exclude_projects")
	}
	text := shown.Page(views.RecapMarkdown, maxProseItems, chars.Line)
	if out.Prose, out.Model, err = h.Engine.Digest.Prose(ctx, text); err != nil {
		fix := "remanence digest shows what is wrong; without --prose no model is asked"
		if errors.Is(err, digest.ErrNoModel) {
			fix = "set digest.provider and what belongs to it: remanence config describe digest.provider"
		}
		return out, noProse(err.Error(), fix)
	}
	if ask.Format != "" {
		out.Text = out.Page(ask.Format, ask.Items, chars.Line)
	}
	return out, nil
}

// maxProseItems is the number of entries of a section that a model is shown.
const maxProseItems = 8

func noProse(detail, fix string) error {
	return &api.Error{Status: http.StatusConflict, Name: api.NameInvalid, Detail: "no prose: " + detail, Fix: fix}
}

// proposeFile answers which lines a project's file of instructions lacks. It writes nothing.
func (h fileLines) proposeFile(ctx context.Context, ask views.ProposeFileRequest) (views.ProposeFileResponse, error) {
	p, err := h.rootOf(ctx, ask.ProjectRef)
	if err != nil {
		return views.ProposeFileResponse{}, err
	}
	name := ask.File
	if name != "" {
		name = filepath.Join(p.Root, filepath.FromSlash(name))
	}
	in, err := ReadInstructions(ctx, mem.ProjectRef{Project: p.Key}, p.Root, name, ask.Sessions)
	if err != nil {
		return views.ProposeFileResponse{}, refused(ask.File, err)
	}
	got, err := h.Engine.Views.Propose(ctx, in.Request)
	if err != nil {
		return views.ProposeFileResponse{}, err
	}
	return views.ProposeFileResponse{
		ProposeResponse: got, Project: p, Apart: in.Apart, Diff: got.Diff(in.File.Text),
	}, nil
}
