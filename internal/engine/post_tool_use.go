package engine

import (
	"cmp"
	"context"
	"fmt"
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
	maxExcerpt    = 200                 // of a text that is shown in part
	maxReplaced   = 80                  // of each side of a replacement
	maxCaptured   = mem.MemoriesCounted // memories of tools a session makes; further calls stay events
	importantFail = 0.6
)

// postToolUse keeps a tool call that worked, and tells what is known of the file it touched.
func (e *Engine) postToolUse(ctx context.Context, m *moment) (mem.Reply, error) {
	e.fillInTurn(m)
	c := e.understand(m)
	if err := e.taintByCall(ctx, m, c); err != nil {
		return mem.Reply{}, err
	}
	if e.ours(m) {
		m.letGo() // what we told must not come back as memory
		return mem.Reply{}, nil
	}
	done, err := e.keepTodos(ctx, m, c)
	if err != nil {
		return mem.Reply{}, err
	}
	m.leaveTasks(done)
	switch m.Tool {
	case "Read", "Grep", "Glob", "LS":
		m.letGo() // what was looked at is kept, not what it holds
	}
	switch m.Tool {
	case "Write", "Edit", "MultiEdit", "NotebookEdit":
		m.keepOutcome()
		e.observe(ctx, m, changed(m, c))
		return e.fileNotes(ctx, m, c.file, m.settings.Budgets.Write)
	case "Read":
		return e.fileNotes(ctx, m, c.file, m.settings.Budgets.Read)
	case "Bash":
		return mem.Reply{}, e.succeeded(ctx, m, c)
	case "Agent":
		return e.agentCompleted(ctx, m)
	}
	return mem.Reply{}, nil
}

// letGo drops a response and keeps what it cost the agent to read.
func (m *moment) letGo() { m.Weight, m.Response = mem.Tokens(string(m.Response)), nil }

// postToolUseFailure keeps a call that failed, and tells the fix if one is known.
func (e *Engine) postToolUseFailure(ctx context.Context, m *moment) (mem.Reply, error) {
	e.fillInTurn(m)
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
	if m.Recovered {
		var err error
		if mm.Resolved, err = e.workedLater(ctx, m, c); err != nil {
			return mem.Reply{}, err
		}
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
	if m.session.Memories >= maxCaptured {
		full, err := e.Store.List(ctx, mem.Query{Session: m.Session, Tags: []string{autoCaptured}, Offset: maxCaptured - 1, Limit: 1})
		if err != nil || len(full) > 0 {
			return
		}
	}
	m.add(mm)
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
	return mem.Clip(mem.Line(mem.Clip(s, maxExcerpt)), maxReplaced)
}

// failed is the memory of a command that failed.
func failed(m *moment, c call) mem.Memory {
	code, message := exitOf(m.Error)
	mm := m.newMemory(mem.Command, mem.ScopeSession)
	mm.Importance, mm.Resolved = importantFail, false
	mm.Tool, mm.Command, mm.ExitCode = m.Tool, c.plain, code
	mm.Tags = []string{"command-outcome", "error", "debugging", autoCaptured}
	mm.Title = mem.Clip(fmt.Sprintf("Command failed (exit %d): %s | Error: %s", code, mem.Clip(c.plain, maxCommand), inBrief(telling(message))), 2*maxCommand)
	mm.Body = mem.Clip(message, maxErrorText)
	mm.Key = "failed:" + c.plain
	return mm
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
	file := cmp.Or(text(in["file_path"]), text(in["path"]))
	return slices.ContainsFunc(e.Own, func(dir string) bool { return within(dir, file) })
}
