package llm

import (
	"strings"

	"remanence/internal/mem"
)

// parseTags reads an answer in tags. An observation that was not finished is left
// out; of a summary that was not, what is there is taken.
func parseTags(text string) (mem.Digest, bool) {
	if len(text) > maxBytes {
		text = text[:maxBytes]
	}
	var d mem.Digest
	rest := text
	for len(d.Observations) < maxObservations {
		inner, after, found := element(rest, "observation")
		if !found {
			break
		}
		rest = after
		if o := observation(inner); o.Title != "" {
			d.Observations = append(d.Observations, o)
		}
	}
	if inner, _, found := element(text, "summary"); found {
		d.Summary = summary(func(name string) string { return part(inner, name) })
	} else if at, _ := open(text, "summary"); at >= 0 {
		d.Summary = summary(func(name string) string { return part(text[at:], name) })
	}
	at, _ := open(text, "skip_summary")
	return wellMade(d, at >= 0)
}

func observation(s string) mem.Observation {
	return mem.Observation{
		Type: part(s, "type"), Title: part(s, "title"), Subtitle: part(s, "subtitle"), Narrative: part(s, "narrative"),
		Facts: parts(s, "facts", "fact"), Concepts: parts(s, "concepts", "concept"),
		Read: parts(s, "files_read", "file"), Modified: parts(s, "files_modified", "file"),
	}
}

// part is the text of a tag, empty if it is not there.
func part(s, name string) string {
	inner, _, _ := element(s, name)
	return tidy(unescaped(inner))
}

// parts are the texts of the items in a tag, or its lines where it has none.
func parts(s, name, item string) []string {
	inner, _, found := element(s, name)
	if !found {
		return nil
	}
	if at, _ := open(inner, item); at < 0 {
		return lines(unescaped(inner))
	}
	var out []string
	for len(out) < maxList {
		text, after, found := element(inner, item)
		if !found {
			break
		}
		out, inner = appendWord(out, unescaped(text)), after
	}
	return out
}

// element is what stands in the first tag of a name, and what comes after it.
func element(s, name string) (inner, after string, found bool) {
	_, from := open(s, name)
	if from < 0 {
		return "", "", false
	}
	to, end := tag(s[from:], "</"+name)
	if to < 0 {
		return "", "", false
	}
	return s[from : from+to], s[from+end:], true
}

// open finds the first opening tag of a name: where it begins and ends, -1 if nowhere.
func open(s, name string) (begin, end int) { return tag(s, "<"+name) }

// tag finds the first tag that begins so, whatever follows within it. Capitals
// count as small letters.
func tag(s, start string) (begin, end int) {
	for at := 0; ; {
		i := strings.IndexByte(s[at:], '<')
		if i < 0 {
			return -1, -1
		}
		begin = at + i
		after := begin + len(start)
		if after >= len(s) {
			return -1, -1
		}
		if strings.EqualFold(s[begin:after], start) && strings.IndexByte("> /\t\n\r", s[after]) >= 0 {
			if close := strings.IndexByte(s[after:], '>'); close >= 0 {
				return begin, after + close + 1
			}
			return -1, -1
		}
		at = begin + 1
	}
}

// unescaped takes back the escapes that models write in tags.
func unescaped(s string) string {
	if !strings.Contains(s, "&") {
		return s
	}
	return strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&", "&quot;", `"`, "&apos;", "'", "&#39;", "'", "&#34;",
		`"`, "&nbsp;", " ").Replace(s)
}
