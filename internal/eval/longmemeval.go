package eval

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"
)

// longQuestion is one element of LongMemEval's file: a question with the
// sessions among which its answer is hidden. It is a project of its own.
type longQuestion struct {
	ID       string       `json:"question_id"`
	Type     string       `json:"question_type"`
	Question string       `json:"question"`
	Date     string       `json:"question_date"`
	Dates    []string     `json:"haystack_dates"`
	Sessions []string     `json:"haystack_session_ids"`
	Turns    [][]longTurn `json:"haystack_sessions"`
	Answers  []string     `json:"answer_session_ids"`
}

type longTurn struct {
	Role    string `json:"role"`
	Content string `json:"content"`
	Answer  bool   `json:"has_answer"`
}

// longMemEval reads LongMemEval's file, a part for each question. Questions
// that the sessions do not answer are left out.
func longMemEval(file string) iter.Seq2[Part, error] {
	return func(yield func(Part, error) bool) {
		for raw, err := range elements(file) {
			if err != nil {
				yield(Part{}, err)
				return
			}
			var q longQuestion
			if err := json.Unmarshal(raw.text, &q); err != nil {
				yield(Part{}, raw.mistake(err))
				return
			}
			if strings.HasSuffix(q.ID, "_abs") || strings.HasSuffix(q.Type, "_abs") {
				continue
			}
			p, err := q.part()
			if err != nil {
				yield(Part{}, raw.mistake(err))
				return
			}
			if !yield(p, nil) {
				return
			}
		}
	}
}

func (q longQuestion) part() (Part, error) {
	switch {
	case q.ID == "":
		return Part{}, errors.New("a question without question_id")
	case len(q.Sessions) != len(q.Turns):
		return Part{}, fmt.Errorf("%s: %d session ids for %d sessions", q.ID, len(q.Sessions), len(q.Turns))
	case len(q.Dates) != 0 && len(q.Dates) != len(q.Turns):
		return Part{}, fmt.Errorf("%s: %d dates for %d sessions", q.ID, len(q.Dates), len(q.Turns))
	}
	project := projectKey(q.ID)
	asked := Question{
		ID: q.ID, Project: project, Text: q.Question, Category: q.Type, Relevant: map[string]float64{},
		Sessions: map[string]bool{},
	}
	p := Part{}
	for i, turns := range q.Turns {
		begun := time.Time{}
		if len(q.Dates) > 0 {
			var err error
			if begun, err = longTime(q.Dates[i]); err != nil {
				return Part{}, fmt.Errorf("%s: %w", q.ID, err)
			}
		}
		name := fmt.Sprintf("%d/%s", i, q.Sessions[i]) // one session may be there twice
		for _, u := range longSession(q.ID, project, name, begun, turns) {
			p.Units = append(p.Units, u)
			if turns[u.Turn].Answer {
				asked.Relevant[u.ID] = 1
			}
		}
		for _, id := range q.Answers {
			if id == q.Sessions[i] {
				asked.Sessions[sessionID(project, name)] = true
			}
		}
	}
	p.Questions = []Question{asked}
	return p, nil
}

func longSession(question, project, name string, begun time.Time, turns []longTurn) []Unit {
	var out []Unit
	for i, t := range turns {
		if strings.TrimSpace(t.Content) == "" {
			continue
		}
		u := Unit{
			ID: fmt.Sprintf("%s/%s/%d", question, name, i), Project: project, Session: sessionID(project, name),
			Text: t.Content, Said: true, Who: t.Role, Turn: i,
		}
		if !begun.IsZero() {
			u.Created = begun.Add(time.Duration(i) * turnTakes)
		}
		out = append(out, u)
	}
	return out
}

// longTime reads "2023/05/20 (Sat) 02:36", with or without the weekday and the time.
func longTime(s string) (time.Time, error) {
	if day, rest, ok := strings.Cut(s, " ("); ok {
		_, clock, _ := strings.Cut(rest, ")")
		s = day + clock
	}
	t, err := time.Parse("2006/01/02 15:04", s)
	if err != nil {
		t, err = time.Parse("2006/01/02", s)
	}
	return t, err
}
