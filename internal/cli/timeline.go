package cli

import (
	"strings"
	"time"

	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/views"
)

// defaultAround is how many entries of a timeline are shown on each side.
const defaultAround = 10

func (a *app) timelineCommand() *cobra.Command {
	var q views.TimelineRequest
	cmd := &cobra.Command{
		Use:        "timeline [id | file | date]",
		SuggestFor: []string{"log", "history"},
		Short:      "what was learned around a memory, a session, a file or a day",
		Example:    "  remanence timeline m_7k2q\n  remanence timeline internal/net/retry.go\n  remanence timeline yesterday --around 5",
		Args:       atMost(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if q.Around < 1 {
				return faultInput.about("--around has to be 1 or more")
			}
			q.Place, q.Anchor = a.place(), anchor(strings.Join(args, ""), a.sys.Now())
			if _, err := time.Parse(time.DateOnly, q.Anchor); err != nil { // else it is a day
				q.Anchor = a.fromHere(q.Anchor)
			}
			return a.timeline(cmd, q)
		},
	}
	cmd.Flags().IntVar(&q.Around, "around", defaultAround, "entries on each side")
	cmd.Flags().StringVar(&q.Session, "session", "", "only of this session")
	cmd.ValidArgsFunction = a.completeIDs
	return cmd
}

// anchor makes a day of what a person calls a time; ids and files stay.
func anchor(s string, now time.Time) string {
	if s == "" || strings.ContainsAny(s, "/\\_.") {
		return s
	}
	if t, _, err := span(s, now); err == nil {
		return t.Local().Format("2006-01-02")
	}
	return s
}

func (a *app) timeline(cmd *cobra.Command, q views.TimelineRequest) error {
	got, err := ask(cmd.Context(), a, api.Timeline, q)
	if err != nil {
		return err
	}
	v := timelineView{Asked: nullable(q.Anchor), Anchor: nullable(got.Anchor), Total: len(got.Entries), More: got.More, Entries: []entry{}, further: "--around ", around: q.Around}
	if cmd.Name() != "timeline" {
		v.further = "remanence timeline " + q.Anchor + " --around "
	}
	for _, m := range got.Entries {
		v.Entries = append(v.Entries, entry{ID: m.ID, At: moment(m.At), Session: nullable(m.Session), What: m.What, Title: m.Title, Files: some(m.Files)})
	}
	return a.out.show(v)
}

type timelineView struct {
	Asked   *string `json:"asked"`
	Anchor  *string `json:"anchor"` // id of the entry it is centred on
	Total   int     `json:"total"`
	Next    *string `json:"next"`
	More    bool    `json:"more"`    // there is, for a larger --around
	Entries []entry `json:"entries"` // oldest first

	further string // how to see it
	around  int
}

type entry struct {
	ID      string     `json:"id"`
	At      *time.Time `json:"at"`
	Session *string    `json:"session"`
	What    string     `json:"what"`
	Title   string     `json:"title"`
	Files   []string   `json:"files"`
}

func (timelineView) schema() string { return "timeline" }

func (v timelineView) list() []any { return items(v.Entries) }

func (v timelineView) human(p *printer) {
	if len(v.Entries) == 0 {
		around := "here"
		if v.Asked != nil {
			around = "around " + oneLine(*v.Asked)
		}
		p.line("Nothing was learned %s.", around)
		return
	}
	cols := []column{{name: ""}, {name: "when"}, {name: "id"}, {name: "what", drop: 1}, {name: "title", flex: true}, {name: "session", drop: 2}}
	rows := make([][]string, 0, len(v.Entries))
	for _, e := range v.Entries {
		mark, when, session := "", "", ""
		if v.Anchor != nil && e.ID == *v.Anchor {
			mark = ">"
		}
		if e.At != nil {
			when = at(*e.At, p.now())
		}
		if e.Session != nil {
			session = *e.Session
		}
		rows = append(rows, []string{mark, when, e.ID, e.What, oneLine(e.Title), session})
	}
	p.table(cols, rows)
	if v.More {
		p.line("more: %s%d", v.further, 2*v.around)
	}
}
