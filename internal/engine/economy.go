package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"
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
func (e *Engine) Economy(ctx context.Context, ask mem.EconomyAsk) (mem.Economy, error) {
	p, err := e.place(ctx, ask.Place)
	if err != nil {
		return mem.Economy{}, err
	}
	return e.economyOf(ctx, p, min(cmp.Or(max(ask.Days, 0), economyDays), maxEconomyDays))
}

// economyOf counts so many days of a project, or of all with an empty key.
func (e *Engine) economyOf(ctx context.Context, p mem.Project, n int) (mem.Economy, error) {
	c := counting{
		since: e.today().AddDate(0, 0, 1-n), at: map[string]int{}, used: map[string]mem.Memory{}, uses: map[string]int{}, dead: map[string]*mem.DeadItem{}, sessions: map[string]string{},
		out: mem.Economy{Project: p, Days: make([]mem.EconomyDay, n), Triggers: []string{}, Agents: map[string]int{}, Dead: []mem.DeadItem{}},
	}
	c.out.Since, c.out.Estimate.Formula = c.since, formula
	for i := range c.out.Days {
		c.out.Days[i] = mem.EconomyDay{Day: c.since.AddDate(0, 0, i).Format(time.DateOnly), Tokens: map[string]int{}}
		c.at[c.out.Days[i].Day] = i
	}
	for _, step := range []func(context.Context, *counting) error{e.countReads, e.countReceipts, e.countCalls, e.countModel} {
		if err := step(ctx, &c); err != nil {
			return mem.Economy{}, err
		}
	}
	c.sum()
	return c.out, nil
}

// counting is an Economy on its way.
type counting struct {
	out      mem.Economy
	since    time.Time
	at       map[string]int        // index of a day
	used     map[string]mem.Memory // as they are now, by id; zero if erased
	uses     map[string]int        // that answer a telling
	dead     map[string]*mem.DeadItem
	sessions map[string]string // that were told something, and the agent of each
}

// day is the day of a time, nil outside.
func (c *counting) day(t time.Time) *mem.EconomyDay {
	i, ok := c.at[t.Local().Format(time.DateOnly)]
	if !ok {
		return nil
	}
	return &c.out.Days[i]
}

// countReads takes the median of what reading a file costs.
func (e *Engine) countReads(ctx context.Context, c *counting) error {
	reads, err := e.Store.Events(ctx, mem.EventQuery{Kinds: []mem.EventKind{mem.PostToolUse}, Tool: "Read", Project: c.out.Project.Key, After: c.since, Limit: readsLooked})
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

// countReceipts goes through the receipts, newest first.
func (e *Engine) countReceipts(ctx context.Context, c *counting) error {
	const many = 500
	for from := 0; ; from += many {
		rs, err := e.Store.Receipts(ctx, mem.ReceiptQuery{Project: c.out.Project.Key, Limit: many, Offset: from})
		if err != nil {
			return fmt.Errorf("receipts: %w", err)
		}
		late := 0
		for _, r := range rs {
			day := c.day(r.At)
			if day == nil {
				late++ // one that was found later may stand among them
				continue
			}
			if err := e.countReceipt(ctx, c, day, r); err != nil {
				return err
			}
		}
		if len(rs) < many || late == many {
			return nil
		}
		if c.out.Cut = from+many >= mem.MaxEconomy; c.out.Cut {
			return nil
		}
	}
}

func (e *Engine) countReceipt(ctx context.Context, c *counting, day *mem.EconomyDay, r mem.Receipt) error {
	switch r.Outcome {
	case mem.Injected:
		day.Injected++
		day.Tokens[r.Trigger] += r.Tokens
		agent, err := e.agentOf(ctx, c, r.Session)
		if err != nil {
			return err
		}
		c.out.Agents[agent] += r.Tokens
	case mem.Abstained:
		day.Abstained++
	}
	for _, it := range r.Items {
		if it.Place == mem.PlaceIndex || len(it.ID) < 2 || it.ID[:2] != "m_" {
			continue
		}
		m, err := e.asItIs(ctx, c, it.ID)
		if err != nil {
			return err
		}
		c.out.Told++
		if m.LastUsed.After(r.At) && c.uses[it.ID] < m.Uses { // one use answers one telling, the newest
			c.uses[it.ID]++
			c.out.Used++
			if len(m.Files) > 0 {
				c.out.Estimate.Items++
				day.Avoided += c.out.Estimate.PerRead
			}
		}
		c.tellDead(m, it, r.At)
	}
	return nil
}

// agentOf is the agent of a session that was told something, "" if that is not
// known any more.
func (e *Engine) agentOf(ctx context.Context, c *counting, session string) (string, error) {
	agent, seen := c.sessions[session]
	if seen {
		return agent, nil
	}
	s, err := e.Store.Session(ctx, session)
	if err != nil && !isGone(err) {
		return "", fmt.Errorf("session %s: %w", session, err)
	}
	c.sessions[session] = s.Agent
	return s.Agent, nil
}

// asItIs is a memory as it is now, zero if it is erased.
func (e *Engine) asItIs(ctx context.Context, c *counting, id string) (mem.Memory, error) {
	if m, seen := c.used[id]; seen {
		return m, nil
	}
	m, err := e.one(ctx, id)
	if err != nil && !isGone(err) {
		return m, err
	}
	c.used[id] = m
	return m, nil
}

// tellDead counts what is told and was never used.
func (c *counting) tellDead(m mem.Memory, it mem.Told, at time.Time) {
	if m.ID == "" || m.Status != mem.Active || m.Uses > 0 || m.Prevented > 0 {
		return
	}
	d := c.dead[m.ID]
	if d == nil {
		d = &mem.DeadItem{ID: m.ID, Kind: m.Kind, Title: m.Title, Pinned: m.Pinned, Last: at}
		c.dead[m.ID] = d
	}
	d.Told++
	d.Tokens += it.Tokens
}

// countCalls counts what agents were answered by our tools.
func (e *Engine) countCalls(ctx context.Context, c *counting) error {
	calls, err := e.Store.Events(ctx, mem.EventQuery{Kinds: []mem.EventKind{mem.PostToolUse}, Tool: ownTools, Project: c.out.Project.Key, After: c.since, Limit: maxCalls})
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
func (e *Engine) countModel(ctx context.Context, c *counting) error {
	ledger, ok := e.Store.(mem.Ledger)
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

func (c *counting) sum() {
	t := mem.EconomyDay{Tokens: map[string]int{}}
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
	for _, d := range c.dead {
		if d.Told >= mem.DeadAfter {
			c.out.Dead = append(c.out.Dead, *d)
		}
	}
	slices.SortFunc(c.out.Dead, func(a, b mem.DeadItem) int {
		return cmp.Or(cmp.Compare(b.Told, a.Told), cmp.Compare(b.Tokens, a.Tokens), cmp.Compare(a.ID, b.ID))
	})
	c.out.Dead = c.out.Dead[:min(len(c.out.Dead), maxDeadItems)]
}
