package rank

import (
	"iter"
	"maps"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"remanence/internal/mem"

	"github.com/blevesearch/go-porterstemmer"
	"golang.org/x/text/unicode/norm"
)

// names yields the names of a text: words, paths, options and identifiers, in
// their own spelling, without the punctuation around them. Every name holds at
// least one letter or digit.
func names(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		start := -1
		for i, r := range text {
			if wordRune(r) || joiner(r) {
				if start < 0 {
					start = i
				}
				continue
			}
			if start >= 0 && !yieldName(text[start:i], yield) {
				return
			}
			start = -1
		}
		if start >= 0 {
			yieldName(text[start:], yield)
		}
	}
}

func yieldName(run string, yield func(string) bool) bool {
	name := trimName(run)
	return name == "" || yield(name)
}

// wordRune reports whether r is part of a word. It is the rule of SQLite's
// unicode61 tokenizer, with combining marks added.
func wordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return r != utf8.RuneError && unicode.In(r, unicode.L, unicode.N, unicode.M)
}

// wordStart reports whether r can begin a word: marks alone are none.
func wordStart(r rune) bool { return wordRune(r) && !unicode.Is(unicode.M, r) }

// joiner reports whether r may join words into one name.
func joiner(r rune) bool {
	switch r {
	case '_', '-', '.', '/', '\\', ':', '\'', '’', '@', '+', '#':
		return true
	}
	return false
}

// trimName cuts punctuation around a name and a clitic at its end. The dashes
// of an option stay, and so do the signs of c++ and c#.
func trimName(run string) string {
	if bare(run) {
		return run
	}
	name := strings.TrimLeftFunc(run, func(r rune) bool { return !wordStart(r) })
	if name == "" {
		return ""
	}
	lead := run[:len(run)-len(name)]
	name = strings.TrimRight(name, `_-./\:'’@`)
	if !signed(name) {
		name = strings.TrimRightFunc(name, func(r rune) bool { return !wordRune(r) })
	}
	name = cutClitic(name)
	if strings.HasSuffix(lead, "--") {
		name = "--" + name
	}
	return name
}

// bare reports whether there is nothing to cut: most words of most texts.
func bare(run string) bool {
	for i := range len(run) {
		if c := run[i]; c >= utf8.RuneSelf || !wordRune(rune(c)) {
			return false
		}
	}
	return true
}

// signed reports whether name is one letter with its sign, as c++, c#, f#.
func signed(name string) bool {
	if len(name) < 2 || !wordRune(rune(name[0])) {
		return false
	}
	return name[1:] == "++" || name[1:] == "#"
}

func cutClitic(name string) string {
	at := strings.LastIndexAny(name, "'’")
	if at <= 0 {
		return name
	}
	_, size := utf8.DecodeRuneInString(name[at:])
	switch strings.ToLower(name[at+size:]) {
	case "t":
		return strings.TrimSuffix(strings.TrimSuffix(name[:at], "n"), "N")
	case "s", "ll", "re", "ve", "d", "m":
		return name[:at]
	}
	return name
}

// atom is a run of word characters of one sort.
type atom struct {
	text string // in its own spelling
	wide bool   // of a script that is written without spaces
}

// atoms splits a name at everything that is not part of a word, and where an
// unsegmented script begins or ends.
func atoms(name string) []atom {
	var out []atom
	start, wide := -1, false
	flush := func(end int) {
		if start >= 0 {
			out = append(out, atom{name[start:end], wide})
		}
		start = -1
	}
	for i, r := range name {
		if !wordRune(r) {
			flush(i)
			continue
		}
		if start >= 0 && !unicode.Is(unicode.M, r) && unsegmented(r) != wide {
			flush(i)
		}
		if start < 0 && wordStart(r) {
			start, wide = i, unsegmented(r)
		}
	}
	flush(len(name))
	return out
}

// unsegmented reports whether r belongs to a script whose words are not, or not
// reliably, separated by spaces. The long-vowel marks count as kana.
func unsegmented(r rune) bool {
	if r < 0x0E00 {
		return false
	}
	return r == 'ー' || r == 'ｰ' || r == '々' || unicode.In(r,
		unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// pairs returns the overlapping pairs of letters of an unsegmented run. Marks
// are left out: tokenizers cut words at them. A run of one letter is its own pair.
func pairs(run string) []string {
	var letters []rune
	for _, r := range run {
		if !unicode.Is(unicode.M, r) {
			letters = append(letters, r)
		}
	}
	if len(letters) == 1 {
		return []string{string(letters)}
	}
	var out []string
	for i := 1; i < len(letters); i++ {
		out = append(out, string(letters[i-1:i+1]))
	}
	return out
}

// camel splits a word at its inner capitals: parseHTTPRequest gives parse, HTTP,
// Request. A word without inner capitals comes back whole.
func camel(word string) []string {
	runes := []rune(word)
	var out []string
	start := 0
	for i := 1; i < len(runes); i++ {
		if !unicode.IsUpper(runes[i]) {
			continue
		}
		after := i+1 < len(runes) && unicode.IsLower(runes[i+1])
		if !unicode.IsUpper(runes[i-1]) || after && i-start > 1 {
			out = append(out, string(runes[start:i]))
			start = i
		}
	}
	return append(out, string(runes[start:]))
}

// fold gives words that differ only in case and accents one form.
func fold(word string) string {
	lower := strings.ToLower(word)
	if ascii(lower) {
		return lower
	}
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(lower))
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// head is at most the first n bytes of a text.
func head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:max(n, 0)]
}

// Lexicon remembers how names are read, so that the words of a store are
// stemmed once and not for every question. The zero value is ready; nil
// remembers nothing. It is safe for concurrent use and holds at most some
// megabytes.
type Lexicon struct {
	mu    sync.RWMutex
	names map[string][]token
}

