package recall

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/inject"
	"remanence/internal/mem"
	"remanence/internal/rank"
)

// Inject renders a block and completes its receipt, also when nothing fits or nothing was found. The receipt holds the
// text.
func (e *Service) Inject(ec event.Context, b inject.Block, r mem.Receipt) mem.Receipt {
	b.Receipt, b.Boundary, b.Budget = r.ID, e.Boundary(ec.Session), r.Budget
	out := inject.Render(b)
	if r.ToSubagent = !ec.Person(); r.ToSubagent {
		for i := range r.Marks {
			r.Marks[i] = ec.AgentID + "/" + r.Marks[i]
		}
		for _, it := range out.Told {
			r.Marks = append(r.Marks, ec.AgentID+"/"+it.ID)
		}
	}
	r.Text, r.Tokens = out.Text, out.Tokens
	r.Items, r.LeftOut = out.Told, Foremost(append(r.LeftOut, out.Cuts...))
	Shorten(r)
	if r.Compaction != nil {
		for _, it := range out.Told {
			if it.Section == PlaceCompaction {
				r.Compaction.InjectedNow++
			}
		}
	}
	switch {
	case out.Text != "":
		r.Outcome = mem.Injected
	case r.Outcome == "":
		r.Outcome = mem.Nothing
	}
	r.TookMS = Ms1(e.Now().Sub(ec.Started))
	return r
}

// injected is the answer that an injection makes, and its receipt.
func injected(r mem.Receipt) (mem.Reply, event.Changes) {
	return mem.Reply{Context: r.Text}, event.Changes{Receipts: []mem.Receipt{r}}
}

// maxDropped is how many left-out items a receipt names.
const maxDropped = 20

// Foremost are those left-out items that a receipt names: before all what fits
// the question and was left out all the same, then what came next to fitting.
func Foremost(cuts []mem.LeftOutItem) []mem.LeftOutItem {
	slices.SortStableFunc(cuts, func(a, b mem.LeftOutItem) int { return cmp.Compare(unfit(a), unfit(b)) })
	return cuts[:min(len(cuts), maxDropped)]
}

// Shorten keeps four digits of what a receipt says of scores: more tell nobody
// anything, and would be a third of what receipts take.
func Shorten(r mem.Receipt) {
	short := func(score float64, parts map[string]float64) (float64, map[string]float64) {
		var out map[string]float64 // the parts are still in use
		if len(parts) > 0 {
			out = make(map[string]float64, len(parts))
		}
		for name, v := range parts {
			out[name] = math.Round(v*1e4) / 1e4
		}
		return math.Round(score*1e4) / 1e4, out
	}
	for i, it := range r.Items {
		r.Items[i].Score, r.Items[i].Parts = short(it.Score, it.Parts)
	}
	for i, c := range r.LeftOut {
		r.LeftOut[i].Score, r.LeftOut[i].Parts = short(c.Score, c.Parts)
	}
}

func unfit(c mem.LeftOutItem) int {
	if c.Required {
		return -1
	}
	if c.Gate == rank.BelowFloor {
		return 1
	}
	return 0
}

// ReceiptOf is the receipt of an event that was kept before, if it has one.
func (e *Service) ReceiptOf(ctx context.Context, ec event.Context) (mem.Receipt, bool) {
	rs, err := e.Store.Receipts(ctx, mem.ReceiptQuery{ID: event.ReceiptID(ec.ID)})
	if err != nil || len(rs) == 0 || rs[0].Event != ec.ID {
		return mem.Receipt{}, false
	}
	return rs[0], true
}

// Boundary marks the blocks of one session. Nobody without the machine's secret
// can foresee it.
func (e *Service) Boundary(session string) string {
	h := hmac.New(sha256.New, e.Secret)
	_, _ = h.Write([]byte(session))
	return hex.EncodeToString(h.Sum(nil)[:6])
}

// FileNotes injects what is known of a file that was just read or changed: once a
// session and file, again after a compaction.
func (e *Service) FileNotes(ctx context.Context, ec event.Context, file string, budget int) (mem.Reply, event.Changes,
	error,
) {
	mark := "file:" + file
	if file == "" || budget == 0 || ec.SessionInfo.Injected[mark] || !ec.Settings.Told(ec.SessionInfo) {
		return mem.Reply{}, event.Changes{}, nil
	}
	notes, err := e.notesOn(ctx, ec, file)
	if err != nil || len(notes) == 0 {
		return mem.Reply{}, event.Changes{}, err
	}
	r := ec.Receipt("file", budget)
	r.Query, r.Marks, r.Candidates = file, []string{mark}, len(notes)
	reply, ch := injected(e.Inject(ec, e.RecallBlock(ec, "file", notes), r))
	return reply, ch, nil
}

// notesOn finds notes on the file itself, and where there are none the
// conventions of its directory and of its kind.
func (e *Service) notesOn(ctx context.Context, ec event.Context, file string) ([]mem.Hit, error) {
	rules := []mem.Kind{mem.Convention, mem.Gotcha, mem.Decision}
	var out []mem.Hit
	for _, q := range []mem.Query{
		{File: file, Kinds: event.Knowledge(), Statuses: event.Findable(), Limit: 6},
		{File: otherForm(ec.Project, file), Kinds: event.Knowledge(), Statuses: event.Findable(), Limit: 6},
		{File: dirOf(file), Kinds: rules, Order: mem.ByImportance, Limit: 5},
		{File: extOf(file), Kinds: rules, Order: mem.ByImportance, Limit: 5},
	} {
		if q.File == "" {
			continue
		}
		hits, _, err := e.Recall(ctx, ec, Question{Trigger: "file", Query: q, Most: 3, strict: true})
		if err != nil {
			return nil, err
		}
		for _, h := range hits {
			if len(out) < 3 && !extract.Contains(out, h.Memory.ID) {
				out = append(out, h)
			}
		}
	}
	return out, nil
}

