package engine

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"remanence/internal/mem"
)

// autoCaptured tags what was kept by rule from a tool call.
const autoCaptured = "auto-captured"

// Bounds of captured text, in characters.
const (
	maxCommand    = 300
	maxErrorText  = 500
	maxReplaced   = 80  // of each side of a replacement
	maxCaptured   = 200 // memories of tools a session makes; further calls stay events
	importantFail = 0.6
)

// postToolUse keeps a tool call that worked, and tells what is known of the file it touched.
func (e *Engine) postToolUse(ctx context.Context, m *moment) (mem.Reply, error) {
	c := e.understand(m)
	if err := e.taintByCall(ctx, m, c); err != nil {
		return mem.Reply{}, err
	}
	if e.ours(m) {
		m.Response = nil // what we told must not come back as memory
		return mem.Reply{}, nil
	}
	if err := e.keepTodos(ctx, m, c); err != nil {
		return mem.Reply{}, err
	}
	switch m.Tool {
	case "Read", "Grep", "Glob", "LS":
		m.Response = nil // what was looked at is kept, not what it holds
	}
	switch m.Tool {
	case "Write", "Edit", "MultiEdit", "NotebookEdit":
		e.observe(ctx, m, changed(m, c))
		return e.fileNotes(ctx, m, c.file, m.settings.Budgets.Write)
	case "Read":
		return e.fileNotes(ctx, m, c.file, m.settings.Budgets.Read)
	case "Bash":
		return mem.Reply{}, e.succeeded(ctx, m, c)
	}
	return mem.Reply{}, nil
}

// postToolUseFailure keeps a call that failed, and tells the fix if one is known.
func (e *Engine) postToolUseFailure(ctx context.Context, m *moment) (mem.Reply, error) {
	c := e.understand(m)
	if err := e.taintByCall(ctx, m, c); err != nil {
		return mem.Reply{}, err
	}
	if e.ours(m) || m.Interrupt {
		return mem.Reply{}, nil
	}
	if m.Tool != "Bash" || c.plain == "" {
		return mem.Reply{}, nil
	}
	mm := failed(m, c)
	if remote(m.Tool, c.command) {
		mm.Trust, mm.Origin = mem.TrustNone, mem.FromWeb // its error text is somebody else's
	}
	e.observe(ctx, m, mm)
	return e.commandNotes(ctx, m, c)
}

func (m *moment) add(ms ...mem.Memory) { m.batch.Memories = append(m.batch.Memories, ms...) }

// observe keeps a memory of a call if the call may make one: its tool is not on
// the skip list and the session has room.
func (e *Engine) observe(ctx context.Context, m *moment, mm mem.Memory) {
	if slices.Contains(m.settings.SkipTools, m.Tool) {
		return
	}
	full, err := e.Store.List(ctx, mem.Query{Session: m.Session, Tags: []string{autoCaptured}, Offset: maxCaptured - 1, Limit: 1})
	if err == nil && len(full) == 0 {
		m.add(mm)
	}
}

// changed is the memory of an edited or written file. Edits of one file in one
// turn become one memory.
func changed(m *moment, c call) mem.Memory {
	mm := m.newMemory(mem.Change, mem.ScopeSession)
	mm.Tool, mm.Files, mm.Modified = m.Tool, []string{c.file}, []string{c.file}
	mm.Tags = []string{"file-change", autoCaptured}
	mm.Title = "Wrote file " + c.file
	if c.old != "" || m.Tool != "Write" {
		mm.Title = fmt.Sprintf("Edited %s: replaced '%s' with '%s'", c.file, excerpt(c.old), excerpt(c.new))
	}
	mm.Title = mem.Clip(mm.Title, 240)
	mm.Key = "change:" + m.PromptID + ":" + c.file
	return mm
}

func excerpt(s string) string {
	return mem.Clip(mem.Line(mem.Clip(s, maxCaptured)), maxReplaced)
}

// failed is the memory of a command that failed.
func failed(m *moment, c call) mem.Memory {
	code, message := exitOf(m.Error)
	mm := m.newMemory(mem.Command, mem.ScopeSession)
	mm.Importance, mm.Resolved = importantFail, false
	mm.Tool, mm.Command, mm.ExitCode = m.Tool, c.plain, code
	mm.Tags = []string{"command-outcome", "error", "debugging", autoCaptured}
	mm.Title = mem.Clip(fmt.Sprintf("Command failed (exit %d): %s | Error: %s", code, mem.Clip(c.plain, maxCommand), telling(message)), 2*maxCommand)
	mm.Body = mem.Clip(message, maxErrorText)
	mm.Key = "failed:" + c.plain
	return mm
}

