package engine

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"remanence/internal/mem"
	"remanence/internal/rank"
)

// Bounds of a digest.
const (
	maxStatements = 6   // memories made of one answer
	minStatement  = 20  // characters; shorter ones say too little
	maxStatement  = 400 // characters; longer ones are not statements
	leastAnswer   = 30  // characters; a shorter one, where nothing was done, makes no summary
	leastTalk     = 200 // likewise, where nothing was said that is kept either
	maxFindings   = 3   // memories made of a subagent's answer
	maxFinding    = 600 // characters of one: 150 tokens
	maxAsked      = 3   // memories made of one prompt
	maxChanges    = 3   // of a fix, that it names
	shortAbout    = 60  // characters of a request that a statement is completed with
)

// madeOfWords tags what was made of the assistant's words, and stated of the person's.
const (
	madeOfWords = "digest"
	stated      = "stated"
)

// digest turns a finished turn into memories: the statements worth keeping in
// the assistant's words and in the person's, and a summary of the turn. It works
// by wording alone. What is settled by the turn goes into the moment's batch.
func (e *Engine) digest(ctx context.Context, m *moment) ([]mem.Memory, error) {
	own, err := e.Store.List(ctx, mem.Query{
		Project: m.project.Key, Session: m.Session, PromptID: m.PromptID,
		Kinds: []mem.Kind{mem.Change, mem.Command, mem.ErrorFix}, Order: mem.ByUpdate, Limit: 50,
	})
	if err != nil {
		return nil, fmt.Errorf("what the turn did: %w", err)
	}
	var out []mem.Memory
	if m.turn.Number > 0 {
		if out, err = e.asked(ctx, m); err != nil {
			return nil, err
		}
	}
	said := statements(m.Text)
	found := concluded(m, workOf(m, own), said, own)
	mm, edits, ok, err := e.chosen(ctx, m, own)
	if err != nil {
		return nil, err
	}
	if m.batch.Edits = append(m.batch.Edits, edits...); ok && !slices.ContainsFunc(found, func(f mem.Memory) bool { return f.Kind == mem.Decision }) {
		found = append(found, mm)
	}
	k, err := e.knownToSession(ctx, m)
	if err != nil {
		return nil, err
	}
	out = k.joined(m, append(out, found...))
	m.batch.Edits = append(m.batch.Edits, append(k.settled(m, said, own), k.restated(out)...)...)
	if err := e.dropForbidden(ctx, m, own); err != nil {
		return nil, err
	}
	s, ok, err := e.summarize(ctx, m, own, found)
	if ok {
		out = append(out, s)
	}
	return out, err
}

// asked keeps what the person laid down in a prompt, and what they had to say twice.
func (e *Engine) asked(ctx context.Context, m *moment) ([]mem.Memory, error) {
	if len(m.turn.Text) > pasted {
		return nil, nil
	}
	var out []mem.Memory
	keep := func(kind mem.Kind, s string) {
		if len(out) == maxAsked {
			return
		}
		mm := m.newMemory(kind, mem.ScopeProject)
		mm.Title, mm.Body = titled(s)
		mm.Trust, mm.Origin, mm.Confidence = mem.TrustUser, mem.FromUserPrompt, ConfidenceUser
		mm.Tags, mm.Files = []string{stated}, namedIn(s, nil)
		out = append(out, mm)
	}
	all := sentences(m.turn.Text)
	for i, s := range all {
		told := behindNo(s)
		if i > 0 && pointsBack(cueText(told)) {
			if _, ok := laidDown(behindNo(all[i-1])); !ok && !asks(all[i-1]) {
				keep(mem.Fact, all[i-1])
			}
		} else if kind, ok := laidDown(told); ok {
			keep(kind, told)
		} else if l := cueText(told); told != s && !asks(told) && holds(l, " we don't use ", " we do not use ") && !holds(l, " this ", " that ", " it ", " yet ") {
			keep(mem.Convention, told)
		}
	}
	for _, s := range corrections(m.turn.Text) {
		again, err := e.correctedBefore(ctx, m, s)
		if err != nil {
			return nil, err
		}
		if again {
			keep(mem.Preference, s)
		}
	}
	return out, nil
}

// How far back a correction is looked for, to see whether it is a habit.
const (
	correctedTurns    = 50 // of the session
	correctedSessions = 5  // of the project
)

// correctedBefore reports whether the person asked for the same in another prompt.
func (e *Engine) correctedBefore(ctx context.Context, m *moment, s string) (bool, error) {
	ids := []string{m.Session}
	ss, err := e.Store.Sessions(ctx, mem.SessionQuery{Project: m.project.Key, Limit: correctedSessions})
	if err != nil {
		return false, fmt.Errorf("earlier sessions: %w", err)
	}
	for _, one := range ss {
		ids = appendNew(ids, one.ID, correctedSessions+1)
	}
	for _, id := range ids {
		turns, err := e.Store.Turns(ctx, id, correctedTurns)
		if err != nil {
			return false, fmt.Errorf("earlier prompts: %w", err)
		}
		for _, t := range turns {
			if t.PromptID == m.PromptID && id == m.Session || t.Number == 0 || t.Private || len(t.Text) > pasted {
				continue
			}
			if slices.ContainsFunc(corrections(t.Text), func(c string) bool { return saidAgain(c, s) }) {
				return true, nil
			}
		}
	}
	return false, nil
}

