package views

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/inject"
	"remanence/internal/mem"
	"remanence/internal/propose"
	"remanence/internal/rank"
)

// Bounds of one request.
const (
	DefaultSessions  = 3      // in which something was said or used before it is proposed
	maxProposed      = 20     // lines
	maxProposeRead   = 20_000 // memories
	proposePage      = 1000
	alikeClaims      = 0.4 // share of words of claims that are compared
	maxProposeDetail = 50  // sessions and memories of a line
)

// ProposeRequest asks which lines belong into a file of instructions, such as AGENTS.md.
type ProposeRequest struct {
	mem.ProjectRef
	File     string      `json:"file"` // its name
	Text     string      `json:"text"`
	With     []string    `json:"with,omitempty"`     // texts of files that agents read together with it
	Changed  []time.Time `json:"changed,omitempty"`  // when each line was committed; zero if that is unknown
	Sessions int         `json:"sessions,omitempty"` // least number of sessions; 0 means DefaultSessions
}

// ProposeResponse lists lines that the file lacks, and lines of it that something said later contradicts.
type ProposeResponse struct {
	File         string             `json:"file"`
	Sessions     int                `json:"sessions"` // least number of sessions
	Lines        []ProposedLine     `json:"lines"`
	Known        int                `json:"known"` // statements with enough evidence that the file has already
	LeftOut      []ProposalLeftOut  `json:"left_out"`
	Contradicted []ContradictedLine `json:"contradicted"`
}

// ProposeFileRequest asks which lines a project's file of instructions lacks; the file is read for it.
type ProposeFileRequest struct {
	mem.ProjectRef
	File     string `json:"file,omitempty"`     // relative to the project; empty means AGENTS.md or CLAUDE.md
	Sessions int    `json:"sessions,omitempty"` // least number of sessions; 0 means DefaultSessions
}

// ProposeFileResponse is a ProposeResponse with the change of the file. Nothing is written.
type ProposeFileResponse struct {
	ProposeResponse
	Project mem.Project `json:"project"`
	Diff    string      `json:"diff"`            // unified; empty without lines
	Apart   string      `json:"apart,omitempty"` // another such file, which agents do not read together with it
}

// Inserted returns the file's text with the lines.
func (r ProposeResponse) Inserted(text string) string {
	var lines []propose.Line
	for _, l := range r.Lines {
		lines = append(lines, propose.Line{Text: l.Text, Note: l.Note})
	}
	return propose.Insert(text, lines)
}

// Diff returns the change of the file's text in unified form; empty without lines.
func (r ProposeResponse) Diff(text string) string {
	return propose.Diff(r.File, text, r.Inserted(text))
}

// ProposedLine is a line with its evidence.
type ProposedLine struct {
	Text     string    `json:"text"`  // as it is inserted
	Note     string    `json:"note"`  // its evidence in a few words, inserted as a comment
	Basis    string    `json:"basis"` // BySaying or ByUse
	ID       string    `json:"id"`    // the memory whose text it is
	Kind     mem.Kind  `json:"kind"`
	Trust    mem.Trust `json:"trust"`
	Said     int       `json:"said"`     // times that the person said it; 0 for what an agent noted
	Injected int       `json:"injected"` // times
	Used     int       `json:"used"`     // times
	Sessions []string  `json:"sessions"` // short ids: where it was said, or used, oldest first
	Memories []string  `json:"memories"` // that say it
	First    time.Time `json:"first"`
	Last     time.Time `json:"last"`
}

// What a line is proposed for.
const (
	BySaying = "said" // in enough sessions
	ByUse    = "used" // injected often, and used in enough sessions
)

// ProposalLeftOut is a statement with enough evidence that is not proposed.
type ProposalLeftOut struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Why   string `json:"why"`          // secret, long, contradicted or disputed
	By    string `json:"by,omitempty"` // the memory that contradicts it
}

