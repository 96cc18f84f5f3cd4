package vault

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"remanence/internal/vaultfile"
	"remanence/internal/when"
)

// parseNote reads a memory. It takes what it can: a value that cannot be meant
// counts as none.
func parseNote(name, text string) vaultfile.Note {
	f := parseFront(text)
	n := vaultfile.Note{
		Name: f.text1("name"), Description: f.text1("description"), Type: strings.ToLower(f.text1("type")), ID: f.text1("id"),
		Status: strings.ToLower(f.text1("status")), Tags: f.texts("tags"), Projects: f.texts("projects"),
		Hits: f.count("hits"), Caught: f.count("prevented"), LastApplied: f.time("last_applied"), Created: f.time("created"),
		HalfLife: f.number("half_life_days"), Critical: f.yes("critical"), Evergreen: f.yes("evergreen"),
		Invariant: f.text1("invariant"),
		Body:      strings.TrimSpace(strings.ReplaceAll(f.text[f.body:], "\r\n", "\n")),
	}
	n.File = name
	if n.Name == "" {
		n.Name = strings.TrimSuffix(path.Base(name), ".md")
	}
	if n.Type == "" { // as its name says
		kind, _, ok := strings.Cut(path.Base(name), "_")
		if ok && isType(kind) {
			n.Type = kind
		}
	}
	return n
}

// isType reports whether a word is one of the types of a file.
func isType(s string) bool {
	return slices.Contains([]string{
		"feedback", "project", "reference", "design", "identity", "user", "log", "index",
		"roadmap", "lineage",
	}, s)
}

// text1 is a value in one line.
func (f frontmatter) text1(key string) string {
	fd, _ := f.get(key)
	if fd.isList {
		return strings.Join(fd.list, ", ")
	}
	return strings.Join(strings.Fields(fd.value), " ")
}

// texts is a list; a single value is a list of what its commas part.
func (f frontmatter) texts(key string) []string {
	fd, _ := f.get(key)
	if fd.isList {
		return fd.list
	}
	var out []string
	for _, s := range strings.Split(fd.value, ",") {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// number is a value that is finite and above 0; 0 if there is none.
func (f frontmatter) number(key string) float64 {
	fd, _ := f.get(key)
	n, err := strconv.ParseFloat(strings.TrimSpace(fd.value), 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) || n < 0 {
		return 0
	}
	return n
}

// maxCount bounds a counter.
const maxCount = 1_000_000_000

func (f frontmatter) count(key string) int { return int(min(maxCount, f.number(key))) }

func (f frontmatter) yes(key string) bool {
	fd, _ := f.get(key)
	switch strings.ToLower(strings.TrimSpace(fd.value)) {
	case "true", "yes", "on", "y", "1":
		return true
	}
	return false
}

// time returns a date or time; the zero time if the field has neither.
func (f frontmatter) time(key string) time.Time {
	fd, _ := f.get(key)
	if t, ok := when.ParseISO(fd.value, time.UTC); ok && t.Year() > 1970 && t.Year() < 9999 {
		return t.UTC()
	}
	return time.Time{}
}

// remembered returns a text without the line that says that it is forgotten, and its status then.
func remembered(text, status string) (without, now string) {
	f := parseFront(text)
	line := f.eol + "status: forgotten" + f.eol
	at := strings.Index(text[:f.body], line)
	if status != "forgotten" || at < 0 {
		return text, status
	}
	return text[:at] + text[at+len(line)-len(f.eol):], "active" // as without a status
}

// changed returns a text with the values of a change. A value that is there
// already in another way of writing stays as it is.
func changed(name, text string, c vaultfile.NoteChange) (string, error) {
	now := parseNote(name, text)
	var err error
	set := func(key, value string) {
		if err == nil {
			text, err = parseFront(text).set(key, value)
		}
	}
	word := func(key string, is string, want *string) {
		if want != nil && *want != is {
			set(key, written(*want))
		}
	}
	if now.ID == "" {
		word("id", "", c.ID)
	}
	word("name", now.Name, c.Name)
	word("description", now.Description, c.Description)
	word("type", now.Type, c.Type)
	if c.Status != nil && *c.Status == "active" {
		text, now.Status = remembered(text, cmp.Or(now.Status, "active"))
	}
	word("status", now.Status, c.Status)
	word("invariant", now.Invariant, c.Invariant)
	if c.Tags != nil && !slices.Equal(c.Tags, now.Tags) {
		set("tags", writtenList(c.Tags))
	}
	if c.Projects != nil && !slices.Equal(c.Projects, now.Projects) {
		set("projects", writtenList(c.Projects))
	}
	if c.Evergreen != nil && *c.Evergreen != now.Evergreen {
		set("evergreen", strconv.FormatBool(*c.Evergreen))
	}
	if c.HalfLife != nil && *c.HalfLife != now.HalfLife {
		set("half_life_days", strconv.FormatFloat(*c.HalfLife, 'f', -1, 64))
	}
	if c.Critical != nil && *c.Critical != now.Critical {
		set("critical", strconv.FormatBool(*c.Critical))
	}
	if c.Hits != nil && *c.Hits != now.Hits {
		set("hits", strconv.Itoa(*c.Hits))
	}
	if c.Caught != nil && *c.Caught != now.Caught {
		set("prevented", strconv.Itoa(*c.Caught))
	}
	if c.LastApplied != nil && c.LastApplied.UTC().Format(time.DateOnly) != now.LastApplied.Format(time.DateOnly) {
		set("last_applied", c.LastApplied.UTC().Format(time.DateOnly))
	}
	if err != nil || c.Body == nil || strings.TrimSpace(*c.Body) == now.Body {
		return text, err
	}
	f := parseFront(text)
	old := strings.TrimLeft(text[f.body:], " \t\r\n")
	before, end := text[f.body:len(text)-len(old)], old[len(strings.TrimRight(old, " \t\r\n")):]
	if old == "" {
		before, end = "", f.eol
	}
	body := strings.ReplaceAll(strings.TrimSpace(*c.Body), "\n", f.eol)
	return text[:f.body] + before + body + end, nil
}
