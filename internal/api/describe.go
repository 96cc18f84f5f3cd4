package api

// keyMeanings says what the keys of reads mean, by their name; they mean the same in every route.
func keyMeanings() map[string]string {
	return map[string]string{
		"Last-Event-ID":  "id of the newest change that was seen",
		"after":          "only what came at or after this time; of a stream, the id of the newest change that was seen",
		"again":          "check anew, also what was checked a moment ago",
		"agent":          "only of this agent",
		"anchor":         "id of the memory or session to stand around",
		"around":         "entries before and after",
		"before":         "only what came before this time",
		"branch":         "only what was learned on this branch",
		"budget":         "tokens; 0 means the configured ones",
		"command":        "only about this command, as it is normalised",
		"days":           "days up to today",
		"deep":           "also read the whole database",
		"depth":          "steps from the centre, 1 or 2",
		"dir":            "a directory of the project, instead of its key",
		"facets":         "also count the values of the filters",
		"file":           "a path in the project; a folder ends with a slash, an extension begins with a dot",
		"floor":          "relevance from which a memory is injected, 0 to 1",
		"format":         "md or html; without it, JSON",
		"from":           "where the range begins",
		"has":            "only lines with this text",
		"hidden":         "also what was forgotten or replaced",
		"hidden_before":  "only what was forgotten before this time",
		"id":             "an id, or a unique prefix of one",
		"ids":            "ids, or unique prefixes of them",
		"in_vault":       "only memories with a file in the vault",
		"items":          "largest number of entries of a part",
		"key":            "name of the setting",
		"kinds":          "only of these kinds",
		"level":          "debug, info, warn or error",
		"limit":          "largest number of entries; 0 means the default",
		"memory":         "only what contains this memory",
		"min_importance": "only from this importance on, 0 to 1",
		"min_trust":      "only from this trust on, L0 to L3",
		"not_kinds":      "none of these kinds",
		"offset":         "entries to skip",
		"open":           "only what is unresolved",
		"order":          "newest, oldest, importance or updated",
		"outcome":        "only of this outcome: injected, abstained or nothing",
		"path":           "a path in the project",
		"project":        "key, id, unique name or path of a project; all means every project",
		"prompt":         "the text of a prompt, to preview what it recalls",
		"prompt_id":      "only of this turn",
		"proposed":       "only memories with proposed changes",
		"rules":          "only findings of these rules",
		"scopes":         "only of these scopes",
		"session":        "only of this session: its id, short id or a unique prefix",
		"sessions":       "sessions that must give evidence for a line",
		"since":          "only from this time on",
		"source":         "how the session starts: startup, resume, clear or compact",
		"statuses":       "only with one of these states",
		"strategy":       "parts of the search to use",
		"tags":           "only with one of these tags",
		"terms":          "words that must match, as the search makes them",
		"text":           "the words to search for",
		"to":             "where the range ends",
		"trigger":        "only injections at this moment of a session",
		"under":          "only files below this folder",
		"unset":          "back to the default",
		"until":          "only up to this time",
		"value":          "the value of the setting",
		"within":         "the session whose own memories are included; * means all",
		"without":        "features of the ranking to leave out",
	}
}

// failure is an error response that several operations share: all, those with a body, or those that name an id.
type failure struct{ status, name, when, of string }

// The operations that may have a failure; those of all are not named.
const (
	ofBody = "body"
	ofID   = "id"
)

func failures() []failure {
	return []failure{
		{"400", "Invalid", "A key or a value that the route does not take.", ""},
		{"401", "Unauthorized", "Neither the token nor a login.", ""},
		{"403", "ForeignOrigin", "The request comes from a page of another origin.", ""},
		{"503", "NotNow", "The daemon is ending, or the database is busy.", ""},
		{"411", "NoLength", "The body has no length.", ofBody},
		{"413", "TooLarge", "The body is larger than 2 MiB and 64 KiB.", ofBody},
		{"415", "NotJSON", "The content type is not application/json.", ofBody},
		{"404", "NotFound", "Nothing has this id.", ofID},
		{"409", "Ambiguous", "Several have ids that begin like this.", ofID},
	}
}
