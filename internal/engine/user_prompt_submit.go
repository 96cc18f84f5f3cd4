package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"remanence/internal/inject"
	"remanence/internal/mem"
	"remanence/internal/rank"
)

// userPromptSubmit keeps a prompt and answers it with the state line and what
// is known about what was asked. Nothing to say is a normal answer.
func (e *Engine) userPromptSubmit(ctx context.Context, m *moment) (mem.Reply, error) {
	if strings.HasPrefix(strings.TrimSpace(m.Text), ownCommand) {
		m.batch.Turn.Text = ownCommand
		return mem.Reply{}, nil
	}
	if !m.person() || mem.ClientMade(m.Text) {
		return mem.Reply{}, e.inherit(ctx, m)
	}
	m.batch.Session.Processing, m.batch.Session.Status = new(true), mem.Running
	if !agrees(m.Text) {
		m.batch.Session.FirstPrompt = mem.Clip(request(m.Text), 200)
	}
	m.batch.Turn.Person, m.batch.Turn.Text, m.batch.Turn.Private = true, m.Text, m.Private
	if (m.session.Prompts+1)%takeEvery == 0 {
		e.takeLater(m, takeWords)
	}
	if m.Private {
		return mem.Reply{}, nil
	}
	var err error
	m.asked, err = e.directive(ctx, m)
	e.without("handoff", err)
	n, err := e.nudge(ctx, m)
	e.without("state line", err)
	within, done := context.WithTimeout(ctx, recallWithin+e.Slack)
	defer done()
	hits, r, err := e.promptRecall(within, m)
	e.without("recall", err)
	gone, err := e.lost(ctx, m)
	e.without("what the summary left out", err)
	return mem.Reply{Context: above(m.asked, e.tellPrompt(m, n, gone, hits, r))}, nil
}

// above puts what we ask of the agent before what it is told.
func above(asked, told string) string {
	if asked == "" || told == "" {
		return asked + told
	}
	return asked + "\n\n" + told
}

// recallWithin and briefWithin are how long a recall and a briefing may take.
// Whoever waits for longer leaves without an answer, and hands the event over
// again; so it is kept in time, and answered without.
const (
	recallWithin = 180 * time.Millisecond
	briefWithin  = 700 * time.Millisecond
)

// tellPrompt tells where the work stands, what a compaction took and what was found, in
// one block.
func (e *Engine) tellPrompt(m *moment, n nudge, gone loss, hits []mem.Hit, r mem.Receipt) string {
	switch {
	case r.ID != "":
	case gone.Checkpoint != "":
		r = m.receipt(placeCompaction, m.settings.Budgets.UserPrompt)
		r.Candidates = len(gone.section.Items)
	case len(n.lines) == 0:
		return ""
	default:
		r = m.receipt("nudge", 0)
	}
	hits, said := parted(hits)
	b := e.recallBlock(m, "recall", hits)
	b.Sections = append(b.Sections, quotes(b, said, &r))
	if gone.Checkpoint != "" {
		b.Sections = append([]inject.Section{gone.section}, b.Sections...)
		r.Marks, r.Compaction = append(r.Marks, afterCompaction), &gone.Compaction
	}
	if len(n.lines) > 0 {
		state := inject.Section{Name: "state", Apart: true, Share: 100}
		for _, line := range n.lines {
			state.Items = append(state.Items, inject.Item{Text: line})
			r.Budget += m.settings.NudgeTokens
		}
		b.Sections = append([]inject.Section{state}, b.Sections...)
		r.Marks = append(r.Marks, n.marks...)
	}
	return e.tell(m, b, r)
}

// ownCommand begins the commands of our plugin. Their turns show what we keep,
// and nothing of that may come back as memory.
const ownCommand = "/remanence:"

