package rank

import (
	"maps"
	"strings"
	"sync"
)

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

// Forget empties the lexicon: words of what was erased may be in it.
func (l *Lexicon) Forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.names = nil
}

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