// workOf is what the turn did, as far as it bears on what its words mean.
func workOf(m *moment, own []mem.Memory) turnOfWork {
	w := turnOfWork{files: filesOf(own), reported: len(m.turn.Text) <= pasted && complains(m.turn.Text)}
	w.trouble = w.reported
	for _, o := range own {
		w.trouble = w.trouble || o.Kind == mem.ErrorFix || o.Kind == mem.Command && o.ExitCode != 0
		w.solved = w.solved || o.Kind == mem.ErrorFix
	}
	return w
}

// concluded keeps what the assistant decided, found and left open.
func concluded(m *moment, w turnOfWork, all []said, own []mem.Memory) []mem.Memory {
	trust := worth(min(mem.TrustAssistant, m.turn.Trust), own)
	topics := topicsOf(m.turn.Text)
	var out []mem.Memory
	for _, p := range w.points(all) {
		mm := m.newMemory(p.kind, mem.ScopeProject)
		mm.Title, mm.Body = p.titled(m.turn.Text)
		mm.Trust, mm.Origin = trust, mem.FromAssistant
		mm.Files, mm.Tags = namedIn(mm.Title+" "+mm.Body, w.files), []string{madeOfWords}
		mm.Resolved, mm.Concepts = p.kind != mem.Todo, topics
		if p.kind == mem.ErrorFix {
			mm = solution(mm, w.files, own)
		}
		out = append(out, mm)
	}
	return out
}

// solution completes the cause of a problem with what is known of it: the
// command that failed, and what was changed.
func solution(mm mem.Memory, files []string, own []mem.Memory) mem.Memory {
	mm.Command, mm.ExitCode = fixedCommand(own)
	if len(mm.Files) == 0 {
		mm.Files = files[:min(len(files), maxChanges)]
	}
	for _, o := range own {
		if o.Kind != mem.Change || len(mm.Facts) == maxChanges || len(o.Files) == 0 || !slices.Contains(mm.Files, o.Files[0]) {
			continue
		}
		mm.Facts = append(mm.Facts, o.Title)
		mm.Modified = appendNew(mm.Modified, o.Files[0], maxChanges)
	}
	return mm
}

// point is a statement that is kept, and as what.
type point struct {
	said
	kind mem.Kind
	at   int // its place in the text
	gist gist
}

// mostOf is how many statements of a kind are kept of one answer.
func mostOf(k mem.Kind) int {
	switch k {
	case mem.Todo:
		return 5
	case mem.Decision, mem.Gotcha:
		return 3
	}
	return 2
}

// points are the statements of an answer that are worth keeping, in its order:
// each once, the weightier ones where there are too many.
func (w turnOfWork) points(all []said) []point {
	var out []point
	count := map[mem.Kind]int{}
	add := func(k mem.Kind, s said, at int) {
		if count[k] == mostOf(k) {
			return
		}
		g := gistOf(s.text)
		if !slices.ContainsFunc(out, func(p point) bool { return p.text == s.text || p.gist.same(g) }) {
			count[k]++
			out = append(out, point{s, k, at, g})
		}
	}
	named := slices.ContainsFunc(all, func(s said) bool { return names(s) && !s.doubt })
	for i, s := range all {
		if k, ok := w.meaning(s); ok && (k != mem.ErrorFix || !named && count[k] == 0 || names(s)) {
			add(k, s, i)
		}
	}
	for i, s := range all { // nothing says what it was: what speaks of the code does
		if count[mem.ErrorFix] == 0 && w.tells(s) {
			add(mem.ErrorFix, s, i)
		}
	}
	out = once(out)
	slices.SortStableFunc(out, func(a, b point) int { return cmp.Compare(b.weight(), a.weight()) })
	out = out[:min(len(out), maxStatements)]
	slices.SortStableFunc(out, func(a, b point) int { return a.at - b.at })
	return out
}

func (p point) weight() float64 {
	info, _ := p.kind.Info()
	return info.Importance
}

// once leaves out, of a statement that is told with the one before it and that
// one, the lighter.
func once(points []point) []point {
	gone := map[int]bool{}
	for i, p := range points {
		if i == 0 || points[i-1].text != p.before || !p.leans() {
			continue
		}
		if p.weight() >= points[i-1].weight() {
			gone[i-1] = true
		} else {
			gone[i] = true
		}
	}
	var out []point
	for i, p := range points {
		if !gone[i] {
			out = append(out, p)
		}
	}
	return out
}

