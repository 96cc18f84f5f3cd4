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

// Bounds of the token accounting.
const (
	economyDays    = 30
	maxEconomyDays = 366
	maxCalls       = 20_000 // calls of our tools
	readsLooked    = 200    // newest reads, for the median
	maxDeadItems   = 100
)

// ownTools matches the names that agents give our MCP tools.
const ownTools = "mcp__*remanence*"

// triggers lists the triggers of receipts, in the order of a session.
func triggers() []string {
	return []string{"session_start", "resume", "prompt", "nudge", "file", "command", "subagent", "compact", "compaction"}
}

// formula describes how Estimate is computed.
const formula = "injected items that are about a file and were used afterwards × " +
	"median tokens of a file as agents read it here"

// Economy counts the tokens that memory cost in the days up to today, and how often it was used.
func (s *Service) Economy(ctx context.Context, req EconomyRequest) (EconomyResponse, error) {
	p, err := s.Event.Place(ctx, req.ProjectRef)
	if err != nil {
		return EconomyResponse{}, err
	}
	return s.economyOf(ctx, p, min(cmp.Or(max(req.Days, 0), economyDays), maxEconomyDays))
}

// economyOf counts the last n days of a project, or of all projects for an empty key.
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

// tally is an EconomyResponse in progress.
type tally struct {
	out        EconomyResponse
	since      time.Time
	at         map[string]int        // index of a day in out.Days
	known      map[string]mem.Memory // current state by ID; zero if erased
	uses       map[string]int        // uses already matched to an injection, by memory
	injections map[string]*DeadItem
	sessions   map[string]string // agent of each session with an injection
	byTrigger  map[string]*TriggerUse
}

// newTally returns an empty tally of the last n days.
func (s *Service) newTally(p mem.Project, n int) *tally {
	c := &tally{
		since:      s.Event.Today().AddDate(0, 0, 1-n),
		at:         map[string]int{},
		known:      map[string]mem.Memory{},
		uses:       map[string]int{},
		injections: map[string]*DeadItem{},
		sessions:   map[string]string{},
		byTrigger:  map[string]*TriggerUse{},
		out: EconomyResponse{
			Project: p, Days: make([]EconomyDay, n), Triggers: []string{}, ByTrigger: []TriggerUse{}, Agents: map[string]int{},
		},
	}
	c.out.Since, c.out.Estimate.Formula = c.since.UTC(), formula
	for i := range c.out.Days {
		c.out.Days[i] = EconomyDay{Day: c.since.AddDate(0, 0, i).Format(time.DateOnly), Tokens: map[string]int{}}
		c.at[c.out.Days[i].Day] = i
	}
	return c
}

// day returns the day of a time, or nil if it is not counted.
func (c *tally) day(t time.Time) *EconomyDay {
	i, ok := c.at[t.Local().Format(time.DateOnly)]
	if !ok {
		return nil
	}
	return &c.out.Days[i]
}

// countReads computes the median tokens of reading a file.
func (s *Service) countReads(ctx context.Context, c *tally) error {
	reads, err := s.Store.Events(ctx, mem.EventQuery{
		Kinds: []mem.EventKind{mem.PostToolUse}, Tool: mem.ToolRead, Project: c.out.Project.Key, After: c.since,
		Limit: readsLooked,
	})
	if err != nil {
		return fmt.Errorf("reads: %w", err)
	}
	var sizes []int
	for _, r := range reads {
		if r.ResponseTokens > 0 {
			sizes = append(sizes, r.ResponseTokens)
		}
	}
	if len(sizes) > 0 {
		slices.Sort(sizes)
		c.out.Estimate.PerRead, c.out.Estimate.Reads = sizes[len(sizes)/2], len(sizes)
	}
	return nil
}