// inherit gives a turn that no person began, such as a subagent's report, the
// worst trust of the turns before it, and their privacy: what the subagent read
// and was asked is behind it.
func (e *Engine) inherit(ctx context.Context, m *moment) error {
	turns, err := e.Store.Turns(ctx, m.Session, wholeSession)
	if err != nil {
		return fmt.Errorf("turns: %w", err)
	}
	if m.PromptID == "" && len(turns) > 0 {
		m.PromptID = turns[0].PromptID
	}
	for _, t := range turns {
		m.taint(t.Trust == mem.TrustNone)
		m.batch.Turn.Private = m.batch.Turn.Private || t.Private
	}
	if m.batch.Turn.Private {
		m.Text = ""
	}
	return nil
}

// promptRecall finds what is known about the prompt. The receipt is zero where
// nothing is asked.
func (e *Engine) promptRecall(ctx context.Context, m *moment) ([]mem.Hit, mem.Receipt, error) {
	budget := m.settings.Budgets.UserPrompt
	if budget == 0 || !m.settings.told(m.session) {
		return nil, mem.Receipt{}, nil
	}
	if skip, err := e.skips(ctx, m); skip || err != nil {
		return nil, mem.Receipt{}, err
	}
	files, err := e.filesAtHand(ctx, m)
	if err != nil {
		return nil, mem.Receipt{}, err
	}
	hits, r, err := e.recall(ctx, m, question{
		trigger: "prompt", asked: m.Text, files: files, budget: budget, most: m.settings.MaxMemories,
		query: mem.Query{NotKinds: notRecalled()},
	})
	if err == nil && len(hits) > 0 && rank.NewTask(m.Text) { // a task that this project knows nothing about is not one of it
		hits, err = e.withRules(ctx, m, hits, &r)
	}
	if err != nil {
		return nil, mem.Receipt{}, err
	}
	said, err := e.saidBefore(ctx, m, files, hits, &r)
	e.without("what was said", err)
	return append(hits, said...), r, nil
}

// withRules adds the project's conventions to what was found: a new task has to
// keep to them whether or not it names them, unless what was found says the same.
func (e *Engine) withRules(ctx context.Context, m *moment, hits []mem.Hit, r *mem.Receipt) ([]mem.Hit, error) {
	rules, _, err := e.recall(ctx, m, question{
		trigger: "prompt", most: m.settings.MaxMemories, strict: true,
		query: mem.Query{Kinds: []mem.Kind{mem.Convention, mem.Preference}, Order: mem.ByImportance, Limit: 5},
	})
	if err != nil {
		return nil, err
	}
	for _, h := range rules {
		ofIt := func(c mem.Cut) bool { return c.ID == h.Memory.ID }
		cut := slices.IndexFunc(r.Dropped, ofIt)
		if len(hits) >= m.settings.MaxMemories || contains(hits, h.Memory.ID) || cut >= 0 && r.Dropped[cut].Gate == "duplicate" {
			continue
		}
		hits, r.Dropped = append(hits, h), slices.DeleteFunc(r.Dropped, ofIt)
	}
	return hits, nil
}

// skips reports whether the prompt asks for nothing that memory could help
// with. One that is only short does if it speaks of the past or names what the
// store knows.
func (e *Engine) skips(ctx context.Context, m *moment) (bool, error) {
	p := strings.TrimSpace(m.Text)
	short := rank.Trivial(p) || len([]rune(p)) < m.settings.MinPromptChars && !strings.ContainsFunc(p, mem.Wide)
	if !short || rank.Courtesy(p) {
		return short, nil
	}
	if rank.RefersBack(p) {
		return false, nil
	}
	known, err := e.namesKnown(ctx, m, p)
	return !known, err
}

// namesKnown reports whether a text names a file that memories are about, or a
// symbol or an error that one holds.
func (e *Engine) namesKnown(ctx context.Context, m *moment, text string) (bool, error) {
	for _, name := range rank.Names(text) {
		q := mem.Query{Project: m.project.Key, Within: m.Session, NotKinds: notRecalled(), Limit: 1}
		q.File = e.Rel(m.project, name)
		ms, err := e.Store.List(ctx, q)
		if err != nil {
			return false, fmt.Errorf("memories of %s: %w", name, err)
		}
		q.File, q.Text, q.Terms = "", name, rank.Terms(name)
		q.Terms = q.Terms[:min(len(q.Terms), 1)] // all of it; its parts come after
		hits, err := e.Store.Match(ctx, q)
		if err != nil {
			return false, fmt.Errorf("memories that name %s: %w", name, err)
		}
		if len(ms)+len(hits) > 0 {
			return true, nil
		}
	}
	return false, nil
}

