package recall

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"remanence/internal/chars"
	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/inject"
	"remanence/internal/mem"
	"remanence/internal/rank"
)

// Prompt returns the memories about the event's prompt, then quotes of past conversations. The receipt lists what was
// left out; it is zero if the prompt needs no memory.
func (e *Service) Prompt(ctx context.Context, ec event.Context) ([]mem.Hit, mem.Receipt, error) {
	budget := ec.Settings.Budgets.UserPrompt
	if budget == 0 || !ec.Settings.MayInject(ec.SessionInfo) {
		return nil, mem.Receipt{}, nil
	}
	if skip, err := e.Skips(ctx, ec); skip || err != nil {
		return nil, mem.Receipt{}, err
	}
	awaitIndex(ctx, e.Store)
	files, err := e.FilesAtHand(ctx, ec)
	if err != nil {
		return nil, mem.Receipt{}, err
	}
	// A document says by itself what its topic is about: what is injected has to be relevant, and a quote adds nothing.
	document := extract.PlanTitle(ec.Text) != ""
	hits, r, err := e.Recall(ctx, ec, Question{
		Trigger: promptTrigger, Asked: extract.Topic(ec.Text), Files: files, Budget: budget, Most: ec.Settings.MaxMemories,
		Query: mem.Query{NotKinds: NotRecalled()}, alone: document,
	})
	// Conventions go with a new task only if the project knows something about it.
	if err == nil && len(hits) > 0 && rank.NewTask(ec.Text) {
		hits, err = e.WithRules(ctx, ec, hits, &r)
	}
	if err != nil || document {
		return hits, r, err
	}
	said, err := e.QuotesBefore(ctx, ec, files, hits, &r)
	e.Event.LogDegraded("quotes", err)
	return append(hits, said...), r, nil
}

// promptTrigger is the trigger of what is injected with a prompt.
const promptTrigger = "prompt"

// Question is the request of one recall.
type Question struct {
	Trigger string // prompt, file, command, subagent
	Asked   string
	Files   []string // at hand
	Query   mem.Query
	Budget  int              // tokens
	Most    int              // items
	alone   bool             // each memory has to be relevant by itself; see rank.Floor
	loose   bool             // a long text of which parts may match
	strict  bool             // the query's own filters say what belongs; no floor on the words
	failure *extract.Failure // that a memory has to be about; nil accepts all
}

// Recall returns the memories worth injecting for q. The receipt lists what was left out and why. Its items are not
// set: only rendering knows which of them fit.
func (e *Service) Recall(ctx context.Context, ec event.Context, q Question) ([]mem.Hit, mem.Receipt, error) {
	q, ask := e.asked(ec, q)
	r := ec.Receipt(q.Trigger, q.Budget)
	r.Query, r.Terms, r.Outcome = chars.Clip(chars.Line(q.Asked), 200), q.Query.Terms, mem.Abstained
	hits, among, err := e.candidates(ctx, q, ask)
	if err != nil {
		return nil, r, err
	}
	r.Candidates = len(hits)
	if !q.strict {
		var cuts []mem.LeftOutItem
		r.Floor = e.Floors.use(ec.Project.Key, e.Now()).of(q)
		if q.Trigger == promptTrigger {
			r.Floor = max(r.Floor, rank.LeastAbove(ask, hits, among))
		}
		hits, cuts = rank.Floor(ask, hits, r.Floor, func(m mem.Memory) bool { return !q.alone && ec.Gate(m) == "" })
		r.LeftOut = append(r.LeftOut, cuts...)
	}
	var rest []mem.LeftOutItem
	var injected []mem.Memory // before, into this session
	room := examined * q.Most
	hits = slices.DeleteFunc(hits, func(h mem.Hit) bool {
		c := mem.LeftOutItem{ID: h.Memory.ID, Title: h.Memory.Title, Score: h.Score, Parts: h.Parts}
		if room <= 0 && q.Most > 0 && h.Parts[rank.PartPath] < 1 {
			c.Gate = "limit"
			rest = append(rest, c)
			return true
		}
		if c.Gate = ec.Gate(h.Memory); c.Gate == "" && q.failure != nil && !q.failure.Is(h.Memory) {
			c.Gate = event.OtherFailure
		}
		if c.Gate != "" {
			if c.Gate == event.InjectedBefore {
				injected = append(injected, h.Memory)
			}
			r.LeftOut = append(r.LeftOut, c)
			return true
		}
		room--
		return false
	})
	// Sort by what is known of each memory itself: whether its files changed and, where the words of a question decided,
	// its use.
	standing := rank.Standing{
		Now: ec.At, Use: ec.Settings.Use, Stale: func(mm mem.Memory) bool { return ec.Freshness(mm) != mem.Fresh },
	}
	if q.strict {
		standing.Use.Prompt = rank.NoUse
	}
	hits = standing.Order(hits)
	hits, cuts := rank.Diversify(hits, q.Most, e.lexicon, injected...)
	hits = rank.Distil(hits)
	if err := e.Histories(ctx, hits); err != nil {
		return nil, r, err
	}
	r.LeftOut = append(append(r.LeftOut, cuts...), rest...)
	return hits, r, nil
}

