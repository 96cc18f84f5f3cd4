package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"remanence/internal/inject"
	"remanence/internal/mem"
)

// wholeSession is more turns than a session has.
const wholeSession = 10000

// taint lowers the trust of the event's turn, and of all that is made of it,
// if the event brought in text from elsewhere.
func (m *moment) taint(fromOutside bool) {
	if fromOutside {
		m.batch.Turn.Tainted, m.batch.Turn.Taint = true, mem.TrustNone
		m.turn.Trust = mem.TrustNone
	}
}

// taintByCall taints the turn if a tool call brought in text from elsewhere: by
// itself, out of our own store, or as what something left running has read
// since. It is judged before anything is made of the call.
func (e *Engine) taintByCall(ctx context.Context, m *moment, c call) error {
	was := m.turn.Trust
	outside, err := e.outside(ctx, m, c)
	if err != nil || !outside {
		return err
	}
	m.taint(true)
	if was == mem.TrustNone {
		return nil
	}
	return e.demoteJoined(ctx, m)
}

func (e *Engine) outside(ctx context.Context, m *moment, c call) (bool, error) {
	switch {
	case ownTool(m.Tool):
		return e.shows(ctx, responseText(m.Response)+"\n"+m.Error, true)
	case remote(m.Tool, c.command):
		return true, nil
	case callsUs(c.command):
		return e.shows(ctx, responseText(m.Response)+"\n"+m.Error, false)
	case handsOver(m.Tool, m.Input):
		worst, err := e.worstSince(ctx, m, "")
		return worst == mem.TrustNone, err
	}
	return false, nil
}

// taintByExcluded keeps nothing of a call that the person excluded but this: that
// it brought in text from elsewhere.
func (e *Engine) taintByExcluded(ctx context.Context, m *moment) error {
	if m.Kind != mem.PostToolUse && m.Kind != mem.PostToolUseFailure {
		return nil
	}
	if err := e.taintByCall(ctx, m, e.understand(m)); err != nil || !m.batch.Turn.Tainted {
		return err
	}
	m.Tool, m.Input, m.Response, m.Error = "", nil, nil, ""
	_, err := e.Store.Apply(ctx, m.batch)
	return err
}

// demoteJoined lowers what may be joined out of the turn that the event taints
// and later ones: fixes, and the summaries that name them. Where events come in
// order there is none yet. A fix that is found again keeps the date of the first,
// so the last change decides. A summary of the session may be of an end that was
// reported late, and then is dated before the turn.
func (e *Engine) demoteJoined(ctx context.Context, m *moment) error {
	if m.turn.At.IsZero() { // nothing was made of it yet
		return nil
	}
	joined, err := e.Store.List(ctx, mem.Query{
		Session: m.Session, Kinds: []mem.Kind{mem.ErrorFix, mem.Summary}, Hidden: true, Within: "*", Limit: wholeSession,
	})
	if err != nil {
		return fmt.Errorf("what was joined: %w", err)
	}
	none := mem.TrustNone
	for _, j := range joined {
		later := !j.Updated.Before(m.turn.At) && j.Source.PromptID != m.PromptID
		if j.Trust > none && j.Trust < mem.TrustUser && (later || strings.HasPrefix(j.Key, sessionKey)) {
			m.batch.Edits = append(m.batch.Edits, mem.Edit{ID: j.ID, Trust: &none})
		}
	}
	return nil
}

// handsOver reports whether a call returns what was read at another time: the
// output of something in the background, or a result that the client put away.
func handsOver(tool string, input []byte) bool {
	switch tool {
	case "TaskOutput", "AgentOutputTool", "BashOutput":
		return true
	}
	return bytes.Contains(input, []byte("/tool-results/"))
}

// shows reports whether a text of our own shows memories that came from
// elsewhere, or some of which cannot be told where they came from. A whole answer
// names what it shows, so that an id which nothing has shows nothing; what a
// command prints may have been cut.
func (e *Engine) shows(ctx context.Context, text string, whole bool) (bool, error) {
	ids := strings.FieldsFunc(text, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	ids = slices.DeleteFunc(ids, func(w string) bool { return !strings.HasPrefix(w, "m_") || len(w) > 20 })
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		ms, err := e.Store.List(ctx, mem.Query{IDs: []string{id}, Hidden: true, Within: "*"})
		if ctx.Err() != nil {
			return true, fmt.Errorf("what was shown: %w", err)
		}
		if whole && errors.Is(err, mem.ErrNotFound) {
			continue
		}
		if err != nil || slices.ContainsFunc(ms, func(mm mem.Memory) bool { return mm.Trust == mem.TrustNone || showsProposal(text, mm) }) {
			return true, nil
		}
	}
	return false, nil
}