const (
	maxLexicon = 20_000 // names
	maxName    = 64     // bytes of one that is remembered
)

// token is a word of a name, as it is compared.
type token struct {
	key    string
	folded string // lower case without accents; empty for a pair of letters
	says   bool   // it is no stop word
	part   bool   // of an identifier or a compound
	whole  bool   // it is an identifier whose parts come next
}

// known returns a name's tokens, if they are remembered.
func (l *Lexicon) known(name string) ([]token, bool) {
	if l == nil {
		return nil, false
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	list, ok := l.names[name]
	return list, ok
}

// learn remembers names. When there are too many, all others are forgotten.
func (l *Lexicon) learn(names map[string][]token) {
	if l == nil || len(names) == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.names == nil || len(l.names)+len(names) > maxLexicon {
		l.names = map[string][]token{}
	}
	maps.Copy(l.names, names)
}

// wordSet is the words of a memory that say something, from its beginning.
func wordSet(m mem.Memory, l *Lexicon) map[string]bool {
	set, fresh := map[string]bool{}, map[string][]token{}
	for name := range names(beginning(m)) {
		list, known := l.known(name)
		if !known {
			name = strings.Clone(name) // a piece of a text, all of which would stay for it
			list = tokens(name)
			if len(name) <= maxName {
				fresh[name] = list
			}
		}
		for _, t := range list {
			if t.compared() {
				set[t.key] = true
			}
		}
	}
	l.learn(fresh)
	return set
}

// maxDoc is how much of a memory is compared, in bytes: its point stands first.
const maxDoc = 1200

// beginning is as much of what a memory says as is compared.
func beginning(m mem.Memory) string {
	return head(m.Title+"\n"+m.Body+"\n"+strings.Join(m.Facts, "\n"), maxDoc)
}

// compared reports whether a token is one of the words by which memories are alike.
func (t token) compared() bool { return t.says && !t.whole }

// tokens reads a name.
func tokens(name string) []token {
	list := atoms(name)
	out := make([]token, 0, len(list))
	for _, a := range list {
		if a.wide {
			for _, p := range pairs(a.text) {
				out = append(out, token{key: p, says: true})
			}
			continue
		}
		lower, parts := strings.ToLower(a.text), camel(a.text)
		if len(parts) == 1 {
			out = append(out, tokenOf(lower, len(list) > 1, false))
			continue
		}
		out = append(out, tokenOf(lower, len(list) > 1, true))
		for _, p := range parts {
			out = append(out, tokenOf(strings.ToLower(p), true, false))
		}
	}
	return out
}

func tokenOf(lower string, part, whole bool) token {
	folded := fold(lower)
	return token{key: stem(folded), folded: folded, says: !stopWord(lower), part: part, whole: whole}
}

// stopWord reports whether a lower-case English word says nothing about a topic.
func stopWord(w string) bool {
	switch w {
	case "a", "about", "above", "after", "again", "against", "ain", "all", "also", "am", "an", "and", "any", "are", "aren",
		"as", "at", "be", "because", "been", "before", "being", "below", "between", "both", "but", "by", "ca", "can",
		"could", "couldn", "did", "didn", "do", "does", "doesn", "doing", "don", "down", "during", "each", "even", "every",
		"few", "for", "from", "further", "had", "hadn", "has", "hasn", "have", "haven", "having", "he", "her", "here", "hers",
		"herself", "him", "himself", "his", "how", "i", "if", "in", "into", "is", "isn", "it", "its", "itself", "just",
		"ll", "may", "maybe", "me", "might", "mightn", "more", "most", "must", "mustn", "my", "myself", "needn", "no", "nor",
		"not", "of", "off", "on", "once", "only", "or", "other", "ought", "our", "ours", "ourselves", "out", "over", "own",
		"please", "really", "s", "same", "sha", "shall", "shan", "she", "should", "shouldn", "so", "some", "still", "such",
		"t",
		"than", "that", "the", "their", "theirs", "them", "themselves", "then", "there", "these", "they", "this", "those",
		"through", "to", "too", "under", "until", "up", "upon", "us", "ve", "very", "was", "wasn", "we", "were", "weren",
		"what", "when", "where", "whether", "which", "while", "who", "whom", "whose", "why", "will", "with", "within",
		"without", "wo", "won", "would", "wouldn", "yet", "you", "your", "yours", "yourself", "yourselves":
		return true
	}
	return false
}

// keyOf returns the form in which words are compared: folded and stemmed. In unsegmented scripts marks distinguish
// letters, so their words are neither.
func keyOf(word string) string {
	if r, _ := utf8.DecodeRuneInString(word); unsegmented(r) {
		return word
	}
	return stem(fold(word))
}

// Stems yields the words of a text in the form in which they are compared, one after the other as they are written. A
// full-text index of another program is filled and searched with them.
func Stems(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !wordRune(r) }) {
			if !yield(keyOf(word)) {
				return
			}
		}
	}
}

// SameWord reports whether two words in lower case are forms of one, by their stems.
func SameWord(a, b string) bool { return a == b || keyOf(a) == keyOf(b) }

// Words outside these lengths, in bytes, are their own stem: the bounds of
// SQLite's porter tokenizer, with which a stem has to agree.
const (
	minStem = 3
	maxStem = 64
)

// stem reduces a folded word to its Porter stem. A word with anything but the
// letters a to z is its own stem.
func stem(word string) string {
	if len(word) < minStem || len(word) > maxStem {
		return word
	}
	for i := range len(word) {
		if word[i] < 'a' || word[i] > 'z' {
			return word
		}
	}
	return string(porterstemmer.StemWithoutLowerCasing([]rune(word)))
}
