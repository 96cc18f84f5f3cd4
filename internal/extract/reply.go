package extract

import (
	"slices"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/lang"
	"remanence/internal/rank"
)

// Bounds of a reply to the assistant's questions.
const (
	MaxReply        = 320 // characters of the prompt
	maxReplyAsked   = 160 // characters of the questions that the statement names
	askedAtEnd      = 8   // last sentences of an answer that are searched for questions
	maxReplyAskeds  = 3   // questions that the statement names
	leastReplyWidth = 2   // of a prompt, as lang.Width counts
)

// Reply returns the statement that a prompt makes as the reply to questions at the end of
// the answer before it: "How many saves? → keep the last 3". A reply to an offer permits
// something once and is no statement, nor is an assent, a question or pasted output.
func Reply(answer, prompt string) (statement string, ok bool) {
	for line := range strings.Lines(prompt) {
		if line = strings.TrimSpace(line); placed(line) && namesError(line) || saysError(line) {
			return "", false
		}
	}
	prompt = chars.Line(withoutImages(prompt))
	terms := rank.Terms(prompt)
	if lang.Width(prompt) < leastReplyWidth || len([]rune(prompt)) > MaxReply || Asks(prompt) || Agrees(prompt) ||
		bareMark(prompt) || len(terms) == 0 {
		return "", false
	}
	all := Statements(answer)
	var asked []string
	for i := len(all) - 1; i >= max(0, len(all)-askedAtEnd) && len(asked) < maxReplyAskeds; i-- {
		if s := all[i]; Asks(s.Text) && (!offers(s.Bare) || weighsOptions(s.Bare)) && !s.cues.Has(cueVerify) {
			asked = append(asked, s.Text)
		}
	}
	if len(asked) == 0 {
		return "", false
	}
	slices.Reverse(asked)
	if about := slices.DeleteFunc(slices.Clone(asked), func(q string) bool {
		return CountShared(terms, rank.Terms(q)) == 0
	}); len(about) > 0 {
		asked = about
	} else {
		asked = asked[len(asked)-1:]
	}
	return chars.Clip(strings.Join(asked, " "), maxReplyAsked) + " → " + prompt, true
}

// weighsOptions reports whether a question names more than one thing that could be done.
func weighsOptions(l string) bool {
	return lang.ContainsAny(l, " or ", " oder ", " ou ", ", o ", " или ", "还是", "それとも")
}