// ContradictedLine is a line of the file that something the person said later contradicts.
type ContradictedLine struct {
	Line      int       `json:"line"`
	Text      string    `json:"text"`
	Committed time.Time `json:"committed,omitzero"` // zero if that is unknown
	ID        string    `json:"id"`                 // of the memory
	Kind      mem.Kind  `json:"kind"`
	Title     string    `json:"title"`
	At        time.Time `json:"at"` // when it was said
}

// Propose returns the lines that a file of instructions lacks: what the person said in several sessions, and what was
// injected often and used in several. It writes nothing.
func (s *Service) Propose(ctx context.Context, req ProposeRequest) (ProposeResponse, error) {
	p, err := s.Event.Place(ctx, req.ProjectRef)
	if err != nil {
		return ProposeResponse{}, err
	}
	out := ProposeResponse{
		File: req.File, Sessions: cmp.Or(max(req.Sessions, 0), DefaultSessions), Lines: []ProposedLine{},
		LeftOut: []ProposalLeftOut{}, Contradicted: []ContradictedLine{},
	}
	c := &claims{Service: s, project: p, session: s.Event.Lookup(ctx), least: out.Sessions, picked: map[string]bool{}}
	if err := c.read(ctx); err != nil {
		return out, err
	}
	if c.injected, err = allInjections(ctx, s, p); err != nil {
		return out, err
	}
	docs := []propose.Doc{propose.Parse(req.Text)}
	for _, text := range req.With {
		docs = append(docs, propose.Parse(text))
	}
	found := c.said()
	found = append(found, c.used()...)
	for _, l := range found {
		c.put(&out, docs, l)
	}
	out.Contradicted = append(out.Contradicted, c.contradicted(docs[0], req.Changed)...)
	return out, nil
}

// claims are the statements of a project that may be proposed.
type claims struct {
	*Service
	project  mem.Project
	session  func(id string) mem.Session
	least    int // sessions
	list     []mem.Memory
	alike    [][]int // of each, which others are alike
	injected *tally
	picked   map[string]bool // memories whose statement is proposed or was looked at
}

// proposeKinds are the kinds that lay something down or say how things are.
func proposeKinds() []mem.Kind {
	var out []mem.Kind
	for _, k := range mem.Kinds() {
		if extract.CanConflict(k.Kind) {
			out = append(out, k.Kind)
		}
	}
	return out
}

// read reads the statements of the project, those of user scope only if they were made in it.
func (c *claims) read(ctx context.Context) error {
	for offset := 0; offset < maxProposeRead; offset += proposePage {
		ms, err := c.Store.List(ctx, mem.Query{
			Project: c.project.Key, Kinds: proposeKinds(), MinTrust: mem.TrustAssistant,
			Statuses: []mem.Status{mem.Active, mem.Archived, mem.Consolidated, mem.Promoted},
			Limit:    proposePage, Offset: offset,
		})
		if err != nil {
			return fmt.Errorf("statements: %w", err)
		}
		for _, m := range ms {
			if propose.IsTask(extract.ClaimOf(m)) {
				continue
			}
			if m.Scope == mem.ScopeProject || m.Scope == mem.ScopeUser && c.session(m.Session).Project == c.project.Key {
				c.list = append(c.list, m)
			}
		}
		if len(ms) < proposePage {
			break
		}
	}
	c.alike = make([][]int, len(c.list))
	for _, pair := range rank.Pairs(c.list, alikeClaims) {
		c.alike[pair.A], c.alike[pair.B] = append(c.alike[pair.A], pair.B), append(c.alike[pair.B], pair.A)
	}
	return nil
}

// candidate is a statement with enough evidence.
type candidate struct {
	at    int   // in the list
	same  []int // that say it, at among them
	basis string
}

