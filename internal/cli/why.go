package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/mem"
	"remanence/internal/rank"
)

func (a *app) whyCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "why [r_id | last]",
		Short:   "what was told to the agent, why, and what was left out",
		Example: "  remanence why\n  remanence why r_88c1\n  remanence why last --json",
		Args:    atMost(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.why(cmd, strings.Join(args, ""))
		},
	}
}

func (a *app) why(cmd *cobra.Command, id string) error {
	got, err := ask(cmd.Context(), a, api.Why, mem.WhyAsk{Place: a.place(), ID: id})
	last := id == "" || id == "last"
	if last && errors.Is(err, mem.ErrNotFound) && a.flags.project == "" {
		got, err = mem.Explained{}, nil
	}
	if err != nil {
		return a.noProject(err)
	}
	v := receiptOf("receipt", got.Receipt)
	v.SessionShort = nullable(got.Short)
	for i := range v.Items {
		if s := got.States[v.Items[i].ID]; s != "" {
			state := string(s)
			v.Items[i].State = &state
		}
	}
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
	Candidates   int        `json:"candidates"`
	Floor        float64    `json:"floor"`
	Tokens       int        `json:"tokens"`
	Budget       int        `json:"budget"`
	TookMS       float64    `json:"took_ms"`
	Items        []toldItem `json:"items"`
	Dropped      []cutItem  `json:"dropped"`
	Text         string     `json:"text"`

	name string
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
		Items: []toldItem{}, Dropped: []cutItem{}, Text: r.Text, name: name,
	}
	if name == "next" {
		v.Session = nil // there is none yet
	}
	for _, it := range r.Items {
		v.Items = append(v.Items, toldItem{
			ID: it.ID, Rank: it.Rank, Kind: it.Kind, Title: it.Title, Score: it.Score, Parts: it.Parts, Tokens: it.Tokens, Place: nullable(it.Place),
		})
	}
	for _, c := range r.Dropped {
		v.Dropped = append(v.Dropped, cutItem{ID: c.ID, Title: c.Title, Score: c.Score, Parts: c.Parts, Gate: c.Gate})
	}
	return v
}

func (v receiptView) schema() string { return v.name }

func (v receiptView) human(p *printer) {
	if v.ID == nil {
		p.line("Nothing has been told here yet. What would be told: remanence next")
		return
	}
	v.head(p)
	v.items(p)
	for _, line := range v.leftOut() {
		p.line("%s", line)
	}
	v.hints(p)
}

func (v receiptView) head(p *printer) {
	when := ""
	if v.At != nil {
		when = " · " + at(*v.At, p.now())
	}
	asked := ""
	if v.Asked != nil {
		asked = fmt.Sprintf(" %q", clip(oneLine(*v.Asked), 60))
	}
	p.line("%s%s · %s%s · %d of %s · %d/%d tokens · %.0f ms", p.style(bold, *v.ID), when, v.Trigger, asked,
		len(v.Items), plural(v.Candidates, "candidate", "candidates"), v.Tokens, v.Budget, v.TookMS)
	switch v.Outcome {
	case mem.Abstained:
		p.line("  abstained: nothing had enough in common with what was asked")
	case mem.Nothing:
		p.line("  nothing to tell")
	}
}

func (v receiptView) items(p *printer) {
	cols := []column{{name: "rank", right: true}, {name: "id"}, {name: "kind", drop: 2}, {name: "score", drop: 3, right: true}, {name: "title", flex: true}, {name: "parts", drop: 4}, {name: "now"}}
	rows := make([][]string, 0, len(v.Items))
	for _, it := range v.Items {
		state := ""
		if it.State != nil {
			state = "now " + *it.State
		}
		rows = append(rows, []string{
			fmt.Sprintf("  %d", it.Rank), it.ID, string(it.Kind), fmt.Sprintf("%.2f", it.Score), oneLine(it.Title), parts(it.Parts), state,
		})
	}
	p.table(cols, rows)
}

// leftOut names what was not told, by the rule that cut it.
func (v receiptView) leftOut() []string {
	var gates []string
	by := map[string][]string{}
	for _, d := range v.Dropped {
		if by[d.Gate] == nil {
			gates = append(gates, d.Gate)
		}
		item := fmt.Sprintf("%s %.2f", d.ID, d.Score)
		if d.Gate == belowFloor {
			item = fmt.Sprintf("%s %.2f with %.0f", d.ID, d.Parts[rank.PartCoverage], d.Parts[rank.PartTelling])
		}
		by[d.Gate] = append(by[d.Gate], item)
	}
	slices.Sort(gates)
	var out []string
	for _, g := range gates {
		out = append(out, "left out, "+v.gate(g)+": "+strings.Join(by[g], " · "))
	}
	return out
}

// belowFloor is the gate that looks at the part of the question that a memory
// covers, not at its score.
const belowFloor = "below_floor"

// gate says in words why something was left out.
func (v receiptView) gate(g string) string {
	switch g {
	case belowFloor:
		return fmt.Sprintf("too little of the question (needs %.2f of it with 2 telling words)", v.Floor)
	case "budget":
		return "no room in the budget"
	case "already_told":
		return "told to this session before"
	case "trust":
		return "not trusted enough to be told unasked"
	case "duplicate":
		return "says the same as another"
	case "limit":
		return "enough without it"
	}
	return strings.ReplaceAll(g, "_", " ")
}

func (v receiptView) hints(p *printer) {
	if len(v.Items) == 0 {
		return
	}
	key := budgetKey(v.Trigger)
	less := ""
	if key != "" {
		less = fmt.Sprintf(" · less of this: remanence config set %s %d", key, v.Budget/2)
	}
	if id := v.lastMemory(); id != "" {
		p.hint("remove one: remanence forget %s%s", id, less)
	} else if less != "" {
		p.line("%s", strings.TrimPrefix(less, " · "))
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
	case "prompt":
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
