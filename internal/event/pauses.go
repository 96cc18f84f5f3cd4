package event

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"remanence/internal/extract"
	"remanence/internal/mem"
)

// Switch says whether and how far Remanence is disabled for an event.
type Switch struct {
	Off    bool      // nothing is stored, and Reply is the answer
	Silent bool      // the event is stored, and nothing is injected
	Reply  mem.Reply // to a command that disables or enables a session
}

// SwitchOf reports whether Remanence is disabled for the event: paused, or its project, tool or path is excluded.
// Nothing of such an event is stored. The commands that disable and enable a session always work.
func (e *Service) SwitchOf(ctx context.Context, m Context) (Switch, error) {
	if m.Kind == mem.UserPromptSubmit {
		switch word, _, _ := strings.Cut(strings.TrimSpace(m.Text), " "); word {
		case "/remanence:off":
			return e.switchSession(ctx, mem.Pause{Target: m.Session},
				"remanence: off for this session; nothing is captured or injected until /remanence:on")
		case "/remanence:on":
			return e.switchSession(ctx, mem.Pause{Target: m.Session, Lift: true}, "remanence: on again for this session")
		}
	}
	if m.ProjectIn(m.Settings.ExcludeProjects) || e.atHome(m.Root) {
		return Switch{Off: true}, nil
	}
	excluded := e.excludedCall(m)
	pauses, err := e.Store.Paused(ctx, m.At)
	if err != nil {
		return Switch{Off: true}, fmt.Errorf("pauses: %w", err)
	}
	silent := false
	for _, p := range pauses {
		if !p.Of(m.Project.Key, m.Session) {
			continue
		}
		if !p.InjectOnly {
			return Switch{Off: true}, nil
		}
		silent = true
	}
	if excluded {
		return Switch{Off: true}, e.taintByExcluded(ctx, m)
	}
	return Switch{Silent: silent}, nil
}

func (e *Service) switchSession(ctx context.Context, p mem.Pause, notice string) (Switch, error) {
	b := mem.Batch{Pauses: []mem.Pause{p}}
	if _, err := e.Store.Apply(ctx, b); err != nil {
		return Switch{Off: true}, fmt.Errorf("switch: %w", err)
	}
	if err := e.reportPauses(ctx); err != nil {
		return Switch{Off: true}, err
	}
	return Switch{Off: true, Reply: mem.Reply{Notice: notice}}, nil
}

// atHome reports whether the event is in one of our own directories. Only an agent that Remanence started works
// there.
func (e *Service) atHome(dir string) bool {
	return slices.ContainsFunc(e.Own, func(own string) bool { return extract.Within(own, dir) })
}

// ProjectIn reports whether a setting lists the project of the event: by key, by name, or by a glob on its root.
func (m Context) ProjectIn(list []string) bool {
	return slices.ContainsFunc(list, func(g string) bool {
		return g == m.Project.Key || g == m.Project.Name || globAbove(g, m.Root)
	})
}

// excludedCall reports whether the settings exclude the tool call.
func (e *Service) excludedCall(m Context) bool {
	if m.Tool == "" {
		return false
	}
	for _, g := range m.Settings.ExcludeTools {
		if Glob(g, m.Tool) {
			return true
		}
	}
	in := extract.Fields(m.Input)
	for _, f := range []string{
		extract.Text(in["file_path"]), extract.Text(in["notebook_path"]),
		extract.Text(in["path"]),
	} {
		if f == "" {
			continue
		}
		if e.excludes(m.Settings, m.Project, f) {
			return true
		}
	}
	return false
}

// ExcludesFile reports whether the settings exclude a file of a project from capture.
func (e *Service) ExcludesFile(p mem.Project, file string) bool {
	return e.excludes(e.Settings().In(p), p, file)
}

func (e *Service) excludes(s Settings, p mem.Project, file string) bool {
	rel := e.Rel(p, file)
	return slices.ContainsFunc(s.ExcludePaths, func(g string) bool { return matchesPath(g, file, rel) })
}

// globAbove matches a pattern against a directory and all directories above it.
func globAbove(pattern, dir string) bool {
	for dir = extract.Slashed(dir); dir != "" && dir != "." && dir != "/"; dir = path.Dir(dir) {
		if Glob(pattern, dir) {
			return true
		}
	}
	return false
}

// matchesPath matches a pattern against a file: its full path, its path in the project, or its name if the pattern
// has no slash.
func matchesPath(pattern, file, rel string) bool {
	return Glob(pattern, file) || Glob(pattern, rel) || !strings.Contains(pattern, "/") &&
		Glob(pattern, path.Base(extract.Slashed(file)))
}

