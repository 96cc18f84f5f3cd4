package rank

import (
	"strings"
	"time"
)

// asked is what of a question helps to choose among things that were said.
type asked struct {
	words map[string]bool // in lower case
	month time.Month      // 0 if none is named
	when  bool            // it asks for a time
}

func newAsked(text string) asked {
	a := asked{words: map[string]bool{}}
	for name := range names(text) {
		for _, at := range atoms(name) {
			a.words[strings.ToLower(at.text)] = true
		}
	}
	a.month = monthIn(text)
	a.when = a.words["when"] || a.words["date"] || strings.Contains(strings.ToLower(text), "how long")
	return a
}

// monthIn is the month that a text names, the first one. March and May are words
// besides: they are months after a word of time or before a number.
func monthIn(text string) time.Month {
	before := ""
	var doubtful time.Month
	for name := range names(text) {
		if doubtful != 0 && isNumber(name) {
			return doubtful
		}
		doubtful = 0
		for m := time.January; m <= time.December; m++ {
			switch {
			case !strings.EqualFold(name, m.String()):
			case m != time.March && m != time.May, leadsToMonth(before):
				return m
			default:
				doubtful = m
			}
		}
		before = strings.ToLower(name)
	}
	return 0
}

func leadsToMonth(word string) bool {
	switch word {
	case "in", "of", "since", "last", "this", "next", "until", "till", "before", "after", "by", "during", "early", "late",
		"mid", "from", "to":
		return true
	}
	return isNumber(word)
}

func isNumber(word string) bool { return word != "" && word[0] >= '0' && word[0] <= '9' }

// namesTime reports whether a text has a word of time in it.
func namesTime(text string) bool {
	for name := range names(text) {
		switch strings.ToLower(name) {
		case "yesterday", "today", "tomorrow", "tonight", "ago", "last", "next", "since", "week", "weekend", "month", "year",
			"day", "days", "weeks", "months", "years",
			"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "january", "february", "march",
			"april", "june", "july",
			"august", "september", "october", "november", "december", "recently", "soon", "summer", "winter", "spring", "autumn",
			"fall", "morning", "evening":
			return true
		}
	}
	return false
}
