package capture

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/mem"
	"remanence/internal/remote"
	"remanence/internal/shell"
)

// maxCaptured bounds the memories of tool calls in a session; further calls stay events.
const maxCaptured = mem.MemoriesCounted

// OwnCall reports whether a call uses Remanence itself: its tools, command line or
// files. Injected text must not become a memory again.
func (s *Service) OwnCall(ev mem.Event) bool {
	if strings.HasPrefix(ev.Tool, "mcp__") && strings.Contains(ev.Tool, "remanence") || ev.Tool == "ToolSearch" {
		return true
	}
	in := extract.Fields(ev.Input)
	if extract.RunsRemanence(extract.Text(in["command"])) {
		return true
	}
	file := cmp.Or(extract.Text(in["file_path"]), extract.Text(in["path"]))
	return slices.ContainsFunc(s.OwnDirs, func(dir string) bool { return extract.Within(dir, file) })
}

// ToolSucceeded returns what a successful call of another tool than ours leaves: items
// of the agent's task list, a memory of the changed file or the command, and the event
// without the text of files. completed are the tasks that the call completed.
func (s *Service) ToolSucceeded(
	ctx context.Context, ec event.Context, c extract.Call,
) (ch event.Changes, completed []extract.Todo, err error) {
	if ch, completed, err = s.Todos(ctx, ec, c); err != nil {
		return event.Changes{}, nil, err
	}
	acted, err := actedOn(ctx, s.Event, ec, c)
	s.Event.LogDegraded("uses", err)
	ch.Merge(event.Changes{Edits: acted})
	var kept event.Changes
	if event.EditsFile(ec.Tool) {
		ch.Event = withoutFileText(ec.Event, c)
		kept = s.keep(ctx, ec, event.Changed(ec, c))
	}
	switch ec.Tool {
	case mem.ToolShell:
		if kept, err = s.commandSucceeded(ctx, ec, c); err == nil {
			kept.Merge(commandChanged(ctx, s, ec, c))
		}
	case mem.ToolAsk:
		kept = answered(ec)
	case mem.ToolPlan:
		kept = approved(ec)
	}
	ch.Merge(kept)
	return ch, completed, err
}

// commandChanged returns memories of the files of the project that a command changed by a script, as far as it names
// them.
func commandChanged(ctx context.Context, s *Service, ec event.Context, c extract.Call) (ch event.Changes) {
	files := shell.Writes(c.Command)
	if len(files) == 0 {
		return ch
	}
	if _, failed := c.Failed(); failed {
		return ch
	}
	for _, file := range files {
		if !path.IsAbs(file) {
			file = path.Join(extract.Slashed(ec.Cwd), file)
		}
		if file = s.Event.Rel(ec.Project, file); !path.IsAbs(file) && !strings.HasPrefix(file, "../") {
			ch.Merge(s.keep(ctx, ec, event.ChangedBy(ec, file, c.Plain)))
		}
	}
	return ch
}

// CommandFailed returns the memory of a command that failed as it said.
func (s *Service) CommandFailed(ctx context.Context, ec event.Context, c extract.Call, said string) (event.Changes,
	error,
) {
	mm := event.Failed(ec, c, said)
	if remote.BringsText(ec.Tool, c.Command) {
		mm.Trust, mm.Origin = mem.TrustNone, mem.FromWeb // the error text is external
	}
	if ec.Recovered {
		var err error
		if mm.Resolved, err = s.succeededLater(ctx, ec, c); err != nil {
			return event.Changes{}, err
		}
	}
	return s.keep(ctx, ec, mm), nil
}

// succeededLater reports whether a failed command succeeded later: the event of a
// failure may be recovered after later events were handled.
func (s *Service) succeededLater(ctx context.Context, ec event.Context, c extract.Call) (bool, error) {
	calls, err := s.Store.Events(ctx, mem.EventQuery{
		Session: ec.Session, Kinds: []mem.EventKind{mem.PostToolUse}, Tool: ec.Tool, Limit: 500,
	})
	if err != nil {
		return false, fmt.Errorf("later calls: %w", err)
	}
	return slices.ContainsFunc(calls, func(ev mem.Event) bool {
		later := s.Event.ReadCall(ev, ec.Project)
		worked, _ := later.Worked()
		return ev.At.After(ec.At) && later.Plain == c.Plain && worked
	}), nil
}

// keep returns the memory of a tool call, or nothing if the tool is on the skip list or
// the session has reached its limit.
func (s *Service) keep(ctx context.Context, ec event.Context, mm mem.Memory) event.Changes {
	if slices.Contains(ec.Settings.SkipTools, ec.Tool) {
		return event.Changes{}
	}
	if ec.SessionInfo.Memories >= maxCaptured {
		full, err := s.Store.List(ctx, mem.Query{
			Session: ec.Session, Tags: []string{extract.AutoCaptured}, Offset: maxCaptured - 1, Limit: 1,
		})
		if err != nil || len(full) > 0 {
			return event.Changes{}
		}
	}
	return event.Changes{Memories: []mem.Memory{mm}}
}

// WithoutResponse returns an event with the size of the tool's response instead of the
// response.
func WithoutResponse(ev mem.Event) *mem.Event {
	if len(ev.Response) > 0 {
		ev.ResponseTokens, ev.Response = chars.Tokens(string(ev.Response)), nil
	}
	return &ev
}

// withoutFileText returns the event of an edit without the text of the file in the response. The input has the changed
// text; if that is the whole file, or begins or ends within a line, the response keeps the changed lines.
func withoutFileText(ev mem.Event, c extract.Call) *mem.Event {
	if len(ev.Response) == 0 || ev.Response[0] != '{' {
		return &ev
	}
	kept := map[string]json.RawMessage{}
	for name, value := range extract.Fields(ev.Response) {
		switch name {
		case "filePath", "file_path", "notebook_path", "type", "userModified", "replaceAll", "edit_mode", "cell_type",
			"cell_id", "language", "success", "error":
			kept[name] = value
		}
	}
	if lines := event.ChangedLines(ev, c); lines != nil {
		kept["structuredPatch"] = lines
	}
	if out, err := json.Marshal(kept); err == nil {
		ev.Response = out
	}
	return &ev
}
