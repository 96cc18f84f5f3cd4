package extract

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/lang"
	"remanence/internal/mem"
	"remanence/internal/rank"
)

// Bounds of a digest.
const (
	MaxStatements     = 6   // memories made of one answer
	MinStatement      = 20  // characters; shorter ones say too little
	MaxStatement      = 400 // characters; longer ones are not statements
	MinAnswer         = 30  // characters; a shorter one, where nothing was done, makes no summary
	leastTalk         = 200 // likewise, where nothing was said that is kept either
	MaxFindings       = 3   // memories made of a subagent's answer
	MaxFinding        = 600 // characters of one: 150 tokens
	MaxUserStatements = 3   // memories made of one prompt
	maxChanges        = 3   // of a fix, that it names
	shortAbout        = 60  // characters of a request that a statement is completed with
)

// madeOfWords tags what was made of the assistant's words, and stated of the person's.
const (
	DigestTag = "digest"
	StatedTag = "stated"
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

// Point is a statement that is kept, and as what.
type Point struct {
	Statement
	Kind mem.Kind
	At   int // its place in the text
	gist gist
}

// maxOfKind is how many statements of a kind are kept of one answer.
func maxOfKind(k mem.Kind) int {
	switch k {
	case mem.Todo:
		return 5
	case mem.Decision, mem.Gotcha:
		return 3
	}
	return 2
}

// Points are the statements of an answer that are worth keeping, in its order:
// each once, the weightier ones where there are too many.
func (w TurnFacts) Points(all []Statement) []Point {
	var out []Point
	count := map[mem.Kind]int{}
	add := func(k mem.Kind, s Statement, at int) {
		if count[k] == maxOfKind(k) {
			return
		}
		g := gistOf(s.Text)
		if !slices.ContainsFunc(out, func(p Point) bool { return p.Text == s.Text || p.gist.same(g) }) {
			count[k]++
			out = append(out, Point{s, k, at, g})
		}
	}
	named := slices.ContainsFunc(all, func(s Statement) bool { return names(s) && !s.doubt })
	for i, s := range all {
		if k, ok := w.Meaning(s); ok && (k != mem.ErrorFix || !named && count[k] == 0 || names(s)) {
			add(k, s, i)
		}
	}
	for i, s := range all { // nothing says what it was: what speaks of the code does
		if count[mem.ErrorFix] == 0 && w.Tells(s) {
			add(mem.ErrorFix, s, i)
		}
	}
	out = withoutOverlap(out)
	slices.SortStableFunc(out, func(a, b Point) int { return cmp.Compare(b.weight(), a.weight()) })
	out = out[:min(len(out), MaxStatements)]
	slices.SortStableFunc(out, func(a, b Point) int { return a.At - b.At })
	return out
}

func (p Point) weight() float64 {
	info, _ := p.Kind.Info()
	return info.Importance
}

// withoutOverlap leaves out, of a statement that is told with the one before it and that
// one, the lighter.
func withoutOverlap(points []Point) []Point {
	gone := map[int]bool{}
	for i, p := range points {
		if i == 0 || points[i-1].Text != p.before || !p.dependsOnPrevious() {
			continue
		}
		if p.weight() >= points[i-1].weight() {
			gone[i-1] = true
		} else {
			gone[i] = true
		}
	}
	var out []Point
	for i, p := range points {
		if !gone[i] {
			out = append(out, p)
		}
	}
	return out
}

// dependsOnPrevious reports whether a statement begins with a word that points back, or is too
// short to explain something by itself.
func (p Point) dependsOnPrevious() bool {
	return p.Kind == mem.ErrorFix && p.before != "" && lang.Width(p.Text) < 2*MinStatement ||
		lang.HasAnyPrefix(
			p.Bare,
			"it ", "it's ", "its ", "this ", "that ", "that's ", "they ", "these ", "those ", "both ", "so ",
			"fixed by ", "fixed with ", "fixed it", "solved by ", "resolved by ", "caused by ", "es ", "das ",
			"dies ", "sie ", "il ", "elle ", "cela ", "c'est ", "ça ", "eso ", "esto ", "lo ", "ello ", "それ", "这",
			"它",
		)
}

// TitleAndBody is the statement as title and body. One that leans on another is told
// with that, or with what was asked for, as is a bare figure.
func (p Point) TitleAndBody(prompt string) (title, body string) {
	p.Text = withoutApology(p.Text)
	leans := p.dependsOnPrevious()
	if !leans && (p.Kind != mem.Discovery || lang.Width(p.Text) >= 3*MinStatement) {
		return TitleAndBody(p.Text)
	}
	if leans && p.before != "" && !Asks(p.before) && len([]rune(p.before))+len([]rune(p.Text)) < MaxStatement {
		return TitleAndBody(p.before + " " + p.Text)
	}
	if about := chars.Clip(Request(prompt), shortAbout); about != "" {
		return TitleAndBody(p.Text + " (on: " + about + ")")
	}
	return TitleAndBody(p.Text)
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

// TitleAndBody splits a sentence into a title of at most 160 characters and, where it
// is longer, a body that holds all of it.
func TitleAndBody(s string) (title, body string) {
	s = chars.Line(s)
	if title = chars.Clip(s, 160); title != s {
		body = chars.Clip(s, MaxStatement)
	}
	return title, body
}

// FilesOf returns the files that memories name, without duplicates.
func FilesOf(own []mem.Memory) []string {
	var files []string
	for _, o := range own {
		for _, f := range o.Files {
			files = AppendNew(files, f, MaxFiles)
		}
	}
	return files
}

// FilesNamedIn lists the files whose path or base name the sentence holds, and the
// paths it spells out itself.
func FilesNamedIn(s string, files []string) []string {
	var out []string
	for _, f := range files {
		if strings.Contains(s, f) || strings.Contains(s, path.Base(f)) {
			out = AppendNew(out, f, 3)
		}
	}
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" `'\"(),;:。，、", r) }) {
		w = strings.TrimRight(w, ".!?")
		ext := path.Ext(w)
		known := false
		for _, f := range out {
			known = known || f == w || path.Base(f) == w
		}
		if !known && strings.Contains(w, "/") && len(ext) > 1 && len(ext) < 6 && !strings.Contains(w, "://") &&
			!strings.HasPrefix(w, "/") {
			out = AppendNew(out, path.Clean(w), 3)
		}
	}
	return out
}

func fixedCommand(own []mem.Memory) (string, int) {
	for _, o := range own {
		if o.Kind == mem.ErrorFix {
			return o.Command, o.ExitCode
		}
	}
	return "", 0
}