// showsProposal reports whether a text shows a change of the memory that an agent
// proposed after text from outside.
func showsProposal(text string, mm mem.Memory) bool {
	return slices.ContainsFunc(mm.Proposals, func(p mem.Proposal) bool { return p.Trust == mem.TrustNone && strings.Contains(text, p.ID) })
}

// ownTool reports whether a tool is of our own server, under the names that
// clients give to it: as a plugin's, or as the person's. Other servers may have
// names that hold ours.
func ownTool(tool string) bool {
	return strings.HasPrefix(tool, "mcp__plugin_remanence_remanence__") || strings.HasPrefix(tool, "mcp__remanence__")
}

// callsUs reports whether a command line runs our own program.
func callsUs(command string) bool {
	for _, words := range simpleCommands(command) {
		for i, w := range words {
			if path.Base(w) == "remanence" && (i == 0 || runsAnother(words[:i])) {
				return true
			}
		}
	}
	return false
}

// simpleCommands are the words of each command of a line. Quotes are passed
// over, so that what a shell is given as text counts as commands too.
func simpleCommands(line string) [][]string {
	var out [][]string
	for _, part := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune("|;&()$`\n{}", r) }) {
		if words := strings.Fields(strings.NewReplacer(`"`, " ", "'", " ", "!", " ").Replace(part)); len(words) > 0 {
			out = append(out, words)
		}
	}
	return out
}

// worstSince is the worst trust of the session's turns from one on, or of all
// where that one is not known.
func (e *Engine) worstSince(ctx context.Context, m *moment, promptID string) (mem.Trust, error) {
	turns, err := e.Store.Turns(ctx, m.Session, wholeSession)
	if err != nil {
		return mem.TrustNone, fmt.Errorf("turns: %w", err)
	}
	worst := mem.TrustUser
	for _, t := range turns { // newest first
		worst = min(worst, t.Trust)
		if promptID != "" && t.PromptID == promptID {
			break
		}
	}
	return worst, nil
}

// taintBySubagent gives the report of a subagent the worst trust of the turns
// it lived through: one in the background outlives the turn it was started in,
// and may report in another.
func (e *Engine) taintBySubagent(ctx context.Context, m *moment) error {
	starts, err := e.Store.Events(ctx, mem.EventQuery{
		Session: m.Session, Kinds: []mem.EventKind{mem.SubagentStart}, AgentID: &m.AgentID, Limit: 1,
	})
	if err != nil {
		return fmt.Errorf("start of the subagent: %w", err)
	}
	from := ""
	if len(starts) > 0 {
		from = starts[0].PromptID
	}
	worst, err := e.worstSince(ctx, m, from)
	m.turn.Trust = min(m.turn.Trust, worst)
	return err
}

// worth is the trust of what is made of other memories: no more than theirs.
func worth(t mem.Trust, of []mem.Memory) mem.Trust {
	for _, mm := range of {
		if mm.Trust == mem.TrustNone {
			return mem.TrustNone
		}
	}
	return t
}

// byAgent is the trust of what an agent keeps or changes by our command line:
// its own words, if nothing from elsewhere came into its turn. One whose session
// is not known may have read anything. ErrPrivateTurn if nothing may be kept.
func (e *Engine) byAgent(ctx context.Context, session string) (mem.Trust, error) {
	s, err := e.goesOn(ctx, session)
	if err != nil || s.ID == "" {
		return mem.TrustNone, err
	}
	turns, err := e.Store.Turns(ctx, s.ID, 1)
	if err != nil {
		return mem.TrustNone, fmt.Errorf("turn of the agent: %w", err)
	}
	if len(turns) == 0 {
		return mem.TrustNone, nil
	}
	if turns[0].Private {
		return mem.TrustNone, ErrPrivateTurn
	}
	return min(mem.TrustAssistant, turns[0].Trust), nil
}

// mayKeep is ErrPrivateTurn if a text is an agent's, of a turn of which nothing is kept.
func (e *Engine) mayKeep(ctx context.Context, agent, text string) error {
	if agent == "" || text == "" {
		return nil
	}
	_, err := e.byAgent(ctx, agent)
	return err
}

// plain keeps the names of files that do not read like orders.
func plain(files []string) []string {
	return slices.DeleteFunc(slices.Clone(files), inject.Suspicious)
}
