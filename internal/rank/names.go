package rank

import "remanence/internal/mem"

// PartName says in words what a part of a score is. The viewer and the documentation use the same words.
func PartName(part string) string {
	name, known := map[string]string{
		PartRecency:   "how new it is",
		PartPath:      "about the file at hand",
		PartBM25F:     "your words, by how rare they are",
		PartGrams:     "parts of your words",
		PartProximity: "your words close together",
		PartVotes:     "other matches refer to it",
		PartSession:   "its session fits too",
		PartWho:       "the speaker you name",
		PartMonth:     "the month you name",
		PartWhen:      "the time you ask for",
		PartQuestion:  "is a question itself",
		PartCoverage:  "share of your words in it",
		PartWords:     "number of your telling words in it",
		PartAttained:  "share of the best possible match",
		PartKnown:     "share of your words that any memory has",
		PartFile:      "about a file you name",
		PartTitle:     "share of its title in your words",
		PartUse:       "past use",
		PartStale:     "its file changed since",
		PartRelevance: "relevance",
		PartShare:     "as a share of the best",
		PartTogether:  "found with others of its session",
		PartMeaning:   "near enough in meaning alone",
		mem.PartCos:   "near in meaning",
		"strength":    "how sure it is",
		"rarity":      "how rare your words in it are",
		"fts":         "your words, by how rare they are", // of receipts of earlier versions
	}[part]
	if !known {
		return part
	}
	return name
}
