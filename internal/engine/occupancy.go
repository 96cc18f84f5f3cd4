package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"remanence/internal/mem"
)

// JobFill is the kind of job that looks how full the context of a session is.
const JobFill = "fill"

// fillLater has it looked how full the session's context is, once the client has
// written what it used, and not more often than the person wants it.
func (e *Engine) fillLater(m *moment) {
	if e.Fill == nil || !m.person() || !ownTranscript(m.Event) {
		return
	}
	at, next := m.At.Add(transcriptLag), m.session.Sampled.Add(m.settings.Handoff.SampleEvery)
	if next.After(at) {
		at = next
	}
	m.batch.Jobs = append(m.batch.Jobs, mem.Job{Kind: JobFill, Session: m.Session, Key: JobFill, Data: jobData(m), NotBy: at})
}

// fillInTurn does so in the middle of a turn, of which there may be many calls.
func (e *Engine) fillInTurn(m *moment) {
	if m.At.Sub(m.session.Sampled) >= m.settings.Handoff.SampleEvery {
		e.fillLater(m)
	}
}

// maxWindow is more than any context holds.
const maxWindow = 100_000_000

// fillTold keeps what the client itself tells of the session's context.
func (m *moment) fillTold() {
	f := mem.Fill{Session: m.Session, Tokens: m.session.ContextTokens, At: m.At, Taken: m.session.Sampled}
	told := false
	if 0 < m.Tokens && m.Tokens <= maxWindow {
		f.Tokens, f.Taken, told = int(m.Tokens), m.At, true
	}
	if 0 < m.Window && m.Window <= maxWindow {
		f.Window, told = int(m.Window), true
	}
	if told {
		m.batch.Fills = append(m.batch.Fills, f)
	}
}

// fill looks how full the context is. What cannot be seen now is seen the next time.
func (e *Engine) fill(ctx context.Context, m *moment) (mem.Batch, error) {
	if e.Fill == nil || m.session.ID == "" || !ownTranscript(m.Event) {
		return mem.Batch{}, nil
	}
	f, err := e.Fill(m.Transcript)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		e.without("how full the context is", err)
	}
	if err != nil || f.Tokens == 0 && f.Cliff == 0 { // what was known stays, if no compaction came between
		f = mem.Fill{Session: m.Session, Tokens: m.session.ContextTokens, At: m.session.LastEvent, Taken: e.Now()}
		return mem.Batch{Fills: []mem.Fill{f}}, nil
	}
	f.Session, f.Taken, f.Model = m.Session, e.Now(), fullerModel(m.session.Model, f.Model)
	s := m.session
	s.ContextTokens, s.Model, s.Cliff = f.Tokens, cmp.Or(f.Model, s.Model), max(s.Cliff, f.Cliff)
	r, err := e.roomOf(ctx, m.settings, s)
	if err != nil {
		return mem.Batch{}, err
	}
	f.Rearm = f.Tokens > 0 && f.Tokens < r.rearm
	return mem.Batch{Fills: []mem.Fill{f}}, nil
}

// fullerModel is the model that spoke, by the fuller of its two names: the
// client may have told more than the record does, such as a larger window.
func fullerModel(told, spoke string) string {
	if base, _, _ := strings.Cut(told, "["); base != "" && strings.HasPrefix(spoke, base) && strings.Contains(told, "[") {
		return told
	}
	return spoke
}

// room is what a session's context can hold, in tokens, and when something is
// done about it.
type room struct {
	window  int // 0 if nothing is to be done
	cliff   int // where the client of the model compacts by itself; 0 if that was never seen
	trigger int // from here on a handoff is asked for
	rearm   int // below this it will be asked for again
}

// Where a client compacts by itself, in tokens as it counts them.
const (
	minCliff   = 10_000 // tokens; a compaction of less was no sign of a full context
	beforeEdge = 0.92   // of the place where the client compacts, by its own count as ours is
)

// roomOf is the room of a session's context by what is known of its window and
// of where clients of its model compact by themselves.
func (e *Engine) roomOf(ctx context.Context, set Settings, s mem.Session) (room, error) {
	share := set.Handoff.threshold()
	if share == 0 {
		return room{}, nil
	}
	r := room{window: windowOf(set, s)}
	trigger := share * float64(r.window)
	if s.Model != "" {
		ss, err := e.Store.Sessions(ctx, mem.SessionQuery{Cliff: s.Model, Limit: 1})
		if err != nil {
			return room{}, fmt.Errorf("where the context is cut: %w", err)
		}
		if len(ss) > 0 && ss[0].Cliff >= minCliff {
			r.cliff = ss[0].Cliff
			trigger = min(trigger, beforeEdge*float64(r.cliff))
		}
	}
	r.trigger = max(1, int(trigger))
	r.rearm = int(trigger * set.Handoff.rearm() / share)
	return r, nil
}

// contextOf says how full a session's context is; nil where nobody knows.
func (e *Engine) contextOf(ctx context.Context, s mem.Session) (*mem.Context, error) {
	if s.ContextTokens == 0 {
		return nil, nil
	}
	set := e.Settings()
	if set.Profile == Silent {
		set = set.hushed()
	}
	r, err := e.roomOf(ctx, set, s)
	if err != nil {
		return nil, err
	}
	return &mem.Context{
		Tokens: s.ContextTokens, Window: windowOf(set, s), Model: s.Model, Cliff: r.cliff, HandoffAt: r.trigger, Asked: !s.HandoffArmed,
	}, nil
}

// The windows of models, in tokens.
const (
	commonWindow = 200_000
	largeWindow  = 1_000_000
)

// windowOf is how much the context of a session can hold: as the person says,
// else the client, else by its model. A context that holds more than a model is
// known for shows that its window is the larger one.
func windowOf(set Settings, s mem.Session) int {
	switch {
	case set.Window > 0:
		return set.Window
	case s.ContextWindow > 0:
		return s.ContextWindow
	case largeModel(s.Model) || s.ContextTokens > commonWindow:
		return largeWindow
	}
	return commonWindow
}

// largeModel reports whether a model is known for the larger window, or the
// client asks for it by name.
func largeModel(model string) bool {
	return strings.HasSuffix(model, "[1m]") || strings.HasPrefix(model, "claude-opus-5")
}

// HandoffRules say when a handoff is asked for and told.
type HandoffRules struct {
	Threshold   float64       // share of the window from which one is asked for; 0 is never
	Rearm       float64       // share below which it will be asked for again
	SampleEvery time.Duration // how often a session's context is looked at, at most
	MaxAge      time.Duration // an older one is not told to a new session; 0 is never
}

// threshold is a share that can be: one that cannot is the default.
func (h HandoffRules) threshold() float64 {
	if h.Threshold >= 0 && h.Threshold <= 1 {
		return h.Threshold
	}
	return defaultHandoff.Threshold
}

func (h HandoffRules) rearm() float64 {
	if h.Rearm >= 0 && h.Rearm < h.threshold() {
		return h.Rearm
	}
	return min(defaultHandoff.Rearm, h.threshold()/2)
}