// leans reports whether a statement begins with a word that points back, or is too
// short to explain something by itself.
func (p point) leans() bool {
	return p.kind == mem.ErrorFix && p.before != "" && breadth(p.text) < 2*minStatement || begins(p.bare, "it ", "it's ", "its ", "this ", "that ", "that's ", "they ", "these ", "those ", "both ", "so ", "fixed by ", "fixed with ", "fixed it", "solved by ", "resolved by ", "caused by ", "es ", "das ", "dies ", "sie ", "il ", "elle ", "cela ", "c'est ", "ça ", "eso ", "esto ", "lo ", "ello ", "それ", "这", "它")
}

// titled is the statement as title and body. One that leans on another is told
// with that, or with what was asked for, as is a bare figure.
func (p point) titled(prompt string) (title, body string) {
	p.text = withoutApology(p.text)
	leans := p.leans()
	if !leans && (p.kind != mem.Discovery || breadth(p.text) >= 3*minStatement) {
		return titled(p.text)
	}
	if leans && p.before != "" && !asks(p.before) && len([]rune(p.before))+len([]rune(p.text)) < maxStatement {
		return titled(p.before + " " + p.text)
	}
	if about := mem.Clip(request(prompt), shortAbout); about != "" {
		return titled(p.text + " (on: " + about + ")")
	}
	return titled(p.text)
}

// maxTopics is how many words a statement takes from the request it answers.
const maxTopics = 8

// topicsOf are words that say what a request was about. An answer does not say
// it again: "I settled on batches of 50."
func topicsOf(prompt string) []string {
	terms := rank.Terms(request(prompt))
	return terms[:min(len(terms), maxTopics)]
}

// findings keeps what a subagent reported: the statements that mean something
// first, else its opening words.
func findings(m *moment, about string) []mem.Memory {
	w := turnOfWork{trouble: true}
	all := statements(m.Text)
	picked := w.points(all)
	for i, s := range all {
		if len(picked) < maxFindings && w.observes(s) && !slices.ContainsFunc(picked, func(p point) bool { return p.text == s.text }) {
			picked = append(picked, point{said: s, kind: mem.FileNote, at: i})
		}
	}
	if len(picked) == 0 && len(all) > 0 && len(all[0].text) >= minStatement {
		picked = []point{{said: all[0]}}
	}
	var out []mem.Memory
	for _, p := range picked[:min(len(picked), maxFindings)] {
		mm := m.newMemory(mem.Discovery, mem.ScopeSession)
		mm.Title, mm.Body = p.titled(about)
		mm.Body = mem.Clip(mm.Body, maxFinding-len(mm.Title))
		mm.Trust, mm.Origin = min(mem.TrustAssistant, m.turn.Trust), mem.FromAssistant
		mm.Files = namedIn(p.text, nil)
		mm.Tags = []string{"subagent-discovery", findingTag(p.kind, mm.Files)}
		mm.Concepts = appendNew(nil, mem.Clip(mem.Line(about), 120), 1)
		out = append(out, mm)
	}
	return out
}

// findingTag sorts a finding: what was wrong, what is about a file, the rest.
func findingTag(k mem.Kind, files []string) string {
	switch {
	case k == mem.ErrorFix:
		return "debugging"
	case len(files) > 0:
		return "file-note"
	}
	return autoCaptured
}

// titled splits a sentence into a title of at most 160 characters and, where it
// is longer, a body that holds all of it.
func titled(s string) (title, body string) {
	s = mem.Line(s)
	if title = mem.Clip(s, 160); title != s {
		body = mem.Clip(s, maxStatement)
	}
	return title, body
}

func filesOf(own []mem.Memory) []string {
	var files []string
	for _, o := range own {
		for _, f := range o.Files {
			files = appendNew(files, f, maxFiles)
		}
	}
	return files
}

// namedIn lists the files whose path or base name the sentence holds, and the
// paths it spells out itself.
func namedIn(s string, files []string) []string {
	var out []string
	for _, f := range files {
		if strings.Contains(s, f) || strings.Contains(s, path.Base(f)) {
			out = appendNew(out, f, 3)
		}
	}
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" `'\"(),;:。，、", r) }) {
		w = strings.TrimRight(w, ".!?")
		ext := path.Ext(w)
		known := false
		for _, f := range out {
			known = known || f == w || path.Base(f) == w
		}
		if !known && strings.Contains(w, "/") && len(ext) > 1 && len(ext) < 6 && !strings.Contains(w, "://") && !strings.HasPrefix(w, "/") {
			out = appendNew(out, path.Clean(w), 3)
		}
	}
	return out
}

func fixedCommand(own []mem.Memory) (string, int) {
	for _, o := range own {
		if o.Kind == mem.ErrorFix {
			return o.Command, o.ExitCode
		}
	}
	return "", 0
}