// otherForm is the absolute form of a file of the project: what was kept from
// elsewhere may name it so.
func otherForm(p mem.Project, file string) string {
	if p.Root == "" || path.IsAbs(file) || strings.Contains(file, ":") {
		return ""
	}
	return path.Join(extract.Slashed(p.Root), file)
}

func dirOf(file string) string {
	if i := strings.LastIndexByte(file, '/'); i > 0 {
		return file[:i+1]
	}
	return ""
}

func extOf(file string) string {
	base := file[strings.LastIndexByte(file, '/')+1:]
	if i := strings.LastIndexByte(base, '.'); i > 0 {
		return base[i:]
	}
	return ""
}

// CommandNotes tells how a command went before and what fixed it: first what is
// known of the very same command, else of one like it.
func (e *Service) CommandNotes(ctx context.Context, ec event.Context, c extract.Call) (mem.Reply, event.Changes,
	error,
) {
	budget := ec.Settings.Budgets.Bash
	if budget == 0 || c.Plain == "" || !ec.Settings.Told(ec.SessionInfo) {
		return mem.Reply{}, event.Changes{}, nil
	}
	kinds := []mem.Kind{mem.ErrorFix, mem.Gotcha, mem.Command}
	hits, r, err := e.Recall(ctx, ec, Question{
		Trigger: "command", Asked: c.Plain, Budget: budget, Most: 3, strict: true,
		Query: mem.Query{Command: c.Plain, Kinds: kinds, Statuses: event.Findable(), Limit: 6},
	})
	if err != nil {
		return mem.Reply{}, event.Changes{}, err
	}
	if len(hits) == 0 {
		_, message := extract.ExitOf(ec.Error)
		hits, r, err = e.Recall(ctx, ec, Question{
			Trigger: "command", Asked: c.Plain + "\n" + extract.ErrorLine(message), Budget: budget, Most: 2,
			Query: mem.Query{Kinds: kinds},
		})
		if err != nil {
			return mem.Reply{}, event.Changes{}, err
		}
	}
	reply, ch := injected(e.Inject(ec, e.RecallBlock(ec, "command", hits), r))
	return reply, ch, nil
}

// SubagentBrief tells a subagent what is known about its task.
func (e *Service) SubagentBrief(ctx context.Context, ec event.Context, launch extract.Call) (mem.Reply,
	event.Changes, error,
) {
	budget := ec.Settings.Budgets.Task
	if budget == 0 {
		return mem.Reply{}, event.Changes{}, nil
	}
	hits, r, err := e.Recall(ctx, ec, Question{
		Trigger: "subagent", Asked: launch.About + "\n" + launch.Prompt, Budget: budget, Most: 10, loose: true,
		Query: mem.Query{NotKinds: NotRecalled(), Scopes: []mem.Scope{mem.ScopeProject, mem.ScopeSession}},
	})
	if err != nil {
		return mem.Reply{}, event.Changes{}, err
	}
	slices.SortStableFunc(hits, func(a, b mem.Hit) int { // a brief is short: the weightiest is told first
		return cmp.Or(cmp.Compare(b.Memory.Importance, a.Memory.Importance), b.Memory.Updated.Compare(a.Memory.Updated))
	})
	b := e.RecallBlock(ec, "subagent", hits)
	b.Header = inject.HeadSubagent
	reply, ch := injected(e.Inject(ec, b, r))
	return reply, ch, nil
}

// NotRecalled are the kinds that are the raw stuff of memory, not worth telling.
func NotRecalled() []mem.Kind { return []mem.Kind{mem.Change, mem.Snapshot, mem.Scratch} }

// RecallBlock lays found memories out. Each says if its files are no longer the same.
func (e *Service) RecallBlock(ec event.Context, kind string, hits []mem.Hit) inject.Block {
	s := inject.Section{Name: "recall", Share: 100}
	for _, h := range hits {
		if item, ok := inject.Recall(h, ec.At, ec.Freshness(h.Memory)); ok {
			s.Items = append(s.Items, item)
		}
	}
	return inject.Block{Kind: kind, Header: inject.HeadMemory, Sections: []inject.Section{s}}
}

// Saying is what a briefing tells of a memory: of what is little trusted the title alone.
func Saying(mm mem.Memory) string {
	if mm.Trust < mem.TrustAssistant {
		return mm.Title + "\n"
	}
	return mm.Title + "\n" + strings.TrimPrefix(mm.Body, mm.Title)
}

// ToldLine says in one line what a session was told.
func ToldLine(r mem.Receipt) string {
	return fmt.Sprintf("remanence: told %s, %s tokens · remanence why %s", ItemsOf(len(r.Items)),
		chars.Thousands(r.Tokens), r.ID)
}

// ItemsOf returns a number of items in words: "1 item", "2 items".
func ItemsOf(n int) string {
	if n == 1 {
		return "1 item"
	}
	return fmt.Sprintf("%d items", n)
}