// said returns what the person said in enough sessions, the longest statements first.
func (c *claims) said() []candidate {
	var out []candidate
	for i, m := range c.list {
		if m.Trust < mem.TrustUser || !alive(m) {
			continue
		}
		same := []int{i}
		for _, j := range c.alike[i] {
			if o := c.list[j]; o.Trust >= mem.TrustUser && propose.Covers(extract.ClaimOf(o), extract.ClaimOf(m)) {
				same = append(same, j)
			}
		}
		if len(c.sessionsOf(same)) >= c.least {
			out = append(out, candidate{i, same, BySaying})
		}
	}
	words := func(x candidate) int {
		return len(strings.Fields(propose.Claim(extract.ClaimOf(c.list[x.at]))))
	}
	slices.SortStableFunc(out, func(a, b candidate) int {
		return cmp.Or(words(b)-words(a), c.list[b.at].Created.Compare(c.list[a.at].Created))
	})
	var chosen []candidate
	for _, x := range out { // of statements that say the same, the longest and newest
		if !c.picked[c.list[x.at].ID] && !slices.ContainsFunc(chosen, func(o candidate) bool {
			return propose.Covers(extract.ClaimOf(c.list[o.at]), extract.ClaimOf(c.list[x.at]))
		}) {
			chosen = append(chosen, x)
			for _, j := range x.same {
				c.picked[c.list[j].ID] = true
			}
		}
	}
	slices.SortStableFunc(chosen, func(a, b candidate) int {
		return cmp.Or(len(c.sessionsOf(b.same))-len(c.sessionsOf(a.same)), len(b.same)-len(a.same))
	})
	return chosen
}

// used returns what was injected at least as often as it takes sessions, and used in so many, most used first. What
// the person said about all projects belongs into no file of one.
func (c *claims) used() []candidate {
	var out []candidate
	for i, m := range c.list {
		if !alive(m) || m.Scope != mem.ScopeProject || m.OfTeam() || !inject.Injectable(m) || c.picked[m.ID] {
			continue
		}
		if c.injections(m.ID) >= c.least && len(usedIn(m)) >= c.least {
			out = append(out, candidate{i, []int{i}, ByUse})
		}
	}
	slices.SortStableFunc(out, func(a, b candidate) int { return c.list[b.at].Uses - c.list[a.at].Uses })
	return out
}

func alive(m mem.Memory) bool { return m.Status == mem.Active || m.Status == mem.Archived }

func (c *claims) injections(id string) int {
	if d := c.injected.injections[id]; d != nil {
		return d.Injections
	}
	return 0
}

// usedIn returns the sessions of a memory's newest uses.
func usedIn(m mem.Memory) []string {
	var out []string
	for _, use := range m.UsedIn {
		if session := use.Session(); !slices.Contains(out, session) {
			out = append(out, session)
		}
	}
	return out
}

// sessionsOf returns the sessions in which memories were made, oldest first.
func (c *claims) sessionsOf(list []int) []string {
	first := map[string]time.Time{}
	for _, i := range list {
		m := c.list[i]
		if at, known := first[m.Session]; m.Session != "" && (!known || m.Created.Before(at)) {
			first[m.Session] = m.Created
		}
	}
	return slices.SortedFunc(maps.Keys(first), func(a, b string) int {
		return cmp.Or(first[a].Compare(first[b]), cmp.Compare(a, b))
	})
}

// put adds a statement to the answer, unless the files have it or it may not be in them.
func (c *claims) put(out *ProposeResponse, docs []propose.Doc, x candidate) {
	m := c.list[x.at]
	claim := extract.ClaimOf(m)
	leave := func(why, by string) {
		out.LeftOut = append(out.LeftOut, ProposalLeftOut{ID: m.ID, Title: m.Title, Why: why, By: by})
	}
	if slices.ContainsFunc(docs, func(d propose.Doc) bool { _, says := d.Says(claim); return says }) {
		out.Known++
		return
	}
	if slices.ContainsFunc(out.Lines, func(l ProposedLine) bool { return propose.Covers(l.Text, claim) }) ||
		len(out.Lines) == maxProposed {
		return
	}
	text, short := propose.Bullet(claim, m.Trust >= mem.TrustUser)
	switch later := c.later(x.at); {
	case c.Redactor.Text(claim) != claim || c.Redactor.Text(text) != text || strings.Contains(claim, "[secret:"):
		leave("secret", "")
	case m.Disputed():
		leave("disputed", "")
	case later != "":
		leave("contradicted", later)
	case !short:
		leave("long", "")
	default:
		out.Lines = append(out.Lines, c.line(x, text))
	}
}

