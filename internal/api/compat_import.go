package api

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"remanence/internal/chars"
	"remanence/internal/curate"
	"remanence/internal/mem"
)

// ExportedMemories are the memories and sessions of an export, as far as they can be imported.
type ExportedMemories struct {
	Project  string // of memories without one
	Memories []mem.Memory
	Sessions []curate.ImportedSession
	Dirs     map[string][]string // directories of projects, by the name that the export has for them
	LeftOut  map[string]int      // number of sessions and prompts without an id, a time or a text

	dropped map[Dropped]int
}

// Dropped is a field or record that an import does not use.
type Dropped struct {
	What  string `json:"what"`
	Why   string `json:"why"`
	Count int    `json:"count"`
}

// maxDropped bounds the number of different entries, and maxDroppedName the length of
// a name in characters.
const (
	maxDropped     = 200
	maxDroppedName = 80
)

// Drop counts something that is not imported.
func (out *ExportedMemories) Drop(what, why string, n int) {
	if n <= 0 {
		return
	}
	if out.dropped == nil {
		out.dropped = map[Dropped]int{}
	}
	d := Dropped{What: chars.Clip(chars.Line(what), maxDroppedName), Why: why}
	if _, known := out.dropped[d]; !known && len(out.dropped) >= maxDropped {
		d = Dropped{What: "other fields", Why: "there are too many to name them all"}
	}
	out.dropped[d] += n
}

// Dropped lists what is not imported, most frequent first.
func (out ExportedMemories) Dropped() []Dropped {
	all := make([]Dropped, 0, len(out.dropped))
	for d, n := range out.dropped {
		d.Count = n
		all = append(all, d)
	}
	slices.SortFunc(all, func(a, b Dropped) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.What, b.What), strings.Compare(a.Why, b.Why))
	})
	return all
}

// exportFile is an export of claude-mem, or a response of our API.
type exportFile struct {
	project  string
	sessions map[string]*curate.ImportedSession // by each name that a session has
	order    []*curate.ImportedSession
	memories []exportRecord
	// summaries are imported as summaries, whatever their kind.
	summaries []exportRecord
}

// ReadExport reads JSON values one after another: exports, lists of records, or records.
func ReadExport(r io.Reader) (ExportedMemories, error) {
	out := ExportedMemories{LeftOut: map[string]int{}, Dirs: map[string][]string{}}
	values := json.NewDecoder(r)
	for n := 1; ; n++ {
		var raw json.RawMessage
		err := values.Decode(&raw)
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err == nil {
			err = out.take(raw)
		}
		if err != nil {
			return out, fmt.Errorf("value %d: %w", n, err)
		}
	}
}

// take imports one value.
func (out *ExportedMemories) take(raw json.RawMessage) error {
	f, err := out.file(raw)
	if err != nil {
		return err
	}
	if f.project != "" {
		out.Project = f.project
	}
	for _, one := range f.order {
		if !curate.IsSessionID(one.ID) {
			out.Drop("session", fmt.Sprintf("its id is longer than %d bytes or has several lines", curate.MaxSessionID), 1)
			one.ID = "" // its memories are of no session
			continue
		}
		one.Project = cmp.Or(one.Project, f.project)
		out.Sessions = append(out.Sessions, *one)
	}
	for i := range f.memories {
		if err := out.keep(&f.memories[i], f, false); err != nil {
			return fmt.Errorf("record %d: %w", i+1, err)
		}
	}
	for i := range f.summaries {
		if err := out.keep(&f.summaries[i], f, true); err != nil {
			return fmt.Errorf("summary %d: %w", i+1, err)
		}
	}
	return nil
}

// file reads one value: a list of records, a record, or a file of several lists.
func (out *ExportedMemories) file(raw json.RawMessage) (f exportFile, err error) {
	if bytes.HasPrefix(raw, []byte("[")) {
		err := json.Unmarshal(raw, &f.memories)
		for i := 0; i < len(f.memories); i++ {
			if rows, ok := f.memories[i].response(); ok {
				f.memories = slices.Replace(f.memories, i, i+1, rows...)
				i += len(rows) - 1
			}
		}
		return f, err
	}
	var r exportRecord
	if err := json.Unmarshal(raw, &r); err != nil {
		return f, err
	}
	lists := []struct {
		key  string
		into *[]exportRecord
	}{{"observations", &f.memories}, {"memories", &f.memories}, {"summaries", &f.summaries}}
	isFile := false
	for _, l := range lists {
		for _, field := range r.take(l.key) {
			var more []exportRecord
			if err := json.Unmarshal(field.value, &more); err != nil {
				return f, fmt.Errorf("%s: a list of records is needed: %w", field.name, err)
			}
			*l.into, isFile = append(*l.into, more...), true
		}
	}
	if !isFile && r.isRecord() {
		f.memories = []exportRecord{r}
		return f, nil
	}
	if !isFile && len(r.take("sessions", "prompts")) == 0 {
		out.Drop("value without memories", "it has no title and no text", 1)
		return f, nil
	}
	return f, out.besides(&r, &f)
}