// filesAtHand are the files the session touched last.
func (e *Engine) filesAtHand(ctx context.Context, m *moment) ([]string, error) {
	ms, err := e.Store.List(ctx, mem.Query{Session: m.Session, Kinds: []mem.Kind{mem.Change}, Order: mem.ByUpdate, Limit: 5})
	if err != nil {
		return nil, fmt.Errorf("files at hand: %w", err)
	}
	return filesOf(ms), nil
}

// perFile is how many memories of each file at hand are looked at whatever their words.
const perFile = 5

// ofFiles adds to the matches of a question what is known of the files at hand.
// Many memories may match better by the words alone; whether these are worth
// telling is decided by the same rules.
func (e *Engine) ofFiles(ctx context.Context, q mem.Query, files []string, hits []mem.Hit) ([]mem.Hit, error) {
	if len(q.Kinds) > 0 {
		return hits, nil
	}
	q.Kinds, q.Limit, q.Offset, q.Order = knowledge(), perFile, 0, mem.ByImportance
	for _, f := range files[:min(len(files), mem.MaxAnchors)] {
		q.File = f
		ms, err := e.Store.List(ctx, q)
		if err != nil {
			return nil, fmt.Errorf("memories of %s: %w", f, err)
		}
		for _, mm := range ms {
			if !contains(hits, mm.ID) {
				hits = append(hits, mem.Hit{Memory: mm})
			}
		}
	}
	return hits, nil
}

// nudgeAgain is how many prompts may pass without a state line when it is given on change.
const nudgeAgain = 10

// nudge is what a prompt is told of where the work stands: the state line, and
// reminders, whose marks say that they were given.
type nudge struct{ lines, marks []string }

// nudge is the one line that says where the work stands, if it is due or there
// is something to remind of.
func (e *Engine) nudge(ctx context.Context, m *moment) (n nudge, err error) {
	if m.settings.NudgeEvery == NudgeNever || m.settings.NudgeTokens == 0 || m.session.ID == "" {
		return nudge{}, nil
	}
	reminders, marks, err := e.reminders(ctx, m)
	if err != nil {
		return nudge{}, err
	}
	line, err := e.stateLine(ctx, m)
	if err != nil {
		return nudge{}, err
	}
	due := m.settings.NudgeEvery == NudgeAlways || line != m.session.Nudge || m.session.Prompts-m.session.NudgePrompt >= nudgeAgain || len(reminders) > 0
	if due && line != "" && mem.Tokens(line) <= m.settings.NudgeTokens {
		m.batch.Session.Nudge = &line
		n.lines = []string{line}
	}
	n.lines, n.marks = append(n.lines, reminders...), marks
	return n, nil
}

// stateLine says in one line what is next and what is in the way; empty if
// neither is known.
func (e *Engine) stateLine(ctx context.Context, m *moment) (string, error) {
	if m.mind.Trusted {
		return strings.TrimPrefix(mindLine(m.mind), inject.HeadMemory+" "), nil
	}
	turns, err := e.Store.Turns(ctx, m.Session, 1)
	if err != nil {
		return "", fmt.Errorf("turns: %w", err)
	}
	own, err := e.Store.List(ctx, mem.Query{
		Project: m.project.Key, Session: m.Session, Kinds: []mem.Kind{mem.Command}, Open: true, Order: mem.ByUpdate, Limit: 3,
	})
	if err != nil {
		return "", fmt.Errorf("failing commands: %w", err)
	}
	s, err := e.state(ctx, m.project.Key, m.Session, turns, own)
	if err != nil {
		return "", err
	}
	line := inject.Nudge(s.Phase, cmp.Or(firstOf(s.Next), firstOf(s.Open)), cmp.Or(firstOf(s.Waiting), firstOf(s.Blocked)), "")
	return strings.TrimPrefix(line, inject.HeadMemory+" "), nil // the block has that header itself
}

func firstOf(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}
