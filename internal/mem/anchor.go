package mem

import "slices"

// MaxAnchors is how many of its files a memory is tied to at most.
const MaxAnchors = 5

// Freshness says how the files that a memory is tied to stand to what they
// held when it was made or last confirmed.
type Freshness string

// The states. The zero value also means that nothing is known of the files.
const (
	Fresh       Freshness = ""
	FileChanged Freshness = "changed" // one holds something else, or one of several is gone
	FileGone    Freshness = "gone"    // none is there any more
)

// Reanchored are the anchors of a memory that came again: those of the newer
// one, then those of the older one for other files, MaxAnchors at most.
func Reanchored(older, newer []Anchor) []Anchor {
	if len(newer) == 0 {
		return older
	}
	out := append([]Anchor(nil), newer...)
	for _, a := range older {
		if len(out) < MaxAnchors && !anchors(out, a.File) {
			out = append(out, a)
		}
	}
	return out
}

func anchors(list []Anchor, file string) bool {
	return slices.ContainsFunc(list, func(a Anchor) bool { return a.File == file })
}
