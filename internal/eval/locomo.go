package eval

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"
)

// locomoTalk is one element of LoCoMo's file: a conversation of many sessions
// and what is asked about it. Sessions are fields by number: session_1,
// session_1_date_time.
type locomoTalk struct {
	ID           string                     `json:"sample_id"`
	Conversation map[string]json.RawMessage `json:"conversation"`
	Asked        []locomoAsked              `json:"qa"`
}

type locomoAsked struct {
	Question string   `json:"question"`
	Evidence []string `json:"evidence"`
	Category int      `json:"category"`
}

type locomoTurn struct {
	Who     string `json:"speaker"`
	ID      string `json:"dia_id"`
	Text    string `json:"text"`
	Caption string `json:"blip_caption"` // of a picture that was sent
}

// adversarial is LoCoMo's category of questions that the conversation does not answer.
const adversarial = 5

// locomo reads LoCoMo's own file, a part for each conversation.
func locomo(file string) iter.Seq2[Part, error] {
	return func(yield func(Part, error) bool) {
		for raw, err := range elements(file) {
			if err != nil {
				yield(Part{}, err)
				return
			}
			var t locomoTalk
			err := json.Unmarshal(raw.text, &t)
			var p Part
			if err == nil {
				p, err = t.part()
			}
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

func (t locomoTalk) part() (Part, error) {
	if t.ID == "" {
		return Part{}, errors.New("a conversation without sample_id")
	}
	p := Part{}
	project := projectKey(t.ID)
	for n := 1; ; n++ {
		name := "session_" + strconv.Itoa(n)
		raw, ok := t.Conversation[name]
		when, dated := t.Conversation[name+"_date_time"]
		if !ok && !dated {
			break
		}
		if !ok { // a day on which nothing was said
			continue
		}
		units, err := locomoSession(t.ID, project, name, raw, when)
		if err != nil {
			return Part{}, fmt.Errorf("%s, %s: %w", t.ID, name, err)
		}
		p.Units = append(p.Units, units...)
	}
	known := map[string]bool{}
	for _, u := range p.Units {
		known[u.ID] = true
	}
	for i, a := range t.Asked {
		if a.Category == adversarial && len(a.Evidence) == 0 {
			continue
		}
		q := Question{
			ID: fmt.Sprintf("%s/q%d", t.ID, i), Project: project, Text: a.Question,
			Category: strconv.Itoa(a.Category), Relevant: map[string]float64{},
		}
		for _, id := range evidence(a.Evidence) {
			if id = t.ID + "/" + id; known[id] {
				q.Relevant[id] = 1
			}
		}
		p.Questions = append(p.Questions, q)
	}
	return p, nil
}

func locomoSession(conversation, project, name string, raw, when json.RawMessage) ([]Unit, error) {
	var turns []locomoTurn
	if err := json.Unmarshal(raw, &turns); err != nil {
		return nil, err
	}
	begun, err := locomoTime(when)
	if err != nil {
		return nil, err
	}
	var out []Unit
	for i, turn := range turns {
		if turn.ID == "" {
			return nil, errors.New("a turn without dia_id")
		}
		u := Unit{
			ID: conversation + "/" + turn.ID, Project: project, Session: sessionID(project, name),
			Text: turn.Text, Said: true, Who: turn.Who, Turn: i,
		}
		if turn.Caption != "" {
			u.Text = strings.TrimSpace(u.Text + " [image: " + turn.Caption + "]")
		}
		if !begun.IsZero() {
			u.Created = begun.Add(time.Duration(i) * turnTakes)
		}
		out = append(out, u)
	}
	return out, nil
}

// turnTakes is the time between two turns of a session that is dated as a whole.
const turnTakes = 20 * time.Second

func locomoTime(raw json.RawMessage) (time.Time, error) {
	if raw == nil {
		return time.Time{}, nil
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return time.Time{}, err
	}
	return time.Parse("3:04 pm on 2 January, 2006", s)
}

// evidence takes lists like "D8:6; D9:17" apart, which some questions have
// instead of single ids.
func evidence(list []string) []string {
	var out []string
	for _, s := range list {
		out = append(out, strings.FieldsFunc(s, func(r rune) bool { return r == ';' || r == ',' || r == ' ' })...)
	}
	return out
}
