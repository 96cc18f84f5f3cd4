package views

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"remanence/internal/mem"
)

// Bounds of a look at what memory costs.
const (
	economyDays    = 30
	maxEconomyDays = 366
	maxCalls       = 20_000 // of our tools
	readsLooked    = 200    // newest, for the median
	maxDeadItems   = 100
)

// ownTools are the tools of ours as agents name them.
const ownTools = "mcp__*remanence*"

// triggers are those of receipts, in the order of a session.
func triggers() []string {
	return []string{"session_start", "resume", "prompt", "nudge", "file", "command", "subagent", "compact", "compaction"}
}

// formula is how Estimate is made.
const formula = "items told that are about a file and were used afterwards × median tokens of a file as agents read it here"

// Economy counts what memory cost in the days up to today, and what came of it.
func (s *Service) Economy(ctx context.Context, req EconomyRequest) (EconomyResponse, error) {
	p, err := s.Event.Place(ctx, req.Place)
	if err != nil {
		return EconomyResponse{}, err
	}
	return s.economyOf(ctx, p, min(cmp.Or(max(req.Days, 0), economyDays), maxEconomyDays))
}

// economyOf counts so many days of a project, or of all with an empty key.
func (s *Service) economyOf(ctx context.Context, p mem.Project, n int) (EconomyResponse, error) {
	c := s.newTally(p, n)
	for _, step := range []func(context.Context, *tally) error{s.countReads, s.countReceipts, s.countCalls, s.countModel} {
		if err := step(ctx, c); err != nil {
			return EconomyResponse{}, err
		}
	}
	var err error
	if c.out.Dead, err = s.deadItems(ctx, c); err != nil {
		return EconomyResponse{}, err
	}
	c.sum()
	return c.out, nil
}

// counting is an Economy on its way.
type tally struct {
	out        EconomyResponse
	since      time.Time
	at         map[string]int        // index of a day
	known      map[string]mem.Memory // as they are now, by id; zero if erased
	uses       map[string]int        // that answer a telling
	injections map[string]*DeadItem
	sessions   map[string]string // that were told something, and the agent of each
}

// counting begins so many days.
func (s *Service) newTally(p mem.Project, n int) *tally {
	c := &tally{
		since: s.Event.Today().AddDate(0, 0, 1-n), at: map[string]int{}, known: map[string]mem.Memory{}, uses: map[string]int{}, injections: map[string]*DeadItem{}, sessions: map[string]string{},
		out: EconomyResponse{Project: p, Days: make([]EconomyDay, n), Triggers: []string{}, Agents: map[string]int{}},
	}
	c.out.Since, c.out.Estimate.Formula = c.since, formula
	for i := range c.out.Days {
		c.out.Days[i] = EconomyDay{Day: c.since.AddDate(0, 0, i).Format(time.DateOnly), Tokens: map[string]int{}}
		c.at[c.out.Days[i].Day] = i
	}
	return c
}

// day is the day of a time, nil outside.
func (c *tally) day(t time.Time) *EconomyDay {
	i, ok := c.at[t.Local().Format(time.DateOnly)]
	if !ok {
		return nil
	}
	return &c.out.Days[i]
}

// countReads takes the median of what reading a file costs.
func (s *Service) countReads(ctx context.Context, c *tally) error {
	reads, err := s.Store.Events(ctx, mem.EventQuery{Kinds: []mem.EventKind{mem.PostToolUse}, Tool: "Read", Project: c.out.Project.Key, After: c.since, Limit: readsLooked})
	if err != nil {
		return fmt.Errorf("reads: %w", err)
	}
	var sizes []int
	for _, r := range reads {
		if r.Weight > 0 {
			sizes = append(sizes, r.Weight)
		}
	}
	if len(sizes) > 0 {
		slices.Sort(sizes)
		c.out.Estimate.PerRead, c.out.Estimate.Reads = sizes[len(sizes)/2], len(sizes)
	}
	return nil
}

// receiptsOf gives out the receipts of the days that are counted, newest first.
func (s *Service) eachReceipts(ctx context.Context, c *tally, count func([]mem.Receipt) error) error {
	const many = 500
	for from := 0; ; from += many {
		rs, err := s.Store.Receipts(ctx, mem.ReceiptQuery{Project: c.out.Project.Key, Limit: many, Offset: from, Brief: true})
		if err != nil {
			return fmt.Errorf("receipts: %w", err)
		}
		last := len(rs) < many
		rs = slices.DeleteFunc(rs, func(r mem.Receipt) bool { return c.day(r.At) == nil }) // one that was found later may stand among them
		if err := count(rs); err != nil {
			return err
		}
		if last || len(rs) == 0 {
			return nil
		}
		if c.out.Cut = from+many >= MaxEconomy; c.out.Cut {
			return nil
		}
	}
}