// asked completes a question's query and returns what its candidates are ranked by.
func (e *Service) asked(ec event.Context, q Question) (Question, rank.Ask) {
	q.Query.Project, q.Query.Within, q.Query.Before = ec.Project.Key, ec.Session, ec.CreatedBefore
	text := Unmarked(q.Asked)
	q.Query.Text, q.Query.Terms = text, rank.Terms(text)
	return q, rank.Ask{
		Text: text, Terms: q.Query.Terms, Files: q.Files, Branch: ec.Project.Branch, Now: ec.At,
		Back:    q.loose || rank.RefersBack(q.Asked),
		Profile: rank.ProfileOf(q.Asked), Near: ec.Settings.VectorFloor, Without: ec.DisabledFeatures,
	}
}

// examined is how many candidates are examined for each item that may be injected: their origin, and how similar they
// are. Memories of the file at hand are always examined.
const examined = 5

// Unmarked returns a text without the marks that replace secrets: a match of their words means nothing. A mark that was
// cut off, or typed, ends with its last letter.
func Unmarked(s string) string {
	const mark = "[secret:"
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(s, mark)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		b.WriteByte(' ')
		s = strings.TrimPrefix(strings.TrimLeft(rest, "abcdefghijklmnopqrstuvwxyz0123456789-:"), "]")
	}
}

// RecallWithin and BriefWithin bound the time of a recall and of a briefing. A hook client that waits longer gives up
// and delivers the event again. So after this time the event is stored and answered without an injection.
const (
	RecallWithin = 180 * time.Millisecond
	BriefWithin  = 700 * time.Millisecond
)

// Inherit gives a turn that no person began, such as a subagent's report, the lowest trust of the turns before it, and
// their privacy: it depends on what the subagent read and was asked.
func (e *Service) Inherit(ctx context.Context, ec event.Context) (event.Changes, error) {
	turns, err := e.Store.Turns(ctx, ec.Session, event.WholeSession)
	if err != nil {
		return event.Changes{}, fmt.Errorf("turns: %w", err)
	}
	if ec.PromptID == "" && len(turns) > 0 {
		ec.PromptID = turns[0].PromptID
	}
	var ch event.Changes
	for _, t := range turns {
		if t.Trust == mem.TrustNone {
			ch.Merge(event.Tainted())
		}
		ch.Turn.Private = ch.Turn.Private || t.Private
	}
	if ch.Turn.Private {
		ec.Text = ""
	}
	ch.Event = &ec.Event
	return ch, nil
}

