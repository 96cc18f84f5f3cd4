package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"remanence/internal/chars"
	"remanence/internal/mem"
	"remanence/internal/when"
)

// exportRecord is one memory of an export: an object of our API, or a row of
// claude-mem's tables. Fields that are read are marked, so that the others can be
// reported.
type exportRecord struct{ fields []exportField }

type exportField struct {
	name  string // as written in the export
	key   string // lower-case, without underscores: created_at and createdAt are one
	value json.RawMessage
	taken bool
}

func (r *exportRecord) UnmarshalJSON(b []byte) error {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(b, &all); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		key := strings.ReplaceAll(strings.ToLower(name), "_", "")
		r.fields = append(r.fields, exportField{name: name, key: key, value: all[name]})
	}
	return nil
}

// isEmpty reports whether a value is empty in any notation.
func isEmpty(value json.RawMessage) bool {
	switch string(bytes.Join(bytes.Fields(value), nil)) {
	case "", "null", `""`, "[]", "{}", `"[]"`, `"{}"`, "false":
		return true
	}
	return false
}

// response returns the rows of a response of a SurrealDB server to one statement; ok is false if the record is none.
func (r *exportRecord) response() (rows []exportRecord, ok bool) {
	for _, f := range r.fields {
		switch f.key {
		case "result":
			if ok = json.Unmarshal(f.value, &rows) == nil; !ok {
				return nil, false
			}
		case "status", "time", "type":
		default:
			return nil, false
		}
	}
	return rows, ok
}

