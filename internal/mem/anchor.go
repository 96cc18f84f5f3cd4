package mem

import "slices"

// MaxAnchors is the largest number of files that a memory is tied to.
const MaxAnchors = 5

// Freshness compares the files of a memory's [Anchor] list with their content
// when the memory was made or last confirmed.
type Freshness string

// The states. The zero value also means that the files were not compared.
const (
	Fresh       Freshness = ""
	FileChanged Freshness = "changed" // a file has other content, or one of several is missing
	FileGone    Freshness = "gone"    // all files are missing
)

// mergeAnchors merges the anchors of a memory that was captured a second time:
// the newer ones, then older ones for other files, at most [MaxAnchors].
func mergeAnchors(older, newer []Anchor) []Anchor {
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
