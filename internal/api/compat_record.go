package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"remanence/internal/chars"
	"remanence/internal/mem"
)

// oldRecord is a memory as it comes from such a tool: one of our own reads, or a
// row of its tables. What is asked for is marked, so that the rest can be named.
type oldRecord struct{ fields []oldField }

type oldField struct {
	name  string // as it is written there
	key   string // lower-case, without underscores: created_at and createdAt are one
	value json.RawMessage
	taken bool
}

func (r *oldRecord) UnmarshalJSON(b []byte) error {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(b, &all); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		key := strings.ReplaceAll(strings.ToLower(name), "_", "")
		r.fields = append(r.fields, oldField{name: name, key: key, value: all[name]})
	}
	return nil
}

// isEmpty reports whether a value says nothing.
func isEmpty(value json.RawMessage) bool {
	switch string(bytes.Join(bytes.Fields(value), nil)) {
	case "", "null", `""`, "[]", "{}", `"[]"`, `"{}"`, "false":
		return true
	}
	return false
}

// take returns the fields of some keys that say something, in the order of the
// keys, and marks them.
func (r *oldRecord) take(keys ...string) (out []oldField) {
	for _, key := range keys {
		for i := range r.fields {
			if f := &r.fields[i]; f.key == key {
				f.taken = true
				if !isEmpty(f.value) {
					out = append(out, *f)
				}
			}
		}
	}
	return out
}