// take returns the fields of some keys that are not empty, in the order of the keys,
// and marks them as read.
func (r *exportRecord) take(keys ...string) (out []exportField) {
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

// texts returns the texts of some keys without duplicates.
func (r *exportRecord) texts(keys ...string) (out []string, err error) {
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

// text returns the first text of some keys.
func (r *exportRecord) text(keys ...string) (string, error) {
	all, err := r.texts(keys...)
	if len(all) == 0 {
		return "", err
	}
	return all[0], err
}

// lists returns the lists of some keys as one, without duplicates. Tables store a list
// as JSON text, or as a single text.
func (r *exportRecord) lists(keys ...string) (out []string, err error) {
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

// texts is a list that may be stored as JSON text.
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

// created returns the creation time. If it cannot be read, it is zero and name is the
// field that contains it.
func (r *exportRecord) created() (at time.Time, name string) {
	for _, f := range r.take("createdatepoch", "createdat", "created", "timestamp", "date") {
		if !at.IsZero() {
			continue // the same time in another form
		}
		if t, ok := when.ParseStamp(strings.Trim(string(f.value), `"`), time.UTC); ok {
			at, name = t, ""
		} else if name == "" {
			name = f.name
		}
	}
	return at, name
}

// summary returns the text of the field summary: its parts, or loose texts.
func (r *exportRecord) summary() (s *mem.SummaryText, loose []string, err error) {
	for _, f := range r.take("summary") {
		if f.value[0] == '"' {
			var text string
			if err := json.Unmarshal(f.value, &text); err != nil {
				return nil, nil, fmt.Errorf("%s: %w", f.name, err)
			}
			loose = append(loose, text)
			continue
		}
		var inner exportRecord
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

// parts returns the parts of a summary, or nil if there are none.
func (r *exportRecord) parts() (*mem.SummaryText, error) {
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

// partsOf lists the non-empty parts of a summary.
func partsOf(s *mem.SummaryText) []string {
	all := []string{s.Request, s.Completed, s.Learned, s.Investigated, s.NextSteps, s.Notes}
	return slices.DeleteFunc(all, func(t string) bool { return t == "" })
}

// maxTitle bounds a title, in characters.
const maxTitle = 160

// memory converts a record. isSummary reports that it comes from a list of summaries.
// badDate is the field of a date that cannot be read.
func (r *exportRecord) memory(isSummary bool) (m mem.Memory, badDate string, err error) {
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
	if scope == "personal" {
		m.Scope = mem.ScopeUser
	}
	if err := r.plugin(&m); err != nil {
		return m, "", err
	}
	if err := r.words(&m, isSummary); err != nil {
		return m, "", err
	}
	r.entitle(&m)
	m.Created, badDate = r.created()
	return m, badDate, nil
}

// plugin reads what records of the SurrealDB plugin and of engram have: details in an object, the kind as a tag, and a
// key of the topic.
func (r *exportRecord) plugin(m *mem.Memory) error {
	for i := range r.fields {
		f := &r.fields[i]
		var text string
		raw := f.value
		if f.key != "metadata" || isEmpty(raw) {
			continue
		}
		if json.Unmarshal(raw, &text) == nil { // of a table
			raw = json.RawMessage(text)
		}
		var inner exportRecord
		if json.Unmarshal(raw, &inner) != nil {
			continue
		}
		f.taken = true
		for _, key := range []string{"filepath", "file"} {
			if file, err := inner.text(key); err == nil && file != "" {
				m.Files = append(m.Files, file)
			}
		}
		if command, err := inner.text("command"); err == nil {
			m.Command = cmp.Or(m.Command, command)
		}
		for _, rest := range inner.fields {
			rest.name, rest.key = f.name+"."+rest.name, f.key+"."+rest.key
			r.fields = append(r.fields, rest)
		}
	}
	topics, err := r.lists("topickey", "topic")
	m.Concepts = append(m.Concepts, topics...)
	kinds := map[string]mem.Kind{
		"decision": mem.Decision, "convention": mem.Convention, "pattern": mem.Convention, "todo": mem.Todo,
		"unresolved": mem.Todo, "session-summary": mem.Summary, "preference": mem.Preference, "howto": mem.Howto,
	}
	for _, tag := range m.Tags {
		m.Kind = cmp.Or(m.Kind, kinds[tag])
	}
	return err
}

// bodyKeys returns the fields that may contain the body of a record.
func bodyKeys() []string {
	return []string{
		"body", "narrative", "content", "text", "description", "observation", "compressedobservation",
		"subtitle",
	}
}

// words sets the text of a memory: a summary if the record is one, otherwise a body.
func (r *exportRecord) words(m *mem.Memory, isSummary bool) error {
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

// entitle makes a title from other parts if the record has none. A title that is too
// long also becomes the beginning of the body.
func (*exportRecord) entitle(m *mem.Memory) {
	switch {
	case utf8.RuneCountInString(m.Title) > maxTitle:
		m.Body = strings.TrimSpace(m.Title + "\n\n" + m.Body)
	case m.Title != "" || m.Body != "":
	case m.Summary != nil && m.Summary.Request == "" && m.Summary.Completed == "":
		if parts := partsOf(m.Summary); len(parts) > 0 {
			m.Title = chars.Clip(chars.Line(parts[0]), maxTitle)
		}
	case m.Summary == nil && len(m.Facts) > 0:
		m.Body, m.Facts = m.Facts[0], m.Facts[1:]
	}
}

// isRecord reports whether an object is a memory, not a file of memories.
func (r *exportRecord) isRecord() bool {
	return slices.ContainsFunc(r.fields, func(f exportField) bool {
		switch f.key {
		case "title", "request", "learned", "completed", "facts":
			return !isEmpty(f.value)
		}
		return slices.Contains(bodyKeys(), f.key) && !isEmpty(f.value)
	})
}

// session returns the names of the record's session.
func (r *exportRecord) session() (refs []string) {
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

// whyDropped returns why a field is not imported.
func whyDropped(key string) string {
	switch {
	case key == "promptnumber", key == "promptid", key == "turn":
		return "a memory belongs to its session as a whole"
	case isSessionKey(key), key == "session":
		return "its session is not in the export"
	}
	switch key {
	case "id", "uuid", "number", "contenthash", "schema", "syncid", "normalizedhash", "textkey":
		return "the memory gets a new id"
	case "trust", "origin", "confidence", "importance", "status", "pinned", "score", "resolved":
		return "imported memories have no trust until you accept them in review"
	case "updated", "updatedat", "updatedatepoch", "discoverytokens", "hits", "uses", "lastused", "accesscount",
		"relevancecount", "feedback", "prevented", "repeats", "revisioncount", "duplicatecount", "lastseenat", "lastaccessed":
		return "use and age start from zero"
	}
	return "a memory has no such field"
}