// later returns the id of a memory of the person that contradicts one and is newer; empty if there is none.
func (c *claims) later(at int) string {
	m := c.list[at]
	for _, j := range c.alike[at] {
		if o := c.list[j]; o.Trust >= mem.TrustUser && alive(o) && o.Created.After(m.Created) &&
			propose.Contradicts(extract.ClaimOf(o), extract.ClaimOf(m)) {
			return o.ID
		}
	}
	return ""
}

// line describes the evidence of a statement.
func (c *claims) line(x candidate, text string) ProposedLine {
	m := c.list[x.at]
	l := ProposedLine{
		Text: text, Basis: x.basis, ID: m.ID, Kind: m.Kind, Trust: m.Trust, Sessions: []string{}, Memories: []string{},
		First: m.Created.UTC(), Last: m.Updated.UTC(),
	}
	said := map[[2]string]bool{}
	for _, i := range x.same {
		o := c.list[i]
		l.Injected += c.injections(o.ID)
		l.Used += o.Uses
		l.Memories = append(l.Memories, o.ID)
		if o.Trust >= mem.TrustUser {
			l.Said += o.Repeats
			said[[2]string{o.Session, cmp.Or(o.Source.PromptID, o.ID)}] = true
		}
		if o.Created.Before(l.First) {
			l.First = o.Created.UTC()
		}
	}
	l.Said += len(said)
	slices.Sort(l.Memories)
	sessions := c.sessionsOf(x.same)
	if x.basis == ByUse {
		sessions = usedIn(m)
		l.Last = m.LastUsed.UTC()
	}
	for _, id := range sessions {
		l.Sessions = append(l.Sessions, cmp.Or(c.session(id).Short, id))
	}
	days := l.First.Format(time.DateOnly)
	if last := l.Last.Format(time.DateOnly); last != days {
		days += " to " + last
	}
	l.Note = fmt.Sprintf("%s: said %s in %d sessions, %s", m.ID, counted(l.Said), len(sessions), days)
	if x.basis == ByUse {
		l.Note = fmt.Sprintf("%s: injected %s, used %s, %s", m.ID, counted(l.Injected), counted(l.Used), days)
	}
	l.Sessions = l.Sessions[:min(len(l.Sessions), maxProposeDetail)]
	l.Memories = l.Memories[:min(len(l.Memories), maxProposeDetail)]
	return l
}

func counted(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// contradicted returns the lines that a newer rule of the person's contradicts, each with the newest such rule.
func (c *claims) contradicted(d propose.Doc, changed []time.Time) []ContradictedLine {
	byLine := map[int]ContradictedLine{}
	for i, m := range c.list {
		if m.Trust < mem.TrustUser || !alive(m) || m.Disputed() || event.OfStateFile(m) ||
			!slices.Contains([]mem.Kind{mem.Decision, mem.Convention, mem.Preference}, m.Kind) {
			continue
		}
		for _, st := range d.Against(extract.ClaimOf(m)) {
			l := ContradictedLine{
				Line: st.Line, Text: st.Text, ID: m.ID, Kind: m.Kind, Title: m.Title, At: m.Created.UTC(),
			}
			if st.Line <= len(changed) {
				l.Committed = changed[st.Line-1].UTC()
			}
			if o, known := byLine[l.Line]; known && o.At.After(l.At) || l.Committed.After(l.At) || c.later(i) != "" {
				continue
			}
			byLine[l.Line] = l
		}
	}
	return slices.SortedFunc(maps.Values(byLine), func(a, b ContradictedLine) int { return a.Line - b.Line })
}
