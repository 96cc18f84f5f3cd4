package engine

import (
	"context"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"remanence/internal/mem"
	"remanence/internal/rank"
)

// Bounds of a digest.
const (
	maxStatements = 6   // memories made of one answer
	minStatement  = 20  // characters; shorter ones say too little
	maxStatement  = 400 // characters; longer ones are not statements
	leastAnswer   = 30  // characters; a shorter one, where nothing was done, makes no summary
	maxFindings   = 3   // memories made of a subagent's answer
)

// digest turns a finished turn into memories: the statements worth keeping in
// the assistant's words and in the person's, and a summary of the turn. It
// works by wording alone.
func (e *Engine) digest(ctx context.Context, m *moment) ([]mem.Memory, error) {
	own, err := e.Store.List(ctx, mem.Query{
		Project: m.project.Key, Session: m.Session, PromptID: m.PromptID,
		Kinds: []mem.Kind{mem.Change, mem.Command, mem.ErrorFix}, Order: mem.ByUpdate, Limit: 50,
	})
	if err != nil {
		return nil, fmt.Errorf("what the turn did: %w", err)
	}
	files := filesOf(own)
	var out []mem.Memory
	if m.turn.Number > 0 {
		out = append(out, asked(m)...)
	}
	out = append(out, stated(m, files, own)...)
	if s, ok := summarize(m, own); ok {
		out = append(out, s)
	}
	return out, nil
}

// asked keeps what the person laid down in a prompt.
func asked(m *moment) []mem.Memory {
	if len(m.turn.Text) > pasted {
		return nil
	}
	var out []mem.Memory
	for _, s := range sentences(m.turn.Text) {
		kind, ok := laidDown(s)
		if !ok || len(out) == 3 {
			continue
		}
		mm := m.newMemory(kind, mem.ScopeProject)
		mm.Title, mm.Body = statement(s)
		mm.Trust, mm.Origin, mm.Confidence = mem.TrustUser, mem.FromUserPrompt, ConfidenceUser
		mm.Tags = []string{"stated"}
		out = append(out, mm)
	}
	return out
}

// stated keeps what the assistant decided, found and left open.
func stated(m *moment, files []string, own []mem.Memory) []mem.Memory {
	var out []mem.Memory
	trust := worth(min(mem.TrustAssistant, m.turn.Trust), own)
	topics := topicsOf(m.turn.Text)
	for _, s := range sentences(m.Text) {
		if len(out) == maxStatements {
			break
		}
		kind, ok := meaning(s)
		named := namedIn(s, files)
		if !ok && len(named) > 0 && len(s) >= 2*minStatement && !narrates(s) {
			kind, ok = mem.FileNote, true
		}
		if !ok {
			continue
		}
		mm := m.newMemory(kind, mem.ScopeProject)
		mm.Title, mm.Body = statement(s)
		mm.Trust, mm.Origin = trust, mem.FromAssistant
		mm.Files, mm.Tags = named, []string{"digest"}
		mm.Resolved, mm.Concepts = kind != mem.Todo, topics
		if kind == mem.ErrorFix {
			mm.Command, mm.ExitCode = fixedCommand(own)
			if len(mm.Files) == 0 {
				mm.Files = files[:min(len(files), 3)]
			}
		}
		out = append(out, mm)
	}
	return out
}

// maxTopics is how many words a statement takes from the request it answers.
const maxTopics = 8

// topicsOf are words that say what a request was about. An answer does not say
// it again: "I settled on batches of 50."
func topicsOf(prompt string) []string {
	terms := rank.Terms(request(prompt))
	return terms[:min(len(terms), maxTopics)]
}

// summarize is the memory of the turn itself.
func summarize(m *moment, own []mem.Memory) (mem.Memory, bool) {
	if m.turn.Number == 0 || len(own) == 0 && utf8.RuneCountInString(strings.TrimSpace(m.Text)) < leastAnswer {
		return mem.Memory{}, false
	}
	mm := m.newMemory(mem.Summary, mem.ScopeProject)
	s := &mem.SummaryText{Request: mem.Clip(request(m.turn.Text), 200)}
	var done, tried []string
	for _, o := range own {
		switch o.Kind {
		case mem.Change:
			mm.Files = appendNew(mm.Files, o.Files[0], 8)
		case mem.Command:
			tried = append(tried, mem.Clip(o.Title, 120))
		case mem.ErrorFix:
			done = append(done, mem.Clip(o.Title, 120))
		}
	}
	mm.Modified = mm.Files
	if len(mm.Files) > 0 {
		done = append(done, "changed "+strings.Join(mm.Files, ", "))
	}
	said := sentences(m.Text)
	if len(said) > 0 {
		done = append([]string{mem.Clip(said[0], 200)}, done...)
	}
	var learned, next []string
	for _, x := range said {
		switch k, ok := meaning(x); {
		case ok && k == mem.Todo:
			next = append(next, mem.Clip(x, 160))
		case ok:
			learned = append(learned, mem.Clip(x, 160))
		}
	}
	s.Investigated = strings.Join(tried[:min(len(tried), 3)], "; ")
	s.Completed = strings.Join(done[:min(len(done), 4)], "; ")
	s.Learned = strings.Join(learned[:min(len(learned), 3)], " ")
	s.NextSteps = strings.Join(next[:min(len(next), 2)], " ")
	mm.Summary, mm.Title = s, mem.Clip(first(s.Request, s.Completed), 120)
	mm.Body = mem.Clip(s.Completed, maxStatement)
	mm.Trust, mm.Origin = worth(min(mem.TrustAssistant, m.turn.Trust), own), mem.FromAssistant
	mm.Tags, mm.Key = []string{"session-summary"}, "turn:"+first(m.PromptID, m.ID)
	return mm, mm.Title != ""
}

// findings keeps what a subagent reported: the statements that mean something
// first, else its opening words.
func findings(m *moment, about string) []mem.Memory {
	said := sentences(m.Text)
	var picked []string
	for _, s := range said {
		if _, ok := meaning(s); ok && len(picked) < maxFindings {
			picked = append(picked, s)
		}
	}
	if len(picked) == 0 && len(said) > 0 && len(said[0]) >= minStatement {
		picked = said[:1]
	}
	var out []mem.Memory
	for _, s := range picked {
		mm := m.newMemory(mem.Discovery, mem.ScopeSession)
		mm.Title, mm.Body = statement(s)
		mm.Trust, mm.Origin = min(mem.TrustAssistant, m.turn.Trust), mem.FromAssistant
		mm.Tags = []string{"subagent-discovery", autoCaptured}
		mm.Concepts = appendNew(nil, mem.Clip(mem.Line(about), 120), 1)
		out = append(out, mm)
	}
	return out
}

// statement splits a sentence into a title of at most 160 characters and, where
// it is longer, a body that holds all of it.
func statement(s string) (title, body string) {
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
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" `'\"(),;:", r) }) {
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
