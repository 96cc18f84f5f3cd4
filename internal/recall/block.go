package recall

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
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
		for _, it := range out.Injected {
			r.Marks = append(r.Marks, ec.AgentID+"/"+it.ID)
		}
	}
	r.Text, r.Tokens = out.Text, out.Tokens
	r.Items, r.LeftOut = out.Injected, Foremost(append(r.LeftOut, out.Cuts...))
	Shorten(r)
	if r.Compaction != nil {
		for _, it := range out.Injected {
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

// injected returns the reply of an injection, and the changes that store its receipt.
func injected(r mem.Receipt) (mem.Reply, event.Changes) {
	return mem.Reply{Context: r.Text}, event.Changes{Receipts: []mem.Receipt{r}}
}

// maxDropped is how many left-out items a receipt names.
const maxDropped = 20

// Foremost returns the left-out items that a receipt names: first those that were required, then those that reached
// the floor, then the others.
func Foremost(cuts []mem.LeftOutItem) []mem.LeftOutItem {
	slices.SortStableFunc(cuts, func(a, b mem.LeftOutItem) int { return cmp.Compare(unfit(a), unfit(b)) })
	return cuts[:min(len(cuts), maxDropped)]
}

// Shorten rounds the scores of a receipt to four digits. Further digits have no use, and would be a third of a
// receipt's size.
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

// ReceiptOf returns the receipt of an event that was stored before, if it has one.
func (e *Service) ReceiptOf(ctx context.Context, ec event.Context) (mem.Receipt, bool) {
	rs, err := e.Store.Receipts(ctx, mem.ReceiptQuery{ID: event.ReceiptID(ec.ID)})
	if err != nil || len(rs) == 0 || rs[0].Event != ec.ID {
		return mem.Receipt{}, false
	}
	return rs[0], true
}

// Boundary returns the marker of the blocks of one session. It cannot be predicted without the machine's secret.
func (e *Service) Boundary(session string) string {
	h := hmac.New(sha256.New, e.Secret)
	_, _ = h.Write([]byte(session))
	return hex.EncodeToString(h.Sum(nil)[:6])
}

// RecallBlock returns a block of the memories found. A memory whose files have changed since is marked.
func (e *Service) RecallBlock(ec event.Context, kind string, hits []mem.Hit) inject.Block {
	s := inject.Section{Name: "recall", Share: 100}
	for _, h := range hits {
		if item, ok := inject.Recall(h, ec.At, ec.Freshness(h.Memory)); ok {
			s.Items = append(s.Items, item)
		}
	}
	return inject.Block{Kind: kind, Header: inject.HeadMemory, Sections: []inject.Section{s}}
}

// PromptBlock returns the block of a prompt: the memories found, then quotes of the conversation. Quotes that are not
// allowed in it are added to the receipt.
func (e *Service) PromptBlock(ec event.Context, hits []mem.Hit, r *mem.Receipt) inject.Block {
	var memories, said []mem.Hit
	for _, h := range hits {
		if h.Memory.Kind == mem.Utterance {
			said = append(said, h)
		} else {
			memories = append(memories, h)
		}
	}
	b := e.RecallBlock(ec, "recall", memories)
	b.Sections = append(b.Sections, quotes(b, said, r))
	return b
}

// BriefText returns the text of a memory in a briefing. Of a memory with low trust it is the title alone.
func BriefText(mm mem.Memory) string {
	if mm.Trust < mem.TrustAssistant {
		return mm.Title + "\n"
	}
	return mm.Title + "\n" + strings.TrimPrefix(mm.Body, mm.Title)
}

// ItemsOf returns a number of items in words: "1 item", "2 items".
func ItemsOf(n int) string {
	if n == 1 {
		return "1 item"
	}
	return fmt.Sprintf("%d items", n)
}

// Above puts a directive to the agent before an injected block.
func Above(directive, block string) string {
	if directive == "" || block == "" {
		return directive + block
	}
	return directive + "\n\n" + block
}

// quotes returns the section of quotes. Of each utterance it holds the passage that matches the query, within the
// budget that the memories of the block leave.
func quotes(b inject.Block, said []mem.Hit, r *mem.Receipt) inject.Section {
	s := inject.Section{Name: "said"}
	left := r.Budget - chars.Tokens(b.Header+"\n")
	for _, part := range b.Sections {
		for _, item := range part.Items {
			left -= chars.Tokens("- " + item.Text + "\n")
		}
	}
	for _, h := range said {
		text := cmp.Or(h.Memory.Body, h.Memory.Title)
		if h.Memory.Who != "user" {
			whole := text
			if text = extract.WithoutNarration(text); text == "" || 2*meets(text, r.Terms) < meets(whole, r.Terms) {
				r.LeftOut = append(r.LeftOut, mem.LeftOutItem{
					ID: h.Memory.ID, Title: h.Memory.Title, Score: h.Score, Parts: h.Parts, Gate: event.Narration,
				})
				continue
			}
		}
		piece := Passage(text, r.Terms, quoteChars)
		if room := left - quoteHead; chars.Tokens(piece) > room {
			piece = Passage(piece, r.Terms, max(leastQuote, len([]rune(piece))*max(0, room)/max(1, chars.Tokens(piece))))
		}
		item, ok := inject.Quote(h, piece)
		if !ok {
			r.LeftOut = append(r.LeftOut, mem.LeftOutItem{
				ID: h.Memory.ID, Title: h.Memory.Title, Score: h.Score, Parts: h.Parts,
				Gate: "trust",
			})
			continue
		}
		s.Items = append(s.Items, item)
		left -= chars.Tokens("> " + item.Text + "\n")
	}
	return s
}
