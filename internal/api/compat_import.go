package api

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"remanence/internal/mem"
)

// maxMillis is the last millisecond that a date of JSON can name.
const maxMillis = 253402300799999

// oldRecord is a memory as it comes from such a tool: one of our own reads, or a
// row of its tables.
type oldRecord struct {
	Project         string           `json:"project"`
	Type            mem.Kind         `json:"type"`
	Title           string           `json:"title"`
	Subtitle        string           `json:"subtitle"`
	Narrative       string           `json:"narrative"`
	Text            string           `json:"text"`
	Facts           texts            `json:"facts"`
	Concepts        texts            `json:"concepts"`
	Files           texts            `json:"files"`
	Read            texts            `json:"files_read"`
	Modified        texts            `json:"files_modified"`
	Summary         *mem.SummaryText `json:"summary"`
	Epoch           int64            `json:"created_at_epoch"` // ms
	mem.SummaryText                  // of a row of summaries, beside all else

	// As our own commands write a memory.
	Kind    mem.Kind  `json:"kind"`
	Body    string    `json:"body"`
	Tags    texts     `json:"tags"`
	Command string    `json:"command"`
	Scope   mem.Scope `json:"scope"`
	Created time.Time `json:"created"`
}

// OldMemories is what another memory kept, as far as it can be taken over.
type OldMemories struct {
	Project  string // of those that name none
	Memories []mem.Memory
	LeftOut  map[string]int // how many of what cannot be had without what happened in them
}

// oldFile is an export of such a tool, or an answer of our own commands.
type oldFile struct {
	Project      string            `json:"project"`
	Observations []oldRecord       `json:"observations"`
	Summaries    []oldRecord       `json:"summaries"`
	Memories     []oldRecord       `json:"memories"`
	Sessions     []json.RawMessage `json:"sessions"`
	Prompts      []json.RawMessage `json:"prompts"`
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
	var f oldFile
	var shape struct{ Title, Request json.RawMessage } // of a record
	switch err := json.Unmarshal(raw, &shape); {
	case bytes.HasPrefix(raw, []byte("[")):
		if err := json.Unmarshal(raw, &f.Memories); err != nil {
			return err
		}
	case err != nil:
		return err
	case shape.Title != nil || shape.Request != nil:
		f.Memories = make([]oldRecord, 1)
		if err := json.Unmarshal(raw, &f.Memories[0]); err != nil {
			return err
		}
	default:
		if err := json.Unmarshal(raw, &f); err != nil {
			return err
		}
	}
	if f.Project != "" {
		out.Project = f.Project
	}
	for _, o := range append(f.Observations, f.Memories...) {
		out.Memories = append(out.Memories, o.memory())
	}
	for _, o := range f.Summaries {
		m := o.memory()
		if m.Kind = mem.Summary; m.Summary == nil {
			m.Summary = &o.SummaryText
		}
		out.Memories = append(out.Memories, m)
	}
	out.LeftOut["sessions"] += len(f.Sessions)
	out.LeftOut["prompts"] += len(f.Prompts)
	return nil
}

// texts is a list that its table may have kept as the text of one.
type texts []string

func (t *texts) UnmarshalJSON(b []byte) error {
	var inText string
	if json.Unmarshal(b, &inText) == nil {
		if b = bytes.TrimSpace([]byte(inText)); len(b) == 0 {
			return nil
		}
	}
	return json.Unmarshal(b, (*[]string)(t))
}

// importOld takes over what another memory kept. Sessions and prompts cannot be
// had without what happened in them, and are counted only.
func importOld(ctx context.Context, c oldCall) (any, error) {
	in := OldMemories{LeftOut: map[string]int{}}
	if err := in.take(c.body); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	ask := mem.ImportAsk{Project: in.Project, Memories: in.Memories}
	if len(ask.Memories) == 0 {
		return nil, fmt.Errorf("%w: observations or summaries are needed", ErrInvalid)
	}
	got, err := Import.Call(ctx, c, ask)
	return map[string]any{
		"success": err == nil, "imported": got.Kept, "known": got.Known, "empty": got.Empty, "ids": list(got.IDs), "tag": got.Tag,
		"left_out": in.LeftOut,
	}, err
}

func (o oldRecord) memory() mem.Memory {
	m := mem.Memory{
		Project: o.Project, Kind: cmp.Or(o.Type, o.Kind), Title: o.Title, Body: cmp.Or(o.Body, o.Narrative, o.Text, o.Subtitle), Facts: o.Facts, Concepts: o.Concepts,
		Files: append(o.Files, o.Read...), Modified: o.Modified, Summary: o.Summary, Tags: o.Tags, Command: o.Command, Scope: o.Scope, Created: o.Created,
	}
	if m.Title == "" && m.Summary == nil && o.SummaryText != (mem.SummaryText{}) { // a row of summaries, by itself
		m.Kind, m.Summary = mem.Summary, &o.SummaryText
	}
	if o.Epoch > 0 && o.Epoch <= maxMillis {
		m.Created = time.UnixMilli(o.Epoch)
	}
	return m
}
