package rank

import (
	"iter"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// TokenKind is the sort of a token.
type TokenKind uint8

// The kinds of tokens.
const (
	Word  TokenKind = iota // a word, or a pair of letters of an unsegmented script
	Piece                  // a part of an identifier
	Whole                  // a compound as it is written; its key begins with "="
)

// Token is one unit by which an index finds a text.
type Token struct {
	Key        string // the form that is compared: folded and stemmed
	Folded     string // of a word: in lower case without accents
	Kind       TokenKind
	Stop       bool // says nothing about a topic
	Identifier bool // a word with inner capitals; its parts follow as pieces
	Pair       bool // two letters of an unsegmented script
	Numbered   bool // holds letters and digits
}

// TextNames yields the names of a text: words, paths, options and identifiers, in their own spelling.
func TextNames(text string) iter.Seq[string] { return names(text) }

// Analyze returns the tokens of one name, as TextNames yields it, appended to out.
func Analyze(out []Token, name string) []Token {
	words := 0
	for _, segment := range strings.FieldsFunc(name, func(r rune) bool { return !wordRune(r) && r != '_' }) {
		if segment = strings.Trim(segment, "_"); segment != "" {
			words++
			out = analyzeSegment(out, segment)
		}
	}
	if words > 1 || strings.HasPrefix(name, "--") || signed(name) {
		lower := strings.ToLower(name)
		out = append(out, Token{Key: "=" + lower, Kind: Whole})
		if base := baseName(lower); base != lower && base != "" {
			out = append(out, Token{Key: "=" + base, Kind: Whole})
		}
	}
	return out
}

// analyzeSegment appends the tokens of a run of word characters and underscores.
func analyzeSegment(out []Token, segment string) []Token {
	var pieces []string
	for _, a := range atoms(segment) {
		if a.wide {
			for _, p := range pairs(a.text) {
				out = append(out, Token{Key: p, Pair: true})
			}
			continue
		}
		for _, c := range camel(a.text) {
			pieces = append(pieces, strings.ToLower(c))
		}
	}
	if len(pieces) == 0 {
		return out
	}
	lower := strings.ToLower(segment)
	folded := fold(lower)
	out = append(out, Token{
		Key: stem(folded), Folded: folded, Stop: stopWord(lower), Identifier: len(pieces) > 1,
		Numbered: hasDigit(lower),
	})
	if len(pieces) == 1 {
		return out
	}
	for _, p := range pieces {
		out = append(out, Token{Key: stem(fold(p)), Kind: Piece, Stop: stopWord(p)})
	}
	return out
}

// leastHalf is the length, in bytes, of the shorter part of a word that is written as one or as two.
const leastHalf = 3

// Joined returns the key of the word that two words in a row make, as "front end" makes "frontend"; empty if they are
// no two plain words, or if the first says nothing about a topic.
func Joined(first, second Token) string {
	if first.Stop || !letters(first) || !letters(second) {
		return ""
	}
	return stem(first.Folded + second.Folded)
}

// Halves yields the keys of the two words that a plain word may be written as, for each place where it may be cut.
func Halves(word Token) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		if !letters(word) {
			return
		}
		for i := leastHalf; i <= len(word.Folded)-leastHalf; i++ {
			if left, right := word.Folded[:i], word.Folded[i:]; !stopWord(left) && !stopWord(right) &&
				utf8.RuneStart(right[0]) && !yield(stem(left), stem(right)) {
				return
			}
		}
	}
}

// letters reports whether a token is a word of letters, and no identifier.
func letters(t Token) bool {
	return t.Kind == Word && !t.Identifier && len(t.Folded) > 1 &&
		strings.IndexFunc(t.Folded, func(r rune) bool { return !unicode.IsLetter(r) }) < 0
}

// Base returns the last part of a path, or the name itself.
func Base(name string) string { return baseName(name) }

// HasDate reports whether a text has a word of time in it.
func HasDate(text string) bool { return namesTime(text) }

// Question is what of a query helps to choose among utterances.
type Question struct {
	Month time.Month // that it names; 0 for none
	When  bool       // it asks for a time
}

// ReadQuestion reads a query's text.
func ReadQuestion(text string) Question {
	a := newAsked(text)
	return Question{Month: a.month, When: a.when}
}

// hasDigit reports whether a word holds letters and digits, as an identifier does.
func hasDigit(word string) bool {
	return strings.IndexFunc(word, unicode.IsDigit) >= 0 && strings.IndexFunc(word, unicode.IsLetter) >= 0
}