// texts are the texts of some keys, each once.
func (r *oldRecord) texts(keys ...string) (out []string, err error) {
	for _, f := range r.take(keys...) {
		var s string
		if err := json.Unmarshal(f.value, &s); err != nil {
			return nil, fmt.Errorf("%s: a text is needed: %w", f.name, err)
		}
		if s = strings.TrimSpace(s); s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out, nil
}

// text is the first text of some keys.
func (r *oldRecord) text(keys ...string) (string, error) {
	all, err := r.texts(keys...)
	if len(all) == 0 {
		return "", err
	}
	return all[0], err
}

// lists are the lists of some keys in one, each text once. Tables keep a list as
// its text, or a single text for one.
func (r *oldRecord) lists(keys ...string) (out []string, err error) {
	for _, f := range r.take(keys...) {
		var all texts
		if err := json.Unmarshal(f.value, &all); err != nil {
			return nil, fmt.Errorf("%s: a list of texts is needed: %w", f.name, err)
		}
		for _, s := range all {
			if strings.TrimSpace(s) != "" && !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	return out, nil
}

// texts is a list that its table may have kept as the text of one.
type texts []string

func (t *texts) UnmarshalJSON(b []byte) error {
	var inText string
	if json.Unmarshal(b, &inText) == nil {
		inText = strings.TrimSpace(inText)
		switch {
		case inText == "":
			return nil
		case inText[0] != '[':
			*t = texts{inText}
			return nil
		}
		b = []byte(inText)
	}
	return json.Unmarshal(b, (*[]string)(t))
}

// created is when the record was made; the zero time if it does not say, or not
// so that it can be read: then name is the field that says it.
func (r *oldRecord) created() (at time.Time, name string) {
	for _, f := range r.take("createdatepoch", "createdat", "created", "timestamp", "date") {
		if !at.IsZero() {
			continue // the same moment in another form
		}
		if t, ok := mem.ParseTime(strings.Trim(string(f.value), `"`), time.UTC); ok {
			at, name = t, ""
		} else if name == "" {
			name = f.name
		}
	}
	return at, name
}

// summary is the text of a summary: of its own field, or of the fields beside all else.
func (r *oldRecord) summary() (s *mem.SummaryText, loose []string, err error) {
	for _, f := range r.take("summary") {
		if f.value[0] == '"' {
			var text string
			if err := json.Unmarshal(f.value, &text); err != nil {
				return nil, nil, fmt.Errorf("%s: %w", f.name, err)
			}
			loose = append(loose, text)
			continue
		}
		var inner oldRecord
		if err := json.Unmarshal(f.value, &inner); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", f.name, err)
		}
		if s, err = inner.parts(); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", f.name, err)
		}
		for _, rest := range inner.fields {
			rest.name, rest.key = f.name+"."+rest.name, f.key+"."+rest.key
			r.fields = append(r.fields, rest)
		}
	}
	return s, loose, nil
}

// parts are the fields of a summary; nil if there are none.
func (r *oldRecord) parts() (*mem.SummaryText, error) {
	var s mem.SummaryText
	for key, into := range map[string]*string{
		"request": &s.Request, "investigated": &s.Investigated, "learned": &s.Learned,
		"completed": &s.Completed, "nextsteps": &s.NextSteps, "notes": &s.Notes,
	} {
		var err error
		if *into, err = r.text(key); err != nil {
			return nil, err
		}
	}
	if s == (mem.SummaryText{}) {
		return nil, nil
	}
	return &s, nil
}

// partsOf lists what a summary says.
func partsOf(s *mem.SummaryText) []string {
	all := []string{s.Request, s.Completed, s.Learned, s.Investigated, s.NextSteps, s.Notes}
	return slices.DeleteFunc(all, func(t string) bool { return t == "" })
}

// maxOldTitle is how much of a title is kept as one, in characters.
const maxOldTitle = 160

// memory is what can be taken over of a record. isSummary says that it comes from
// a list of summaries. badDate is the field of a date that cannot be read.
func (r *oldRecord) memory(isSummary bool) (m mem.Memory, badDate string, err error) {
	var kind, scope string
	for _, one := range []struct {
		into *string
		keys []string
	}{
		{&m.Project, []string{"project"}},
		{&kind, []string{"type", "kind"}},
		{&scope, []string{"scope"}},
		{&m.Title, []string{"title"}},
		{&m.Command, []string{"command"}},
	} {
		if *one.into, err = r.text(one.keys...); err != nil {
			return m, "", err
		}
	}
	for _, several := range []struct {
		into *mem.Strings
		keys []string
	}{
		{&m.Facts, []string{"facts"}},
		{&m.Concepts, []string{"concepts"}},
		{&m.Files, []string{"files", "filesread"}},
		{(*mem.Strings)(&m.Modified), []string{"modified", "filesmodified", "filesedited"}},
		{&m.Tags, []string{"tags"}},
	} {
		if *several.into, err = r.lists(several.keys...); err != nil {
			return m, "", err
		}
	}
	m.Kind, m.Scope = mem.Kind(kind), mem.Scope(scope)
	if err := r.words(&m, isSummary); err != nil {
		return m, "", err
	}
	r.entitle(&m)
	m.Created, badDate = r.created()
	return m, badDate, nil
}

// bodyKeys are the fields that say what a record has to say.
func bodyKeys() []string {
	return []string{
		"body", "narrative", "content", "text", "description", "observation", "compressedobservation",
		"subtitle",
	}
}

// words takes over what a record says: as a summary where it is one, else as a body.
func (r *oldRecord) words(m *mem.Memory, isSummary bool) error {
	bodies, err := r.texts(bodyKeys()...)
	if err != nil {
		return err
	}
	s, loose, err := r.summary()
	if err != nil {
		return err
	}
	parts, err := r.parts()
	if err != nil {
		return err
	}
	bodies = append(bodies, loose...)
	switch {
	case s == nil && parts != nil && (isSummary || m.Title == ""):
		s = parts
	case parts != nil:
		bodies = append(bodies, partsOf(parts)...)
	}
	if m.Summary = s; isSummary || s != nil && m.Title == "" {
		m.Kind = mem.Summary
	}
	m.Body = strings.Join(bodies, "\n\n")
	return nil
}

// entitle gives a memory a title where only its other parts say something. A
// title that is too long for one is also the beginning of the text.
func (*oldRecord) entitle(m *mem.Memory) {
	switch {
	case utf8.RuneCountInString(m.Title) > maxOldTitle:
		m.Body = strings.TrimSpace(m.Title + "\n\n" + m.Body)
	case m.Title != "" || m.Body != "":
	case m.Summary != nil && m.Summary.Request == "" && m.Summary.Completed == "":
		if parts := partsOf(m.Summary); len(parts) > 0 {
			m.Title = chars.Clip(chars.Line(parts[0]), maxOldTitle)
		}
	case m.Summary == nil && len(m.Facts) > 0:
		m.Body, m.Facts = m.Facts[0], m.Facts[1:]
	}
}

// isRecord reports whether an object is a memory by itself, and no file of them.
func (r *oldRecord) isRecord() bool {
	return slices.ContainsFunc(r.fields, func(f oldField) bool {
		switch f.key {
		case "title", "request", "learned", "completed", "facts":
			return !isEmpty(f.value)
		}
		return slices.Contains(bodyKeys(), f.key) && !isEmpty(f.value)
	})
}

// session is what the record calls its session; empty if it names none.
func (r *oldRecord) session() (refs []string) {
	for _, f := range r.fields {
		if isSessionKey(f.key) && !isEmpty(f.value) {
			refs = append(refs, strings.Trim(string(f.value), `"`))
		}
	}
	return refs
}

func isSessionKey(key string) bool {
	switch key {
	case "sessionid", "memorysessionid", "sdksessionid", "claudesessionid", "contentsessionid", "sessiondbid":
		return true
	}
	return false
}

// whyDropped is why a field is not taken over.
func whyDropped(key string) string {
	switch {
	case isSessionKey(key), key == "session", key == "promptnumber", key == "promptid", key == "turn":
		return "the session is not taken over"
	}
	switch key {
	case "id", "uuid", "number", "contenthash", "schema":
		return "the memory gets an id of its own here"
	case "trust", "origin", "confidence", "importance", "status", "pinned", "score", "resolved":
		return "an import is worth what you make of it in review"
	case "updated", "updatedat", "updatedatepoch", "discoverytokens", "hits", "uses", "lastused", "accesscount",
		"relevancecount", "feedback", "prevented", "repeats":
		return "use and age are counted anew"
	}
	return "a memory has no such field"
}