// succeeded keeps a command that worked: as the fix of the same command's
// failure earlier in the session, or for its own sake if it is a lasting one.
func (e *Engine) succeeded(ctx context.Context, m *moment, c call) error {
	if c.plain == "" {
		return nil
	}
	open, err := e.Store.List(ctx, mem.Query{
		Project: m.project.Key, Session: m.Session, Kinds: []mem.Kind{mem.Command}, Command: c.plain, Open: true, Limit: 1,
	})
	if err != nil {
		return fmt.Errorf("find failure: %w", err)
	}
	if len(open) > 0 && !open[0].Updated.After(m.At) {
		fix, err := e.fixed(ctx, m, open[0])
		if err != nil {
			return err
		}
		yes := true
		m.batch.Edits = append(m.batch.Edits, mem.Edit{ID: open[0].ID, Resolved: &yes})
		e.observe(ctx, m, fix)
		return nil
	}
	if !lasting(c.plain) {
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

// fixed joins a failure and the success of the same command: the files changed
// between the two are what fixed it.
func (e *Engine) fixed(ctx context.Context, m *moment, failure mem.Memory) (mem.Memory, error) {
	changes, err := e.Store.List(ctx, mem.Query{
		Session: m.Session, Kinds: []mem.Kind{mem.Change}, Order: mem.ByUpdate, Limit: 20,
	})
	if err != nil {
		return mem.Memory{}, fmt.Errorf("find changes: %w", err)
	}
	mm := m.newMemory(mem.ErrorFix, mem.ScopeProject)
	mm.Command, mm.ExitCode, mm.Tool, mm.Trust, mm.Origin = failure.Command, failure.ExitCode, m.Tool, failure.Trust, failure.Origin
	mm.Tags = []string{"debugging", "resolved", autoCaptured}
	var how []string
	for _, ch := range changes {
		if ch.Updated.Before(failure.Updated) || ch.Updated.After(m.At) {
			continue
		}
		mm.Files = append(mm.Files, ch.Files...)
		mm.Trust = min(mm.Trust, ch.Trust)
		how = append(how, ch.Title)
	}
	mm.Files = mm.Files[:min(len(mm.Files), 5)]
	mm.Modified = mm.Files
	_, said, _ := strings.Cut(failure.Title, "| Error: ")
	mm.Title = fmt.Sprintf("`%s` failed (exit %d: %s), works again", mem.Clip(failure.Command, 60), failure.ExitCode, mem.Clip(said, 60))
	if len(mm.Files) > 0 {
		mm.Title = fmt.Sprintf("`%s` failed (exit %d: %s), fixed in %s",
			mem.Clip(failure.Command, 60), failure.ExitCode, mem.Clip(said, 60), path.Base(mm.Files[0]))
		mm.Body = strings.Join(how[:min(len(how), 5)], "\n")
	}
	mm.Key = "fix:" + failure.Command
	return mm, nil
}

// keepTodos keeps the agent's own list of work as todo memories: open ones are
// told until they are done, in whichever session that is.
func (e *Engine) keepTodos(ctx context.Context, m *moment, c call) error {
	if len(c.todos) == 0 && !c.whole {
		return nil
	}
	open, err := e.Store.List(ctx, mem.Query{Project: m.project.Key, Kinds: []mem.Kind{mem.Todo}, Open: true, Limit: 50})
	if err != nil {
		return fmt.Errorf("open items: %w", err)
	}
	listed := c.todos[:min(len(c.todos), 20)]
	yes := true
	for _, o := range open {
		gone := c.whole && o.Session == m.Session && slices.Contains(o.Tags, listedTag) &&
			!slices.ContainsFunc(listed, func(t todo) bool { return t.text == o.Title })
		done := slices.ContainsFunc(listed, func(t todo) bool { return t.done() && t.names(o, m.Session) })
		if gone || done {
			m.batch.Edits = append(m.batch.Edits, mem.Edit{ID: o.ID, Resolved: &yes})
		}
	}
	for _, t := range listed {
		if t.text == "" {
			continue // an update by id alone
		}
		mm := m.newMemory(mem.Todo, mem.ScopeProject)
		mm.Title, mm.Key = t.text, "todo:"+strings.ToLower(t.text)
		mm.Trust, mm.Origin, mm.Confidence = min(mem.TrustAssistant, m.turn.Trust), mem.FromAssistant, ConfidenceAgent
		mm.Resolved, mm.Tags = t.done(), []string{listedTag}
		if t.id != "" {
			mm.Tags = append(mm.Tags, taskTag(t.id))
		}
		m.add(mm)
	}
	return nil
}

// listedTag tags items of the agent's own list.
const listedTag = "todo"

func taskTag(id string) string { return "task:" + id }

// names reports whether t is the item that is kept as o. Ids count within a session.
func (t todo) names(o mem.Memory, session string) bool {
	return t.text != "" && t.text == o.Title || t.id != "" && o.Session == session && slices.Contains(o.Tags, taskTag(t.id))
}

// ours reports whether the call is about Remanence itself: its tools, its
// command line, its files. What we say must not come back as memory.
func (e *Engine) ours(m *moment) bool {
	if strings.HasPrefix(m.Tool, "mcp__") && strings.Contains(m.Tool, "remanence") || m.Tool == "ToolSearch" {
		return true
	}
	in := fields(m.Input)
	if callsUs(text(in["command"])) {
		return true
	}
	file := first(text(in["file_path"]), text(in["path"]))
	return slices.ContainsFunc(e.Own, func(dir string) bool { return dir != "" && strings.HasPrefix(file, dir+"/") })
}
