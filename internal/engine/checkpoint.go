package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"remanence/internal/inject"
	"remanence/internal/mem"
	"remanence/internal/rank"
)

// Bounds of a checkpoint. A restore favours what a summary loses: paths,
// commands with their outcome, figures, errors, open items.
const (
	maxFiles    = 20
	maxOutcomes = 12
	maxOpen     = 10
	maxFigures  = 8
	maxRecent   = 6   // utterances
	recentChars = 600 // of each
)

// checkpoint saves where the session of m stands.
func (e *Engine) checkpoint(ctx context.Context, m *moment, trigger string) (mem.Checkpoint, error) {
	cp := mem.Checkpoint{Session: m.Session, Project: m.project.Key, At: m.At, Trigger: trigger}
	turns, err := e.Store.Turns(ctx, m.Session, 20)
	if err != nil {
		return cp, fmt.Errorf("turns: %w", err)
	}
	stops, err := e.Store.Events(ctx, mem.EventQuery{Session: m.Session, Kinds: []mem.EventKind{mem.Stop}, Limit: maxRecent})
	if err != nil {
		return cp, fmt.Errorf("answers: %w", err)
	}
	slices.SortStableFunc(stops, func(a, b mem.Event) int { // one that was found later is not the newest
		if !a.Recovered && !b.Recovered {
			return 0
		}
		return b.At.Compare(a.At)
	})
	own, err := e.Store.List(ctx, mem.Query{
		Project: m.project.Key, Session: m.Session, Kinds: []mem.Kind{mem.Change, mem.Command, mem.ErrorFix}, Order: mem.ByUpdate, Limit: 100,
	})
	if err != nil {
		return cp, fmt.Errorf("what the session did: %w", err)
	}
	if cp.State, err = e.state(ctx, m.project.Key, m.Session, turns, own); err != nil {
		return cp, err
	}
	stops = trusted(stops, turns)
	if len(stops) > 0 {
		cp.State.Status = mem.Clip(mem.Line(stops[0].Text), recentChars)
	}
	cp.Evidence = evidence(own, stops)
	cp.Recent = recent(turns, stops)
	reads, err := e.Store.Events(ctx, mem.EventQuery{Session: m.Session, Kinds: []mem.EventKind{mem.PostToolUse}, Limit: 60})
	if err != nil {
		return cp, fmt.Errorf("calls: %w", err)
	}
	for _, ev := range reads {
		lm := moment{Event: ev, project: m.project}
		if c := e.understand(&lm); c.file != "" && lm.Tool == "Read" && !inject.Suspicious(c.file) {
			cp.Evidence.Files = appendNew(cp.Evidence.Files, c.file, maxFiles)
		}
	}
	return cp, nil
}

// state derives where work stands in a session from what is stored of it.
func (e *Engine) state(ctx context.Context, project, session string, turns []mem.Turn, own []mem.Memory) (mem.State, error) {
	var s mem.State
	for _, t := range turns { // newest first
		if s.Request == "" && t.Number > 0 && !agrees(t.Text) {
			s.Request = request(t.Text)
		}
	}
	open, err := e.Store.List(ctx, mem.Query{Project: project, Kinds: []mem.Kind{mem.Todo}, Open: true, MinTrust: mem.TrustTool, Limit: maxOpen})
	if err != nil {
		return s, fmt.Errorf("open items: %w", err)
	}
	for _, o := range open {
		if inject.IsTellable(o) {
			s.Open = appendNew(s.Open, o.Title, maxOpen)
		}
	}
	for _, mm := range own { // last changed first
		switch {
		case mm.Kind == mem.Change:
			for _, f := range plain(mm.Modified) {
				s.Files = appendNew(s.Files, f, maxFiles)
			}
		case mm.Kind == mem.Command && !mm.Resolved && len(s.Blocked) < 3:
			if text, ok := inject.Tellable(mm); ok {
				s.Blocked = append(s.Blocked, text)
			}
		}
	}
	sum, err := e.Store.List(ctx, mem.Query{Project: project, Session: session, Kinds: []mem.Kind{mem.Summary}, MinTrust: mem.TrustAssistant, Limit: 1})
	if err != nil {
		return s, fmt.Errorf("summary: %w", err)
	}
	if len(sum) > 0 && sum[0].Summary != nil && sum[0].Summary.NextSteps != "" && !inject.Suspicious(sum[0].Summary.NextSteps) {
		s.Next = []string{sum[0].Summary.NextSteps}
	}
	return s, e.laidDownState(ctx, project, &s)
}

// evidence gathers exact material, the newest first.
func evidence(own []mem.Memory, stops []mem.Event) mem.Evidence {
	var ev mem.Evidence
	for _, mm := range own {
		for _, f := range plain(mm.Modified) {
			ev.Files = appendNew(ev.Files, f, maxFiles)
		}
		if mm.Kind != mem.Command || len(ev.Commands) == maxOutcomes || inject.Suspicious(mm.Command) {
			continue
		}
		o := mem.Outcome{Command: mm.Command, Exit: mm.ExitCode}
		if _, msg, ok := strings.Cut(mm.Title, "| Error: "); ok && mm.Trust > mem.TrustNone && !inject.Suspicious(msg) {
			o.Note = msg
			ev.Errors = appendNew(ev.Errors, msg, maxFigures)
			if mm.Resolved {
				o.Note += " (works again)"
			}
		}
		ev.Commands = append(ev.Commands, o)
	}
	for _, st := range stops {
		for _, s := range sentences(st.Text) {
			if hasFigure(s) {
				ev.Numbers = appendNew(ev.Numbers, mem.Clip(s, 160), maxFigures)
			}
		}
	}
	return ev
}