// toldBy are the memories that a receipt told, without those it only listed.
func injectedMemories(r mem.Receipt) []mem.InjectedItem {
	return slices.DeleteFunc(slices.Clone(r.Items), func(it mem.InjectedItem) bool {
		return it.Place == mem.PlaceIndex || !strings.HasPrefix(it.ID, "m_")
	})
}

func (s *Service) countReceipts(ctx context.Context, c *tally) error {
	return s.eachReceipts(ctx, c, func(rs []mem.Receipt) error {
		var ids []string
		for _, r := range rs {
			for _, it := range injectedMemories(r) {
				ids = append(ids, it.ID)
			}
		}
		if err := s.loadMemories(ctx, c, ids); err != nil {
			return err
		}
		for _, r := range rs {
			if err := s.countReceipt(ctx, c, r); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *Service) countReceipt(ctx context.Context, c *tally, r mem.Receipt) error {
	day := c.day(r.At)
	switch r.Outcome {
	case mem.Injected:
		day.Injected++
		day.Tokens[r.Trigger] += r.Tokens
		agent, err := s.agentOf(ctx, c, r.Session)
		if err != nil {
			return err
		}
		c.out.Agents[agent] += r.Tokens
	case mem.Abstained:
		day.Abstained++
	}
	for _, it := range injectedMemories(r) {
		m := c.known[it.ID]
		c.out.Told++
		if m.LastUsed.After(r.At) && c.uses[it.ID] < m.Uses { // one use answers one telling, the newest
			c.uses[it.ID]++
			c.out.Used++
			if len(m.Files) > 0 {
				c.out.Estimate.Items++
				day.Avoided += c.out.Estimate.PerRead
			}
		}
	}
	c.countInjections(r)
	return nil
}

// agentOf is the agent of a session that was told something, "" if that is not
// known any more.
func (s *Service) agentOf(ctx context.Context, c *tally, session string) (string, error) {
	agent, seen := c.sessions[session]
	if seen {
		return agent, nil
	}
	sess, err := s.Store.Session(ctx, session)
	if err != nil && !errors.Is(err, mem.ErrNotFound) {
		return "", fmt.Errorf("session %s: %w", session, err)
	}
	c.sessions[session] = sess.Agent
	return sess.Agent, nil
}

// know looks up memories that were not looked up before.
func (s *Service) loadMemories(ctx context.Context, c *tally, ids []string) error {
	var others []string
	for _, id := range ids {
		if _, known := c.known[id]; !known {
			c.known[id], others = mem.Memory{}, append(others, id)
		}
	}
	found, err := s.Recall.ByID(ctx, others)
	maps.Copy(c.known, found)
	return err
}

// tell counts how often memories were told, and when last: the newest comes first.
func (c *tally) countInjections(r mem.Receipt) {
	for _, it := range injectedMemories(r) {
		d := c.injections[it.ID]
		if d == nil {
			d = &DeadItem{ID: it.ID, Last: r.At}
			c.injections[it.ID] = d
		}
		d.Told++
		d.Tokens += it.Tokens
	}
}

// deadOf are the memories that were told again and again and never used, those
// told most first.
func (s *Service) deadItems(ctx context.Context, c *tally) ([]DeadItem, error) {
	var often []string
	for id, d := range c.injections {
		if d.Told >= DeadAfter {
			often = append(often, id)
		}
	}
	if err := s.loadMemories(ctx, c, often); err != nil {
		return nil, err
	}
	out := []DeadItem{}
	for _, id := range often {
		if m, d := c.known[id], c.injections[id]; m.Status == mem.Active && m.Uses == 0 && m.Prevented == 0 {
			d.Kind, d.Title, d.Pinned = m.Kind, m.Title, m.Pinned
			out = append(out, *d)
		}
	}
	slices.SortStableFunc(out, func(a, b DeadItem) int {
		return cmp.Or(cmp.Compare(b.Told, a.Told), cmp.Compare(b.Tokens, a.Tokens), cmp.Compare(a.ID, b.ID))
	})
	return out[:min(len(out), maxDeadItems)], nil
}

// countCalls counts what agents were answered by our tools.
func (s *Service) countCalls(ctx context.Context, c *tally) error {
	calls, err := s.Store.Events(ctx, mem.EventQuery{Kinds: []mem.EventKind{mem.PostToolUse}, Tool: ownTools, Project: c.out.Project.Key, After: c.since, Limit: maxCalls})
	if err != nil {
		return fmt.Errorf("calls of our tools: %w", err)
	}
	for _, call := range calls {
		if day := c.day(call.At); day != nil {
			day.Calls++
			day.Results += call.Weight
		}
	}
	return nil
}

// countModel counts what models were asked for. Nobody counts that by project.
func (s *Service) countModel(ctx context.Context, c *tally) error {
	ledger, ok := s.Store.(mem.SpendStore)
	if !ok {
		return nil
	}
	for i := range c.out.Days {
		day := &c.out.Days[i]
		spent, err := ledger.Spent(ctx, day.Day)
		if err != nil {
			return fmt.Errorf("what was spent: %w", err)
		}
		day.Model = spent.Tokens
	}
	return nil
}

func (c *tally) sum() {
	t := EconomyDay{Tokens: map[string]int{}}
	for _, d := range c.out.Days {
		for name, n := range d.Tokens {
			t.Tokens[name] += n
		}
		t.Injected, t.Abstained, t.Results, t.Calls = t.Injected+d.Injected, t.Abstained+d.Abstained, t.Results+d.Results, t.Calls+d.Calls
		t.Model, t.Avoided = t.Model+d.Model, t.Avoided+d.Avoided
	}
	for _, name := range triggers() {
		if t.Tokens[name] > 0 {
			c.out.Triggers = append(c.out.Triggers, name)
		}
	}
	c.out.Total, c.out.Sessions, c.out.Estimate.Tokens = t, len(c.sessions), t.Avoided
}

// ReceiptsAsk asks for receipts, newest first, a page at a time.
type ReceiptsRequest struct {
	mem.Place
	Session string `json:"session,omitempty"` // the agent's id, a short id or a unique prefix
	Trigger string `json:"trigger,omitempty"` // exact
	Outcome string `json:"outcome,omitempty"` // exact
	Memory  string `json:"memory,omitempty"`  // only receipts that told it
	Offset  int    `json:"offset,omitempty"`
	Limit   int    `json:"limit,omitempty"` // 0 means 50; at most 200
}

// ReceiptList is a page of receipts.
type ReceiptsResponse struct {
	Project  mem.Project  `json:"project"`
	Receipts []ReceiptRow `json:"receipts"`
	More     bool         `json:"more"` // there are older ones
}

// ReceiptLine is a receipt at a glance.
type ReceiptRow struct {
	ID         string    `json:"id"`
	At         time.Time `json:"at"`
	Session    string    `json:"session"`       // the agent's id
	Short      string    `json:"session_short"` // empty if the session is not known any more
	Project    string    `json:"project"`       // its name
	Trigger    string    `json:"trigger"`
	Asked      string    `json:"asked"`
	Outcome    string    `json:"outcome"`
	Candidates int       `json:"candidates"`
	Told       int       `json:"told"` // items
	LeftOut    int       `json:"left_out"`
	Tokens     int       `json:"tokens"`
	Budget     int       `json:"budget"`
	TookMS     float64   `json:"took_ms"`
	Floor      float64   `json:"floor"`
	Best       float64   `json:"best"` // the most of the question that an item below the floor covers, 0…1
}

// EconomyAsk asks what memory costs and whether it is used.
type EconomyRequest struct {
	mem.Place
	Days int `json:"days,omitempty"` // up to today; 0 means 30, at most 366
}

// Economy is what memory costs in tokens, and what came of it. All of it is
// counted but for Estimate.
type EconomyResponse struct {
	Project  mem.Project    `json:"project"`
	Since    time.Time      `json:"since"`
	Days     []EconomyDay   `json:"days"`          // oldest first, every day
	Triggers []string       `json:"triggers"`      // that occur, in the order of a session
	Sessions int            `json:"sessions"`      // that were told something
	Agents   map[string]int `json:"agents"`        // tokens told to each; under "" of sessions that are not known any more
	Cut      bool           `json:"cut,omitempty"` // only the newest MaxEconomy receipts were counted

	Total       EconomyDay `json:"total"`        // of all days; its Day is empty
	Told        int        `json:"told"`         // times an item was told
	Used        int        `json:"used"`         // of them, those followed by a use of the item
	ToolsTokens int        `json:"tools_tokens"` // descriptions of our tools, once a session of an agent that has them

	Estimate Estimate   `json:"estimate"`
	Dead     []DeadItem `json:"dead"` // most told first
}

// MaxEconomy is how many receipts are counted at most.
const MaxEconomy = 20_000

// EconomyDay is one day, where the person is.
type EconomyDay struct {
	Day       string         `json:"day"`    // 2006-01-02
	Tokens    map[string]int `json:"tokens"` // told, by trigger
	Injected  int            `json:"injected"`
	Abstained int            `json:"abstained"` // asked, and nothing told
	Results   int            `json:"results"`   // tokens of the answers of our tools
	Calls     int            `json:"calls"`     // of our tools
	Model     int            `json:"model"`     // tokens of a model that digests turns; of all projects
	Avoided   int            `json:"avoided"`   // an estimate, see Estimate
}

// Told is how many tokens were told, by all triggers.
func (d EconomyDay) Told() (n int) {
	for _, t := range d.Tokens {
		n += t
	}
	return n
}

// Estimate is what nobody can measure: what would have been read again.
type Estimate struct {
	Tokens  int    `json:"tokens"`
	Items   int    `json:"items"`    // that were told, used, and are about a file
	PerRead int    `json:"per_read"` // median tokens of a file as agents read it here
	Reads   int    `json:"reads"`    // that the median was taken of
	Formula string `json:"formula"`
}

// DeadItem is a memory that is told again and again and never used.
type DeadItem struct {
	ID     string    `json:"id"`
	Kind   mem.Kind  `json:"kind"`
	Title  string    `json:"title"`
	Pinned bool      `json:"pinned"`
	Told   int       `json:"told"`
	Tokens int       `json:"tokens"` // of all times
	Last   time.Time `json:"last"`
}

// DeadAfter is how often a memory is told without any use before it is dead weight.
const DeadAfter = 6

// FilesAsk asks which files memories are about.
type FilesRequest struct {
	mem.Place
	Under string `json:"under,omitempty"` // only files below this folder
	Limit int    `json:"limit,omitempty"` // 0 means 300; at most 2000
}

// FileTree are the files that memories are about, most memories first.
type FileTree struct {
	Project mem.Project    `json:"project"`
	Files   []mem.FileLine `json:"files"`
	Total   int            `json:"total"` // files, those beyond the limit too
}

// FileAsk asks for one file.
type FileRequest struct {
	mem.Place
	Path string `json:"path"`
}

// FilePage is what is known of one file.
type FilePage struct {
	Project  mem.Project              `json:"project"`
	Path     string                   `json:"path"`
	Memories []mem.Memory             `json:"memories"` // newest first, at most 200
	Sessions []mem.Session            `json:"sessions"` // that learned of it or changed it, last active first
	Stale    map[string]mem.Freshness `json:"stale"`    // of memories that are tied to it, by id
}

// Fleet is where the work of every project stands, last active first.
type OverviewResponse struct {
	At       time.Time     `json:"at"`
	Projects []OverviewRow `json:"projects"`
}

// FleetItem is one project.
type OverviewRow struct {
	Standing mem.Standing `json:"standing"`
	Memories int          `json:"memories"`
	Sessions int          `json:"sessions"`
	Stale    bool         `json:"stale"` // nothing was heard of it for StaleAfter
}

// StaleAfter is the silence after which a project counts as stale.
const StaleAfter = 7 * 24 * time.Hour

// WhatIfAsk asks what a receipt would have told with another budget or floor.
type WhatIfRequest struct {
	ID     string   `json:"id"`
	Budget *int     `json:"budget,omitempty"` // tokens; nil means as it was
	Floor  *float64 `json:"floor,omitempty"`  // 0…1; nil means as it was
}

// WhatIf is what a receipt would have told. Nothing of it is kept.
type WhatIfResponse struct {
	Receipt mem.Receipt `json:"receipt"` // its Text is as the memories are worded today
	Added   []string    `json:"added"`   // ids that were left out and would be told
	Lost    []string    `json:"lost"`    // ids that were told and would not be
	Basis   string      `json:"basis"`   // BasisReceipt or BasisNow
}

// What a WhatIf was made from.
const (
	BasisReceipt = "receipt" // what that receipt names, told and left out
	BasisNow     = "now"     // a briefing as it would be made now
)