// eachReceipts calls count with the receipts of the counted days in batches, newest first. An empty outcome is any.
func (s *Service) eachReceipts(
	ctx context.Context, c *tally, outcome mem.InjectionOutcome, count func([]mem.Receipt) error,
) error {
	const many = 500
	for from := 0; ; from += many {
		rs, err := s.Store.Receipts(ctx, mem.ReceiptQuery{
			Project: c.out.Project.Key, Outcome: outcome, Limit: many, Offset: from, Brief: true,
		})
		if err != nil {
			return fmt.Errorf("receipts: %w", err)
		}
		last := len(rs) < many
		rs = slices.DeleteFunc(
			rs,
			func(r mem.Receipt) bool { return c.day(r.At) == nil },
		) // a receipt added later may be out of order
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

// injectedMemories returns the memories whose text a receipt contains, without those only listed in
// the index.
func injectedMemories(r mem.Receipt) []mem.InjectedItem {
	return slices.DeleteFunc(slices.Clone(r.Items), func(it mem.InjectedItem) bool {
		return it.Section == mem.SectionIndex || !strings.HasPrefix(it.ID, "m_")
	})
}

func (s *Service) countReceipts(ctx context.Context, c *tally) error {
	return s.eachReceipts(ctx, c, "", func(rs []mem.Receipt) error {
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
	trigger := c.byTrigger[r.Trigger]
	if trigger == nil {
		trigger = &TriggerUse{Trigger: r.Trigger}
		c.byTrigger[r.Trigger] = trigger
	}
	for _, it := range injectedMemories(r) {
		m := c.known[it.ID]
		c.out.Injected++
		trigger.Injected++
		if m.LastUsed.After(r.At) && c.uses[it.ID] < m.Uses { // each use matches one injection, the newest
			c.uses[it.ID]++
			c.out.Used++
			trigger.Used++
			if len(m.Files) > 0 {
				c.out.Estimate.Items++
				day.Avoided += c.out.Estimate.PerRead
			}
		}
	}
	c.countInjections(r)
	return nil
}

// agentOf returns the agent of a session, or "" if the session is not known any more.
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

// loadMemories loads memories that are not loaded yet.
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

// countInjections counts the injections of each memory. Pass the newest receipts first.
func (c *tally) countInjections(r mem.Receipt) {
	for _, it := range injectedMemories(r) {
		d := c.injections[it.ID]
		if d == nil {
			d = &DeadItem{ID: it.ID, Last: r.At}
			c.injections[it.ID] = d
		}
		d.Injections++
		d.Tokens += it.Tokens
	}
}

// allInjections counts the injections of each memory of a project, or of all, over a year.
func allInjections(ctx context.Context, s *Service, p mem.Project) (*tally, error) {
	c := s.newTally(p, maxEconomyDays)
	err := s.eachReceipts(ctx, c, "", func(rs []mem.Receipt) error {
		for _, r := range rs {
			c.countInjections(r)
		}
		return nil
	})
	return c, err
}

// deadItems returns memories injected at least DeadAfter times and never used, most injected first.
func (s *Service) deadItems(ctx context.Context, c *tally) ([]DeadItem, error) {
	var often []string
	for id, d := range c.injections {
		if d.Injections >= DeadAfter {
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
		return cmp.Or(cmp.Compare(b.Injections, a.Injections), cmp.Compare(b.Tokens, a.Tokens), cmp.Compare(a.ID, b.ID))
	})
	return out[:min(len(out), maxDeadItems)], nil
}

// countCalls counts the calls of our tools and the tokens of their results.
func (s *Service) countCalls(ctx context.Context, c *tally) error {
	calls, err := s.Store.Events(
		ctx,
		mem.EventQuery{
			Kinds:   []mem.EventKind{mem.PostToolUse},
			Tool:    ownTools,
			Project: c.out.Project.Key,
			After:   c.since,
			Limit:   maxCalls,
		},
	)
	if err != nil {
		return fmt.Errorf("calls of our tools: %w", err)
	}
	for _, call := range calls {
		if day := c.day(call.At); day != nil {
			day.Calls++
			day.Results += call.ResponseTokens
		}
	}
	return nil
}

// countModel counts the tokens of models. They are not recorded by project.
func (s *Service) countModel(ctx context.Context, c *tally) error {
	for i := range c.out.Days {
		day := &c.out.Days[i]
		spent, err := s.Store.Spent(ctx, day.Day)
		if err != nil {
			return fmt.Errorf("spent tokens: %w", err)
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
		t.Injected += d.Injected
		t.Abstained += d.Abstained
		t.Results += d.Results
		t.Calls += d.Calls
		t.Model += d.Model
		t.Avoided += d.Avoided
	}
	for _, name := range triggers() {
		if t.Tokens[name] > 0 {
			c.out.Triggers = append(c.out.Triggers, name)
		}
		if u := c.byTrigger[name]; u != nil && u.Injected > 0 {
			c.out.ByTrigger = append(c.out.ByTrigger, *u)
		}
	}
	c.out.Total, c.out.Sessions, c.out.Estimate.Tokens = t, len(c.sessions), t.Avoided
}

// EconomyRequest asks what memory costs and whether it is used.
type EconomyRequest struct {
	mem.ProjectRef
	Days int `json:"days,omitempty"` // up to today; 0 means 30, at most 366
}

// EconomyResponse counts the tokens that memory cost and their use. Only Estimate is not measured.
type EconomyResponse struct {
	Project  mem.Project    `json:"project"`
	Since    time.Time      `json:"since"`
	Days     []EconomyDay   `json:"days"`          // oldest first, including empty days
	Triggers []string       `json:"triggers"`      // those that occur, in the order of a session
	Sessions int            `json:"sessions"`      // with an injection
	Agents   map[string]int `json:"agents"`        // tokens injected, by agent; "" for sessions not known any more
	Cut      bool           `json:"cut,omitempty"` // only the newest MaxEconomy receipts were counted

	Total    EconomyDay `json:"total"`    // of all days; its Day is empty
	Injected int        `json:"injected"` // injected items
	Used     int        `json:"used"`     // injected items that were used afterwards
	// ByTrigger splits Injected and Used, in the order of a session; triggers without an item are left out.
	ByTrigger   []TriggerUse `json:"by_trigger"`
	ToolsTokens int          `json:"tools_tokens"` // descriptions of our tools, per session of an agent that has them

	Estimate Estimate   `json:"estimate"`
	Dead     []DeadItem `json:"dead"` // most injected first
}

// TriggerUse counts the injected items of one trigger, and those that were used afterwards.
type TriggerUse struct {
	Trigger  string `json:"trigger"`
	Injected int    `json:"injected"`
	Used     int    `json:"used"`
}

// MaxEconomy bounds the receipts that are counted.
const MaxEconomy = 20_000

// EconomyDay counts one day in local time.
type EconomyDay struct {
	Day       string         `json:"day"`    // 2006-01-02
	Tokens    map[string]int `json:"tokens"` // injected, by trigger
	Injected  int            `json:"injected"`
	Abstained int            `json:"abstained"` // recalls without an injection
	Results   int            `json:"results"`   // tokens of the results of our tools
	Calls     int            `json:"calls"`     // of our tools
	Model     int            `json:"model"`     // tokens of the digest model, of all projects
	Avoided   int            `json:"avoided"`   // estimated tokens; see Estimate
}

// InjectedTokens returns the injected tokens of all triggers.
func (d EconomyDay) InjectedTokens() (n int) {
	for _, t := range d.Tokens {
		n += t
	}
	return n
}

// Estimate is the estimated number of tokens that memory saved agents from reading again.
type Estimate struct {
	Tokens  int    `json:"tokens"`
	Items   int    `json:"items"`    // injected items that were used and are about a file
	PerRead int    `json:"per_read"` // median tokens of a file as agents read it here
	Reads   int    `json:"reads"`    // sample size of the median
	Formula string `json:"formula"`
}

// DeadItem is a memory that is injected often and never used.
type DeadItem struct {
	ID         string    `json:"id"`
	Kind       mem.Kind  `json:"kind"`
	Title      string    `json:"title"`
	Pinned     bool      `json:"pinned"`
	Injections int       `json:"injections"`
	Tokens     int       `json:"tokens"` // of all injections
	Last       time.Time `json:"last"`
}

// DeadAfter is the number of injections without a use from which a memory is dead weight.
const DeadAfter = 6