// besides reads what a file contains beside memories.
func (out *ExportedMemories) besides(r *exportRecord, f *exportFile) (err error) {
	if f.project, err = r.text("project"); err != nil {
		return err
	}
	f.sessions = map[string]*curate.ImportedSession{}
	for _, name := range []string{"sessions", "prompts"} {
		out.LeftOut[name] += 0
		for _, field := range r.take(name) {
			var list []exportRecord
			if err := json.Unmarshal(field.value, &list); err != nil {
				return fmt.Errorf("%s: a list of records is needed: %w", field.name, err)
			}
			for i := range list {
				taken, err := out.session(f, &list[i], name)
				if err != nil {
					return fmt.Errorf("%s: record %d: %w", field.name, i+1, err)
				}
				if !taken {
					out.LeftOut[name]++
				}
			}
		}
	}
	for _, field := range r.fields {
		var list []json.RawMessage
		switch {
		case field.taken || isEmpty(field.value) || field.key == "schema":
		case json.Unmarshal(field.value, &list) == nil:
			out.Drop("entries of "+field.name, "no list that memories are taken from", len(list))
		default:
			out.Drop("field "+field.name, "it describes the file", 1)
		}
	}
	return nil
}

// keep imports one record, and counts the fields that are not used.
func (out *ExportedMemories) keep(r *exportRecord, f exportFile, isSummary bool) error {
	m, badDate, err := r.memory(isSummary)
	if err != nil {
		return err
	}
	if len(r.take("deletedat")) > 0 {
		out.Drop("deleted record", "it was deleted there", 1)
		return nil
	}
	if slices.ContainsFunc(m.Tags, isCompactionTag) {
		out.Drop("record of a compaction", "it says nothing that is not in the session", 1)
		return nil
	}
	for _, ref := range r.session() {
		if of := f.sessions[ref]; of != nil {
			m.Project, m.Session = cmp.Or(m.Project, of.Project), of.ID
			r.take("sessionid", "memorysessionid", "sdksessionid", "claudesessionid", "contentsessionid", "sessiondbid")
		}
	}
	if m.Project = cmp.Or(m.Project, f.project); m.Scope == mem.ScopeUser {
		m.Project = ""
	}
	out.Memories = append(out.Memories, m)
	for _, field := range r.fields {
		if !field.taken && !isEmpty(field.value) {
			out.Drop("field "+field.name, whyDropped(field.key), 1)
		}
	}
	switch {
	case badDate != "":
		out.Drop("date in "+badDate, "it cannot be read; the day of the import is used", 1)
	case m.Created.After(time.Now().Add(time.Minute)):
		out.Drop("date in the future", "the day of the import is used", 1)
	}
	return nil
}

// isCompactionTag reports whether a tag marks records of a compaction.
func isCompactionTag(tag string) bool {
	return tag == "compaction-event" || tag == "compaction-snapshot"
}

// importMemories imports an export.
func importMemories(ctx context.Context, c compatRequest) (any, error) {
	in := ExportedMemories{LeftOut: map[string]int{}, Dirs: map[string][]string{}}
	if err := in.take(c.body); err != nil {
		return nil, refused("the import cannot be read: "+err.Error(), "send observations and summaries as lists of records")
	}
	ask := curate.ImportRequest{Project: in.Project, Memories: in.Memories, Sessions: in.Sessions}
	if len(ask.Memories)+len(ask.Sessions) == 0 {
		return nil, refused("no observations and no summaries were sent", `send {"observations":[…]}, or summaries`)
	}
	got, err := Import.Call(ctx, c, ask)
	return map[string]any{
		"success": err == nil, "imported": got.Imported, "known": got.Known, "empty": got.Empty, "ids": list(got.IDs),
		"tag": got.Tag, "sessions": got.Sessions, "prompts": got.Prompts,
		"left_out": in.LeftOut, "dropped": in.Dropped(),
	}, err
}

// refused returns the error of an invalid request: what is wrong, and how to fix it.
func refused(detail, fix string) error {
	return &Error{Status: http.StatusBadRequest, Name: NameInvalid, Detail: detail, Fix: fix}
}
