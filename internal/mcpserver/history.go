package mcpserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/mem"
	"remanence/internal/views"
)

// historyTools returns the tools that answer questions about the past of a project: more than most sessions need.
func historyTools() []tool {
	return []tool{
		{
			name: "blame", about: "Why lines of a file are so: commit, session, prompt, and decision or fix behind them",
			effect: reads, must: []string{"file"},
			args: `{"file":{"type":"string"},"from":{"type":"integer"},"to":{"type":"integer"},` +
				`"project":{"type":"string"}}`,
			names: namesOf[blameArgs](), call: handlerOf((*Server).blame),
		},
		{
			name: "recap", about: "What was done, decided, left open and failed, by day and project", effect: reads,
			args: `{"since":{"type":"string","description":"monday, 3d, 2026-01-31; yesterday if empty"},` +
				`"items":{"type":"integer","maximum":20},"project":{"type":"string","description":"name or all"}}`,
			names: namesOf[recapArgs](), call: handlerOf((*Server).recap),
		},
		{
			name: "propose", about: "Which lines AGENTS.md or CLAUDE.md lacks: what the user says again and again. The " +
				"user decides; writes nothing", effect: reads,
			args:  `{"file":{"type":"string"},"sessions":{"type":"integer"},"project":{"type":"string"}}`,
			names: namesOf[proposeArgs](), call: handlerOf((*Server).propose),
		},
	}
}

type blameArgs struct {
	File    string `json:"file"`
	From    int    `json:"from"`
	To      int    `json:"to"`
	Project string `json:"project"`
}

// blameRow is the origin of neighbouring lines.
type blameRow struct {
	Lines   string `json:"lines"`
	Text    string `json:"text,omitempty"` // the first line with a word
	Commit  string `json:"commit,omitempty"`
	Subject string `json:"subject,omitempty"`
	Session string `json:"session,omitempty"`
	At      string `json:"at,omitempty"`
	By      string `json:"by,omitempty"` // how the session is known, if no edit of it wrote the lines
	Prompt  string `json:"prompt,omitempty"`
	Memory  string `json:"memory,omitempty"`
	Why     string `json:"why,omitempty"`
	Trust   string `json:"trust,omitempty"`
}

// blameAnswer is the answer of blame, in the order of the lines.
type blameAnswer struct {
	File    string         `json:"file"`
	Lines   int            `json:"lines"` // of the file
	Rows    []blameRow     `json:"rows"`
	Next    map[string]any `json:"next,omitempty"`
	Warning string         `json:"warning,omitempty"`
}

func (s *Server) blame(ctx context.Context, a blameArgs) (any, error) {
	if a.File == "" {
		return nil, bad("file is empty").fixedBy("name a file of the project")
	}
	if a.From < 0 || a.To < 0 || a.To > 0 && a.To < a.From {
		return nil, bad("from and to name no lines").fixedBy("lines count from 1, and from comes first")
	}
	got, err := s.Memory.Blame(ctx, views.BlameFileRequest{
		ProjectRef: s.at(a.Project), File: a.File, From: a.From, To: a.To,
	})
	if errors.Is(err, mem.ErrNotFound) && a.Project == "" {
		return nil, bad("the project has no file %s", a.File).fixedBy("name a file of the project")
	}
	if err != nil {
		return nil, err
	}
	out := blameAnswer{File: got.File, Lines: got.Total, Rows: []blameRow{}}
	for _, r := range got.Rows {
		row := blameRow{
			Lines: fmt.Sprintf("%d-%d", r.From, r.To), Text: chars.Clip(s.Plain(r.Text), 80),
			Commit: r.Commit[:min(len(r.Commit), 10)], Subject: chars.Clip(s.Plain(r.Subject), 100),
		}
		if o := r.Origin; o != nil {
			row.Session, row.At, row.Prompt = o.Session, o.At.Format("2006-01-02"), chars.Clip(s.Plain(o.Prompt), 160)
			row.By = o.Link()
			if o.Memory != nil {
				row.Memory, row.Why = o.Memory.ID, chars.Clip(s.Plain(o.Memory.Title), 240)
				row.Trust = o.Memory.Trust.String()
			}
		}
		out.Rows = append(out.Rows, row)
	}
	if n := fitting(out.Rows, room); n < len(out.Rows) {
		out.Next = map[string]any{"file": a.File, "from": got.Rows[n].From}
		out.Rows = out.Rows[:n]
	} else if last := got.From - 1 + got.Lines; last < got.Total && (a.To == 0 || last < a.To) {
		out.Next = map[string]any{"file": a.File, "from": last + 1}
	}
	if got.Known == 0 && len(out.Rows) > 0 {
		out.Warning = "no known session wrote these lines: there is only what git knows"
	}
	return out, nil
}