// hasFigure reports whether a sentence has a figure in it that is neither part of
// a name nor of code.
func hasFigure(s string) bool {
	before := ' '
	for _, r := range cueText(s) {
		if r >= '0' && r <= '9' && (!unicode.IsLetter(before) || mem.Wide(before)) {
			return true
		}
		switch {
		case unicode.IsDigit(r):
			before = 'a' // the rest of the name
		case !strings.ContainsRune(".-_", r):
			before = r
		}
	}
	return false
}

// trusted keeps the answers of turns that read nothing from outside and that do
// not sound like orders.
func trusted(stops []mem.Event, turns []mem.Turn) []mem.Event {
	return slices.DeleteFunc(stops, func(st mem.Event) bool {
		tainted := slices.ContainsFunc(turns, func(t mem.Turn) bool { return t.PromptID == st.PromptID && t.Trust == mem.TrustNone })
		return st.Text == "" || tainted || inject.Suspicious(st.Text)
	})
}

// pasted is the length, in bytes, from which a prompt counts as pasted and no
// more than its beginning as the person's words.
const pasted = 4000

// request is what a prompt asks, in one line.
func request(prompt string) string {
	prompt = withoutImages(prompt)
	if len(prompt) > pasted {
		return mem.Clip(mem.Line(mem.FirstLine(prompt)), 160)
	}
	return mem.Clip(withoutGreeting(mem.Line(prompt)), recentChars)
}

// withoutGreeting is a prompt without the greetings and thanks that it begins
// with, where something follows them.
func withoutGreeting(prompt string) string {
	all := split(prompt)
	for _, s := range all[:max(len(all)-1, 0)] {
		if !greets(s) || !strings.HasSuffix(s, "!") && len(strings.Fields(s)) > 2 {
			break
		}
		prompt = strings.TrimSpace(strings.TrimPrefix(prompt, s))
	}
	return prompt
}

// agrees reports whether a prompt is assent, courtesy, a farewell or the mark of an
// option and nothing else: what is asked for is in the prompt before it. One that
// asks where the work stands asks for nothing of its own either.
func agrees(prompt string) bool {
	return !strings.HasPrefix(strings.TrimSpace(prompt), "/") && (rank.Courtesy(prompt) || parts(prompt) || bareMark(prompt) || catchesUp(prompt))
}

// bareMark reports whether a prompt is the mark of an option: "B", "2.", "option 2".
func bareMark(prompt string) bool {
	p := strings.Trim(strings.ToLower(strings.TrimSpace(prompt)), ".!)( ")
	for _, name := range []string{"option ", "variante ", "variant ", "nummer ", "number ", "opción "} {
		p = strings.TrimPrefix(p, name)
	}
	return len(p) == 1 && (p[0] >= '1' && p[0] <= '9' || p[0] >= 'a' && p[0] <= 'h')
}

// catchesUp reports whether a prompt only asks where the work stands.
func catchesUp(prompt string) bool {
	l := strings.Trim(strings.ReplaceAll(cueText(prompt), "what's", "whats"), " ?.!？。")
	for _, asks := range []string{
		"where were we", "where are we", "where did we leave", "where did we stop", "whats left", "what is left", "whats next", "what is next", "what next", "whats open", "what is open",
		"wo waren wir", "wo stehen wir", "was steht an", "was steht als nächstes an", "was ist noch offen", "où en étions-nous", "où en sommes-nous", "que reste-t-il", "dónde lo dejamos", "dónde estábamos", "qué queda", "どこまでやった", "我们做到哪了",
	} {
		if rest, ok := strings.CutPrefix(l, asks); ok && !slices.ContainsFunc(strings.Fields(rest), func(w string) bool {
			return !holds("|to|do|off|last|time|yesterday|here|on|this|again|now|today|open|noch|gestern|heute|stehengeblieben|à|faire|hier|por|hacer|", "|"+strings.Trim(w, ",")+"|")
		}) {
			return true
		}
	}
	return false
}

// parts reports whether a prompt is short and says goodbye.
func parts(prompt string) bool {
	return len(strings.Fields(prompt)) < 10 && !strings.ContainsAny(prompt, "?`/") &&
		holds(strings.ToLower(prompt), "see you tomorrow", "see you later", "be right back", "brb", "it for today", "done for today", "all for today", "enough for today", "good night", "bis morgen", "feierabend", "für heute", "à demain", "hasta mañana", "また明日", "明天见")
}

// withoutImages is a prompt without the marks that a client puts where an image was.
func withoutImages(prompt string) string {
	before, rest, ok := strings.Cut(prompt, "[Image #")
	if !ok {
		return prompt
	}
	number, after, ok := strings.Cut(rest, "]")
	if !ok || strings.Trim(number, "0123456789") != "" {
		return prompt
	}
	return before + withoutImages(after)
}

// recent are the newest utterances of both sides, oldest first.
func recent(turns []mem.Turn, stops []mem.Event) []mem.Said {
	answer := map[string]string{}
	for i := len(stops) - 1; i >= 0; i-- {
		answer[stops[i].PromptID] = stops[i].Text
	}
	var out []mem.Said
	for i := min(len(turns), maxRecent/2) - 1; i >= 0; i-- {
		if t := turns[i]; t.Text != "" {
			out = append(out, mem.Said{Who: "user", Text: request(t.Text)})
		}
		if a := answer[turns[i].PromptID]; a != "" && turns[i].PromptID != "" {
			out = append(out, mem.Said{Who: "assistant", Text: mem.Clip(mem.Line(a), recentChars)})
		}
	}
	return out
}

func appendNew(list []string, s string, limit int) []string {
	if s == "" || len(list) >= limit || slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}