// WithRules adds the project's conventions to the hits, unless they duplicate a hit. A new task has to follow them
// whether or not it names them.
func (e *Service) WithRules(ctx context.Context, ec event.Context, hits []mem.Hit, r *mem.Receipt) ([]mem.Hit, error) {
	rules, _, err := e.Recall(ctx, ec, Question{
		Trigger: "prompt", Most: ec.Settings.MaxMemories, strict: true,
		Query: mem.Query{Kinds: []mem.Kind{mem.Convention, mem.Preference}, Order: mem.ByImportance, Limit: 5},
	})
	if err != nil {
		return nil, err
	}
	for _, h := range rules {
		ofIt := func(c mem.LeftOutItem) bool { return c.ID == h.Memory.ID }
		cut := slices.IndexFunc(r.LeftOut, ofIt)
		if len(hits) >= ec.Settings.MaxMemories || extract.Contains(hits, h.Memory.ID) || cut >= 0 &&
			r.LeftOut[cut].Gate == "duplicate" {
			continue
		}
		hits, r.LeftOut = append(hits, h), slices.DeleteFunc(r.LeftOut, ofIt)
	}
	return hits, nil
}

// Skips reports whether the prompt needs no memory: it is trivial or short, and neither refers to the past nor names
// anything in the store.
func (e *Service) Skips(ctx context.Context, ec event.Context) (bool, error) {
	p := strings.TrimSpace(ec.Text)
	short := rank.Trivial(p) || len([]rune(p)) < ec.Settings.MinPromptChars && !strings.ContainsFunc(p, chars.Wide)
	if !short || rank.Courtesy(p) {
		return short, nil
	}
	if rank.RefersBack(p) {
		return false, nil
	}
	known, err := e.namesKnown(ctx, ec, p)
	return !known, err
}