type recapArgs struct {
	Since   string `json:"since"`
	Items   int    `json:"items"`
	Project string `json:"project"`
}

// maxRecapLine is the length of a line of a recap, in characters: a statement and where its work stands.
const maxRecapLine = 360

// recapAnswer is the answer of recap: one text for each day and project, oldest first.
type recapAnswer struct {
	Days    []string `json:"days"`
	Warning string   `json:"warning,omitempty"`
}

func (s *Server) recap(ctx context.Context, a recapArgs) (any, error) {
	if a.Items < 0 || a.Items > 20 {
		return nil, bad("items is 1 to 20")
	}
	since, _, err := s.parseTime(cmp.Or(a.Since, "yesterday"))
	if err != nil {
		return nil, err
	}
	got, err := s.Memory.Recap(ctx, views.RecapRequest{ProjectRef: s.at(a.Project), Since: since})
	if err != nil {
		return nil, err
	}
	out := recapAnswer{Days: []string{}}
	for _, d := range got.Days {
		lines := []string{s.Plain(d.Heading())}
		for _, l := range d.Lines(a.Items) {
			lines = append(lines, l.Section+": "+chars.Clip(s.Plain(l.Text), maxRecapLine))
		}
		out.Days = append(out.Days, strings.Join(lines, "\n"))
	}
	for size(out.Days) > room && len(out.Days) > 0 {
		out.Days, out.Warning = out.Days[1:], "older days are left out: ask for fewer days, a project or fewer items"
	}
	if len(out.Days) == 0 && out.Warning == "" {
		out.Warning = "nothing was done since then"
	}
	return out, nil
}

type proposeArgs struct {
	File     string `json:"file"`
	Sessions int    `json:"sessions"`
	Project  string `json:"project"`
}

// proposeRow is a line with its evidence.
type proposeRow struct {
	Line   string `json:"line"`
	Note   string `json:"evidence"`
	Memory string `json:"memory"`
}

// proposeAnswer is the answer of propose.
type proposeAnswer struct {
	File         string       `json:"file"`
	Lines        []proposeRow `json:"lines"`
	Contradicted []string     `json:"contradicted,omitempty"` // lines of the file that the user contradicted later
	Apply        string       `json:"apply,omitempty"`        // what the user runs
	Warning      string       `json:"warning,omitempty"`
}

func (s *Server) propose(ctx context.Context, a proposeArgs) (any, error) {
	if a.Sessions < 0 {
		return nil, bad("sessions is 1 or more")
	}
	got, err := s.Memory.Propose(ctx, views.ProposeFileRequest{
		ProjectRef: s.at(a.Project), File: a.File, Sessions: a.Sessions,
	})
	if err != nil {
		return nil, err
	}
	out := proposeAnswer{File: got.File, Lines: []proposeRow{}}
	for _, l := range got.Lines {
		out.Lines = append(out.Lines, proposeRow{s.Plain(l.Text), s.Plain(l.Note), l.ID})
	}
	for _, c := range got.Contradicted {
		out.Contradicted = append(out.Contradicted, chars.Clip(fmt.Sprintf("line %d: %s; %s says: %s", c.Line,
			s.Plain(c.Text), c.ID, s.Plain(c.Title)), 400))
	}
	if n := fitting(out.Lines, room/2); n < len(out.Lines) {
		out.Lines, out.Warning = out.Lines[:n], "there are more lines: remanence propose shows all"
	}
	out.Contradicted = out.Contradicted[:fitting(out.Contradicted, room/2)]
	switch {
	case len(got.Lines) > 0:
		out.Apply = "the user runs: remanence propose " + got.File
	case len(got.Contradicted) == 0:
		out.Warning = "nothing to propose"
	}
	return out, nil
}
