package extract

import (
	"encoding/json"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/lang"
)

// Answer is what a person picked when the agent asked by its question tool.
type Answer struct {
	Question, Pick string
	About          string // what the question said of the pick, and what the person added
}

// maxAnswers bounds the answers of one call.
const maxAnswers = 4

// askedQuestions is the input of the question tool.
type askedQuestions struct {
	Questions []struct {
		Question string `json:"question"`
		Options  []struct {
			Label       string `json:"label"`
			Description string `json:"description"`
		} `json:"options"`
	} `json:"questions"`
}

// Question returns the first question that a call of the question tool asks, in one line; empty if it asks none.
func Question(input json.RawMessage) string {
	var asked askedQuestions
	if json.Unmarshal(input, &asked) != nil || len(asked.Questions) == 0 {
		return ""
	}
	return chars.Line(asked.Questions[0].Question)
}

// Answers reads a call of the question tool. A yes or no to an offer of the agent's is
// a permission for once, and left out.
func Answers(input, response json.RawMessage) []Answer {
	var asked askedQuestions
	var given struct {
		Answers     map[string]json.RawMessage `json:"answers"`
		Annotations map[string]struct {
			Notes string `json:"notes"`
		} `json:"annotations"`
	}
	if json.Unmarshal(input, &asked) != nil || json.Unmarshal(response, &given) != nil {
		return nil
	}
	var out []Answer
	for _, q := range asked.Questions {
		a := Answer{Question: chars.Line(q.Question), Pick: chars.Line(Text(given.Answers[q.Question]))}
		if a.Question == "" || a.Pick == "" || len(out) == maxAnswers || a.permits() {
			continue
		}
		for _, o := range q.Options {
			if o.Label == a.Pick {
				a.About = chars.Line(o.Description)
			}
		}
		a.About = strings.TrimSpace(a.About + " " + chars.Line(given.Annotations[q.Question].Notes))
		out = append(out, a)
	}
	return out
}

// permits reports whether an answer only says yes or no to an offer.
func (a Answer) permits() bool {
	return offers(lang.CueText(a.Question)) && (assents(a.Pick) || TrimNo(a.Pick) != a.Pick)
}

// Said returns the question and the pick as a statement.
func (a Answer) Said() string {
	return chars.Clip(a.Question, 110) + " → " + chars.Clip(a.Pick, MaxPick)
}
