package extract

import (
	"slices"
	"strings"
	"unicode/utf8"

	"remanence/internal/chars"
	"remanence/internal/lang"
	"remanence/internal/mem"
	"remanence/internal/rank"
)

// Bounds of a digest.
const (
	MinStatement      = 20  // characters; shorter ones say too little
	MaxStatement      = 400 // characters; longer ones are not statements
	MinAnswer         = 30  // characters; a shorter one, where nothing was done, makes no summary
	leastTalk         = 200 // likewise, where nothing was said that is kept either
	MaxFindings       = 3   // memories made of a subagent's answer
	MaxFinding        = 600 // characters of one: 150 tokens
	MaxUserStatements = 3   // memories made of one prompt
	maxChanges        = 3   // of a fix, that it names
)

// Tags that name the source of a memory.
const (
	DigestTag    = "digest"        // the assistant's words
	StatedTag    = "stated"        // the person's words
	AutoCaptured = "auto-captured" // a tool call, without a model
)

// How far back a correction is looked for, to see whether it is a habit.
const (
	CorrectedTurns    = 50 // of the session
	CorrectedSessions = 5  // of the project
)

// CompleteFix completes the cause of a problem with what is known of it: the
// command that failed, and what was changed.
func CompleteFix(mm mem.Memory, files []string, own []mem.Memory) mem.Memory {
	mm.Command, mm.ExitCode = fixedCommand(own)
	if len(mm.Files) == 0 {
		mm.Files = files[:min(len(files), maxChanges)]
	}
	for _, o := range own {
		if o.Kind != mem.Change || len(mm.Facts) == maxChanges || len(o.Files) == 0 ||
			!slices.Contains(mm.Files, o.Files[0]) {
			continue
		}
		mm.Facts = append(mm.Facts, o.Title)
		mm.Modified = AppendNew(mm.Modified, o.Files[0], maxChanges)
	}
	return mm
}

// MaxTopics is how many words a statement takes from the request it answers.
const MaxTopics = 8

// TopicsOf are words that say what a request was about. An answer does not say
// it again: "I settled on batches of 50."
func TopicsOf(prompt string) []string {
	terms := rank.Terms(Request(prompt))
	return terms[:min(len(terms), MaxTopics)]
}

// FindingTag sorts a finding: what was wrong, what is about a file, the rest.
func FindingTag(k mem.Kind, files []string) string {
	switch {
	case k == mem.ErrorFix:
		return "debugging"
	case len(files) > 0:
		return "file-note"
	}
	return AutoCaptured
}

// MaxTitle is the length of a memory's title, in characters.
const MaxTitle = 160

// TitleAndBody splits a statement into a title of at most 160 characters and, where it
// is longer, a body that holds all of it.
func TitleAndBody(s string) (title, body string) {
	s = chars.Line(s)
	if title = WholeTitle(s, MaxTitle); title == s {
		return title, ""
	}
	return title, chars.Clip(s, MaxStatement)
}

// WholeTitle is a text cut to limit characters: at the end of a sentence, if one that says something ends there, or
// else of a clause.
func WholeTitle(s string, limit int) string {
	s = chars.Line(s)
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	whole := ""
	for _, one := range lang.SplitSentences(s) {
		if len([]rune(whole))+len([]rune(one)) >= limit {
			break
		}
		whole = strings.TrimSpace(whole + " " + one)
	}
	if lang.Width(whole) >= 2*MinStatement {
		return whole
	}
	return wholeClause(s, limit)
}

// clauseEnds are what clauses end before, in the languages of the cues.
var clauseEnds = []string{"; ", ", ", " (", " — ", " – ", " - ", "；", "，", "、", "（"}

// wholeClause is a text cut to limit characters, with an ellipsis if it is cut within a sentence: where the last clause
// ends that leaves no bracket and no code open, if that is in the second half; or else anywhere.
func wholeClause(s string, limit int) string {
	cut := strings.TrimSuffix(chars.Clip(s, limit), "…")
	for end := len(cut); end > 0; {
		at := -1
		for _, mark := range clauseEnds {
			at = max(at, strings.LastIndex(cut[:end], mark))
		}
		if at < len(cut)/2 {
			break
		}
		part := cut[:at]
		whole := strings.Count(part, "(") == strings.Count(part, ")") && strings.Count(part, "`")%2 == 0
		if whole && !onlyConditions(part) {
			if strings.HasPrefix(s[at:], "; ") {
				return part
			}
			return part + "…"
		}
		end = at
	}
	at := strings.LastIndexByte(cut, ' ')
	if rest, _ := strings.CutPrefix(s, cut); at > len(cut)/2 && !strings.HasPrefix(rest, " ") {
		cut = cut[:at] // no word is cut
	}
	return cut + "…"
}

// onlyConditions reports whether the last clause of a text is a condition, behind which the main clause is missing.
func onlyConditions(part string) bool {
	last := part
	for _, mark := range clauseEnds {
		last = last[max(0, strings.LastIndex(last, mark)):]
	}
	return lang.HasAnyPrefix(strings.ToLower(strings.TrimLeft(last, ";,(—–- ")), "if ", "when ", "while ", "wenn ",
		"falls ", "si ", "quand ", "lorsque ", "cuando ", "quando ", "если ", "когда ")
}

// Headline returns the first line of a text as title, and the whole text as body if the title does not contain it.
func Headline(s string) (title, body string) {
	s = strings.TrimSpace(s)
	title = chars.Clip(chars.Line(chars.FirstLine(s)), 160)
	if title != s {
		body = s
	}
	return title, body
}

func fixedCommand(own []mem.Memory) (string, int) {
	for _, o := range own {
		if o.Kind == mem.ErrorFix {
			return o.Command, o.ExitCode
		}
	}
	return "", 0
}
