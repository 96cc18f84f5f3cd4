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

// OldMemories is what another memory kept, as far as it can be taken over.
type OldMemories struct {
	Project  string // of those that name none
	Memories []mem.Memory
	LeftOut  map[string]int // how many of what cannot be had without what happened in them

	dropped map[Dropped]int
}

// Dropped is something with a value that an import does not take over.
type Dropped struct {
	What  string `json:"what"`
	Why   string `json:"why"`
	Count int    `json:"count"`
}

// maxDropped bounds how many different things are named as dropped, and
// maxDroppedName how long such a name is, in characters.
const (
	maxDropped     = 200
	maxDroppedName = 80
)

// Drop counts something that is not taken over.
func (out *OldMemories) Drop(what, why string, n int) {
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

// Dropped lists what is not taken over, most first.
func (out OldMemories) Dropped() []Dropped {
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

// oldFile is an export of such a tool, or an answer of our own commands.
type oldFile struct {
	project  string
	sessions map[string]string // project by each name that a session has
	memories []oldRecord
	// summaries are records of summaries whatever else they say.
	summaries []oldRecord
}

// ReadOld reads JSON values one after another: exports, lists of records, or records.
func ReadOld(r io.Reader) (OldMemories, error) {
	out := OldMemories{LeftOut: map[string]int{}}
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

// take takes over one value.
func (out *OldMemories) take(raw json.RawMessage) error {
	f, err := out.file(raw)
	if err != nil {
		return err
	}
	if f.project != "" {
		out.Project = f.project
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
func (out *OldMemories) file(raw json.RawMessage) (f oldFile, err error) {
	if bytes.HasPrefix(raw, []byte("[")) {
		return f, json.Unmarshal(raw, &f.memories)
	}
	var r oldRecord
	if err := json.Unmarshal(raw, &r); err != nil {
		return f, err
	}
	lists := []struct {
		key  string
		into *[]oldRecord
	}{{"observations", &f.memories}, {"memories", &f.memories}, {"summaries", &f.summaries}}
	isFile := false
	for _, l := range lists {
		for _, field := range r.take(l.key) {
			var more []oldRecord
			if err := json.Unmarshal(field.value, &more); err != nil {
				return f, fmt.Errorf("%s: a list of records is needed: %w", field.name, err)
			}
			*l.into, isFile = append(*l.into, more...), true
		}
	}
	if !isFile && r.isRecord() {
		f.memories = []oldRecord{r}
		return f, nil
	}
	if !isFile && len(r.take("sessions", "prompts")) == 0 {
		out.Drop("value without memories", "it has no title and no text", 1)
		return f, nil
	}
	return f, out.besides(&r, &f)
}

// besides takes what a file of several lists says beside memories.
func (out *OldMemories) besides(r *oldRecord, f *oldFile) (err error) {
	if f.project, err = r.text("project"); err != nil {
		return err
	}
	f.sessions = map[string]string{}
	for _, name := range []string{"sessions", "prompts"} {
		out.LeftOut[name] += 0
		for _, field := range r.take(name) {
			var list []oldRecord
			if err := json.Unmarshal(field.value, &list); err != nil {
				return fmt.Errorf("%s: a list of records is needed: %w", field.name, err)
			}
			out.LeftOut[name] += len(list)
			for i := range list {
				f.noteSession(&list[i], name)
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

// noteSession notes the project of a session, for the records that name only their session.
func (f *oldFile) noteSession(r *oldRecord, list string) {
	project, err := r.text("project")
	if list != "sessions" || project == "" || err != nil {
		return
	}
	for _, id := range r.take("id") {
		f.sessions[strings.Trim(string(id.value), `"`)] = project
	}
	for _, ref := range r.session() {
		f.sessions[ref] = project
	}
}

// keep takes over one record, and counts what of it is not taken over.
func (out *OldMemories) keep(r *oldRecord, f oldFile, isSummary bool) error {
	m, badDate, err := r.memory(isSummary)
	if err != nil {
		return err
	}
	for _, ref := range r.session() {
		m.Project = cmp.Or(m.Project, f.sessions[ref])
	}
	m.Project = cmp.Or(m.Project, f.project)
	out.Memories = append(out.Memories, m)
	for _, field := range r.fields {
		if !field.taken && !isEmpty(field.value) {
			out.Drop("field "+field.name, whyDropped(field.key), 1)
		}
	}
	switch {
	case badDate != "":
		out.Drop("date in "+badDate, "it cannot be read; the day of the import stands for it", 1)
	case m.Created.After(time.Now().Add(time.Minute)):
		out.Drop("date in the future", "the day of the import stands for it", 1)
	}
	return nil
}

// importOld takes over what another memory kept. Sessions and prompts cannot be
// had without what happened in them, and are counted only.
func importOld(ctx context.Context, c oldCall) (any, error) {
	in := OldMemories{LeftOut: map[string]int{}}
	if err := in.take(c.body); err != nil {
		return nil, refused("the import cannot be read: "+err.Error(), "send observations and summaries as lists of records")
	}
	ask := curate.ImportRequest{Project: in.Project, Memories: in.Memories}
	if len(ask.Memories) == 0 {
		return nil, refused("no observations and no summaries were sent", `send {"observations":[…]}, or summaries`)
	}
	got, err := Import.Call(ctx, c, ask)
	return map[string]any{
		"success": err == nil, "imported": got.Imported, "known": got.Known, "empty": got.Empty, "ids": list(got.IDs),
		"tag":      got.Tag,
		"left_out": in.LeftOut, "dropped": in.Dropped(),
	}, err
}

// refused is the answer to a request that cannot be understood: what is wrong
// with it and why, and what puts it right.
func refused(detail, fix string) error {
	return &Error{Status: http.StatusBadRequest, Name: NameInvalid, Detail: detail, Fix: fix}
}