// Glob matches a path against a pattern in which * stands for any characters
// but a slash and ** for any at all. Back slashes count as slashes. A bad
// pattern matches only itself.
func Glob(pattern, name string) bool {
	pattern, name = extract.Slashed(pattern), extract.Slashed(name)
	if pattern == name {
		return true
	}
	head, rest, deep := strings.Cut(pattern, "**")
	if !deep {
		ok, err := path.Match(pattern, name)
		return err == nil && ok
	}
	rest = strings.TrimPrefix(rest, "/")
	most := strings.Count(head, "/") + strings.Count(head, "[") // slashes in what the head can match: a class may be one
	for i := 0; i <= len(name); i++ {
		if i > 0 && name[i-1] == '/' && head != "" {
			if most--; most < 0 {
				return false
			}
		}
		if i > 0 && i < len(name) && name[i-1] != '/' && rest != "" {
			continue
		}
		if ok, err := path.Match(head, name[:i]); (head == "" || err == nil && ok || head == name[:i]) &&
			(rest == "" || Glob(rest, name[i:])) {
			return true
		}
	}
	return false
}

// Unpaused removes the quotes from times at which the person had paused. The agent's transcript still has them.
func (e *Service) Unpaused(ctx context.Context, project, session string, said []mem.Quote) ([]mem.Quote, error) {
	silences, err := e.Store.PausedPeriods(ctx, "all", project, session)
	if err != nil {
		return nil, fmt.Errorf("pauses: %w", err)
	}
	return slices.DeleteFunc(said, func(s mem.Quote) bool {
		return slices.ContainsFunc(silences, func(p mem.PausedPeriod) bool { return p.Contains(s.At) })
	}), nil
}

// Pause pauses or resumes, and returns the pauses in force. It returns ErrPauseLength for a length that is below
// MinPause and not 0.
func (e *Service) Pause(ctx context.Context, ask PauseRequest) (PauseResponse, error) {
	if ask.For != 0 && ask.For < MinPause {
		return PauseResponse{}, fmt.Errorf("%v: %w: the shortest one is %v", ask.For, ErrPauseLength, MinPause)
	}
	p := mem.Pause{InjectOnly: ask.InjectOnly, Lift: ask.Resume}
	if ask.For > 0 {
		p.Until = e.Now().Add(ask.For)
	}
	switch ask.Scope {
	case "all":
		p.Target = "all"
	case "session":
		s, err := e.Store.Session(ctx, ask.Session)
		if err != nil {
			return PauseResponse{}, err
		}
		p.Target = s.ID
	case "", "project":
		pr, err := e.Place(ctx, ask.ProjectRef)
		if err != nil {
			return PauseResponse{}, err
		}
		p.Target = pr.Key
	default:
		return PauseResponse{}, fmt.Errorf("scope %q: %w", ask.Scope, mem.ErrNotFound)
	}
	if _, err := e.Store.Apply(ctx, mem.Batch{Pauses: []mem.Pause{p}}); err != nil {
		return PauseResponse{}, fmt.Errorf("pause: %w", err)
	}
	if err := e.reportPauses(ctx); err != nil {
		return PauseResponse{}, err
	}
	ps, err := e.Store.Paused(ctx, e.Now())
	return PauseResponse{Pauses: ps}, err
}

func (e *Service) reportPauses(ctx context.Context) error {
	if e.Paused == nil {
		return nil
	}
	ps, err := e.Store.Paused(ctx, e.Now())
	if err != nil {
		return fmt.Errorf("pauses: %w", err)
	}
	e.Paused(ps)
	return nil
}

// Place returns the project of a reference. The zero project means all.
func (e *Service) Place(ctx context.Context, at mem.ProjectRef) (mem.Project, error) {
	switch {
	case at.Project == "all" || at.Project == "" && at.Dir == "":
		return mem.Project{}, nil
	case at.Project != "":
		ps, err := e.Store.Projects(ctx, at.Project)
		if err != nil {
			return mem.Project{}, fmt.Errorf("project %q: %w", at.Project, err)
		}
		if len(ps) == 0 {
			return mem.Project{}, fmt.Errorf("project %q: %w", at.Project, mem.ErrNotFound)
		}
		return ps[0], nil
	}
	p, err := e.Project(at.Dir)
	if err != nil {
		return mem.Project{}, fmt.Errorf("project of %s: %w", at.Dir, err)
	}
	known, err := e.Known(ctx, p)
	if known != "" {
		p.Key = known
	}
	return p, err
}

// Today returns the start of the day of now, in the local zone.
func (e *Service) Today() time.Time {
	y, mo, d := e.Now().Local().Date()
	return time.Date(y, mo, d, 0, 0, 0, 0, time.Local)
}
