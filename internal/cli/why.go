package cli

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/mem"
	"remanence/internal/rank"
	"remanence/internal/views"
)

func (a *app) whyCommand() *cobra.Command {
	return &cobra.Command{
		Use:        "why [r_id | last]",
		SuggestFor: []string{"explain"},
		Short:      "what was told to the agent, why, and what was left out",
		Example:    "  remanence why\n  remanence why r_88c1\n  remanence why last --json",
		Args:       atMost(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.why(cmd, strings.Join(args, ""))
		},
	}
}

func (a *app) why(cmd *cobra.Command, id string) error {
	got, err := ask(cmd.Context(), a, api.Why, views.WhyRequest{Place: a.place(), ID: id})
	last := id == "" || id == "last"
	if last && errors.Is(err, mem.ErrNotFound) && a.flags.project == "" {
		got, err = views.WhyResponse{}, nil
	}
	if !last && errors.Is(err, mem.ErrNotFound) { // the id alone is looked for, in every project
		return faultNoID.about("no such receipt").because("nothing was told under the id %q", id).fixedBy("remanence why")
	}
	if err != nil {
		return a.noProject(err)
	}
	v := receiptOf("receipt", got.Receipt)
	v.become(got)
	return a.out.show(v)
}

// receiptView is a receipt: what was told, or would be.
type receiptView struct {
	ID           *string    `json:"id"` // null: nothing was ever told
	At           *time.Time `json:"at"`
	Session      *string    `json:"session"`
	SessionShort *string    `json:"session_short"`
	Trigger      string     `json:"trigger"`
	Outcome      string     `json:"outcome"`
	Asked        *string    `json:"asked"`
	Terms        []string   `json:"terms"` // of the question
	Candidates   int        `json:"candidates"`
	Floor        float64    `json:"floor"`
	Tokens       int        `json:"tokens"`
	Budget       int        `json:"budget"`
	TookMS       float64    `json:"took_ms"`
	Items        []toldItem `json:"items"`
	Dropped      []cutItem  `json:"dropped"`
	Text         string     `json:"text"`

	Compaction *mem.Compaction `json:"compaction"` // null: it is not the first prompt after one

	Weights mem.Weights `json:"weights"`
	Later   *laterItem  `json:"later"` // that told nothing; null: this is the newest

	name string
}

// laterItem is a newer receipt, of what was told nothing.
type laterItem struct {
	ID      string  `json:"id"`
	Trigger string  `json:"trigger"`
	Asked   *string `json:"asked"`
}

type toldItem struct {
	ID     string             `json:"id"`
	Rank   int                `json:"rank"`
	Kind   mem.Kind           `json:"kind"`
	Title  string             `json:"title"`
	Score  float64            `json:"score"`
	Parts  map[string]float64 `json:"parts"`
	Tokens int                `json:"tokens"`
	Place  *string            `json:"place"`
	Stale  *string            `json:"stale"` // changed, gone: its files when it was told
	Used   *bool              `json:"used"`  // null: not looked at
	State  *string            `json:"state"` // where the memory is not active any more
}

type cutItem struct {
	ID    string             `json:"id"`
	Title string             `json:"title"`
	Score float64            `json:"score"`
	Parts map[string]float64 `json:"parts"`
	Gate  string             `json:"gate"`
}

func receiptOf(name string, r mem.Receipt) receiptView {
	v := receiptView{
		ID: nullable(r.ID), At: moment(r.At), Session: nullable(r.Session), Trigger: r.Trigger, Outcome: r.Outcome, Asked: nullable(r.Asked),
		Candidates: r.Candidates, Floor: r.Floor, Tokens: r.Tokens, Budget: r.Budget, TookMS: r.TookMS,
		Items: []toldItem{}, Dropped: []cutItem{}, Text: r.Text, Compaction: r.Compaction, name: name, Terms: some(r.Terms),
		Weights: rank.Weights(),
	}
	if r.Session == "next" {
		v.Session = nil // there is none yet
	}
	for _, it := range r.Items {
		v.Items = append(v.Items, toldItem{
			ID: it.ID, Rank: it.Rank, Kind: it.Kind, Title: it.Title, Score: it.Score, Parts: it.Parts, Tokens: it.Tokens, Place: nullable(it.Place),
			Stale: nullable(string(it.Stale)),
		})
	}
	for _, c := range r.Dropped {
		v.Dropped = append(v.Dropped, cutItem{ID: c.ID, Title: c.Title, Score: c.Score, Parts: c.Parts, Gate: c.Gate})
	}
	return v
}

// become fills in what became of a receipt's items.
func (v *receiptView) become(got views.WhyResponse) {
	v.SessionShort = nullable(got.Short)
	for i := range v.Items {
		it := &v.Items[i]
		it.State = nullable(string(got.States[it.ID]))
		if strings.HasPrefix(it.ID, "m_") { // sessions of the index are not looked at
			used := got.Used[it.ID]
			it.Used = &used
		}
	}
	if got.Later != nil {
		v.Later = &laterItem{ID: got.Later.ID, Trigger: got.Later.Trigger, Asked: nullable(got.Later.Asked)}
	}
}

func (v receiptView) hints(p *printer) {
	if v.Later != nil {
		since, rest := "since then "+v.Later.Trigger, " was told nothing: remanence why "+v.Later.ID
		p.hint("%s%s%s", since, question(v.Later.Asked, p.width-len(since+rest)), rest)
	}
	if len(v.Items) == 0 {
		return
	}
	if id := v.lastMemory(); id != "" {
		p.hint("remove one: remanence forget %s", id)
	}
	if key := budgetKey(v.Trigger); key != "" {
		p.hint("less of this: remanence config set %s %d", key, v.Budget/2)
	}
}

// lastMemory is the last item that can be forgotten: sessions of the index can not.
func (v receiptView) lastMemory() string {
	for _, it := range slices.Backward(v.Items) {
		if strings.HasPrefix(it.ID, "m_") {
			return it.ID
		}
	}
	return ""
}

// budgetKey is the setting that bounds what a trigger tells.
func budgetKey(trigger string) string {
	switch trigger {
	case "session_start":
		return "hooks.session_start.token_budget"
	case "resume":
		return "hooks.resume.token_budget"
	case "compact":
		return "hooks.compact.token_budget"
	case "prompt", "compaction":
		return "hooks.user_prompt.token_budget"
	case "file":
		return "hooks.pre_read.token_budget"
	case "command":
		return "hooks.pre_bash.token_budget"
	case "subagent":
		return "hooks.pre_task.token_budget"
	}
	return ""
}