// namesKnown reports whether a text names a file that memories are about, or a symbol or an error in one.
func (e *Service) namesKnown(ctx context.Context, ec event.Context, text string) (bool, error) {
	for _, name := range rank.Names(text) {
		q := mem.Query{Project: ec.Project.Key, Within: ec.Session, NotKinds: NotRecalled(), Limit: 1}
		q.File = e.Rel(ec.Project, name)
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

// FilesAtHand are the files the session touched last.
func (e *Service) FilesAtHand(ctx context.Context, ec event.Context) ([]string, error) {
	ms, err := e.Store.List(ctx, mem.Query{
		Session: ec.Session, Kinds: []mem.Kind{mem.Change}, Order: mem.ByUpdate,
		Limit: 5,
	})
	if err != nil {
		return nil, fmt.Errorf("files at hand: %w", err)
	}
	return extract.FilesOf(ms), nil
}

// QuotesBefore returns utterances of earlier conversations that match the prompt and add something to the memories
// found for it. What was left out is added to the receipt.
func (e *Service) QuotesBefore(ctx context.Context, ec event.Context, files []string, memories []mem.Hit,
	r *mem.Receipt,
) ([]mem.Hit, error) {
	most := ec.Settings.MaxChunks
	if most <= 0 {
		return nil, nil
	}
	hits, quotes, err := e.Recall(ctx, ec, Question{
		Trigger: promptTrigger, Asked: extract.Topic(ec.Text), Files: files, Most: 3 * most, // some of which are in view
		Query: mem.Query{Kinds: []mem.Kind{mem.Utterance}},
	})
	if err != nil {
		return nil, err
	}
	inView, err := e.inView(ctx, ec, hits)
	if err != nil {
		return nil, err
	}
	answers, err := e.answers(ctx, ec, hits)
	if err != nil {
		return nil, err
	}
	var out []mem.Hit
	forgotten := map[string][]string{} // lines, by session
	for _, h := range hits {
		s := h.Memory.Session
		if _, looked := forgotten[s]; !looked {
			if forgotten[s], err = e.forgottenOf(ctx, s); err != nil {
				return nil, err
			}
		}
		known, err := e.injectedOf(ctx, ec, h.Memory)
		if err != nil {
			return nil, err
		}
		pasted, err := e.pasted(ctx, ec, h.Memory)
		if err != nil {
			return nil, err
		}
		gate := ""
		switch {
		case inView(h.Memory):
			gate = "in_conversation"
		case event.ContainsAny(chars.Fold(h.Memory.Title+" "+h.Memory.Body), forgotten[s]):
			gate = "forgotten"
		case pasted:
			gate = event.Pasted
		case (!answers(h.Memory) || extract.ReportsCommit(h.Memory.Title)) &&
			!extract.Explains(cmp.Or(h.Memory.Body, h.Memory.Title)):
			gate = event.Narration
		case duplicates(append(known, memories...), h.Memory, quotes.Terms):
			gate = "duplicate"
		case len(out) == most:
			gate = "limit"
		}
		if gate == "" {
			out = append(out, h)
			continue
		}
		quotes.LeftOut = append(quotes.LeftOut, mem.LeftOutItem{
			ID: h.Memory.ID, Title: h.Memory.Title, Score: h.Score,
			Parts: h.Parts, Gate: gate,
		})
	}
	r.Candidates += quotes.Candidates
	r.LeftOut = append(r.LeftOut, quotes.LeftOut...)
	return out, nil
}

// forgottenOf returns the folded lines of a session's forgotten memories. Utterances that contain one are not quoted.
func (e *Service) forgottenOf(ctx context.Context, session string) ([]string, error) {
	ms, err := e.Store.List(ctx, mem.Query{
		Session: session, Hidden: true, HiddenBefore: e.Now().Add(time.Second),
		Within: "*", Limit: event.MaxTakenBack,
	})
	if err != nil {
		return nil, fmt.Errorf("what was forgotten of %s: %w", session, err)
	}
	var out []string
	for _, mm := range ms {
		out = append(out, mm.Traces()...)
	}
	return out, nil
}

// inView returns a function that reports whether an utterance is still in the agent's context: it is of the same
// session and younger than the last compaction, or, if there was none, of the session that this one was forked from.
func (e *Service) inView(ctx context.Context, ec event.Context, hits []mem.Hit) (func(mem.Memory) bool, error) {
	own := func(h mem.Hit) bool { return h.Memory.Session == ec.Session || forkedFrom(ec, h.Memory) }
	if !slices.ContainsFunc(hits, own) {
		return func(mem.Memory) bool { return false }, nil
	}
	events, err := e.Store.Events(ctx, mem.EventQuery{Session: ec.Session, Kinds: []mem.EventKind{
		mem.SessionStart,
		mem.PostCompact,
	}})
	if err != nil {
		return nil, fmt.Errorf("last compaction: %w", err)
	}
	var compacted time.Time
	for _, ev := range events { // newest first
		if compacted.IsZero() && (ev.Kind == mem.PostCompact || ev.Source == "compact") {
			compacted = ev.At
		}
	}
	return func(mm mem.Memory) bool {
		if forkedFrom(ec, mm) {
			return compacted.IsZero()
		}
		return mm.Session == ec.Session && !mm.Created.Before(compacted)
	}, nil
}

// answers returns a function that reports whether an utterance is of the person or of the last message of the agent in
// its turn. The messages before that one stand between tool calls.
func (e *Service) answers(ctx context.Context, ec event.Context, hits []mem.Hit) (func(mem.Memory) bool, error) {
	last := map[string]string{} // utterance, by turn
	for _, h := range hits {
		u := h.Memory
		turn := u.Session + "/" + u.Source.PromptID
		if _, known := last[turn]; known || u.Who == "user" || u.Source.PromptID == "" {
			continue
		}
		said, err := saidInTurn(ctx, e.Store, ec, u, mem.Newest)
		if err != nil {
			return nil, err
		}
		for _, o := range said {
			if o.Who != "user" {
				last[turn] = extract.UtteranceID(o)
				break
			}
		}
	}
	return func(u mem.Memory) bool {
		id, known := last[u.Session+"/"+u.Source.PromptID]
		return u.Who == "user" || !known || id == extract.UtteranceID(u)
	}, nil
}

// pasted reports whether an utterance is a piece of a message in which the person pasted a document or a program's
// output.
func (e *Service) pasted(ctx context.Context, ec event.Context, u mem.Memory) (bool, error) {
	if u.Who != "user" {
		return false, nil
	}
	pieces := []mem.Memory{u}
	if u.Source.PromptID != "" {
		said, err := saidInTurn(ctx, e.Store, ec, u, mem.Oldest) // a turn begins with the person's message
		if err != nil {
			return false, err
		}
		pieces = append(pieces, said...)
	}
	return slices.ContainsFunc(pieces, func(o mem.Memory) bool {
		return extract.UtteranceID(o) == extract.UtteranceID(u) && extract.Pasted(cmp.Or(o.Body, o.Title))
	}), nil
}

// saidInTurn returns the first utterances, in an order, of the turn of one.
func saidInTurn(ctx context.Context, st mem.Store, ec event.Context, u mem.Memory, order mem.Order) (
	[]mem.Memory, error,
) {
	said, err := st.List(ctx, mem.Query{
		Session: u.Session, PromptID: u.Source.PromptID, Kinds: []mem.Kind{mem.Utterance}, Within: ec.Session,
		Order: order, Limit: 20,
	})
	if err != nil {
		return nil, fmt.Errorf("messages of the turn of %s: %w", u.ID, err)
	}
	return said, nil
}

// forkedFrom reports whether an utterance is of the session that this one was forked from, before the fork.
func forkedFrom(ec event.Context, mm mem.Memory) bool {
	return ec.SessionInfo.Parent != "" && mm.Session == ec.SessionInfo.Parent && mm.Created.Before(ec.SessionInfo.Created)
}

// injectedOf returns the memories of an utterance's turn that were injected into the session since its last compaction.
func (e *Service) injectedOf(ctx context.Context, ec event.Context, u mem.Memory) ([]mem.Hit, error) {
	if len(ec.SessionInfo.Injected) == 0 || u.Source.PromptID == "" {
		return nil, nil
	}
	ms, err := e.Store.List(ctx, mem.Query{Session: u.Session, PromptID: u.Source.PromptID, Within: ec.Session, Limit: 50})
	if err != nil {
		return nil, fmt.Errorf("what else was made of the turn: %w", err)
	}
	var out []mem.Hit
	for _, mm := range ms {
		if ec.SessionInfo.Injected[mm.ID] {
			out = append(out, mem.Hit{Memory: mm})
		}
	}
	return out, nil
}

// duplicates reports whether memories already contain what an utterance does: one has most of its words, or those of
// the same turn match every term of the query that it matches.
func duplicates(memories []mem.Hit, u mem.Memory, terms []string) bool {
	words := rank.Terms(u.Title + "\n" + u.Body)
	left := met(words, terms)
	for _, h := range memories {
		text := rank.Terms(h.Memory.Title + "\n" + h.Memory.Body + "\n" + strings.Join(h.Memory.Facts, "\n"))
		if 10*len(met(words, text)) >= 9*len(words) {
			return true
		}
		if h.Memory.Session == u.Session && h.Memory.Source.PromptID == u.Source.PromptID {
			meets := met(text, terms)
			left = slices.DeleteFunc(left, func(t string) bool {
				return slices.ContainsFunc(meets, func(o string) bool { return Akin(t, o) })
			})
		}
	}
	return len(left) == 0 && len(memories) > 0
}

// met returns the words that are akin to one of the terms.
func met(words, terms []string) []string {
	var out []string
	for _, w := range words {
		if slices.ContainsFunc(terms, func(t string) bool { return Akin(w, t) }) {
			out = append(out, w)
		}
	}
	return out
}

// The length of a quotation, in characters, and of the text before it, in tokens.
const (
	quoteChars = inject.MaxQuote - 50
	leastQuote = 200
	quoteHead  = 15
)
