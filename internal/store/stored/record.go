package stored

import (
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	"remanence/internal/chars"
	"remanence/internal/mem"
)

// Fields are pointers to the fields of a value, by the names of the columns that an export has for them. They are
// texts, numbers, booleans and times.
type Fields map[string]any

// Row returns the fields as the row of a [mem.Record]: texts, int64 and float64.
func (f Fields) Row() map[string]any {
	row := make(map[string]any, len(f))
	for name, field := range f {
		if t, ok := field.(*time.Time); ok {
			row[name] = Stamp(*t)
			continue
		}
		switch v := reflect.ValueOf(field).Elem(); v.Kind() {
		case reflect.String:
			row[name] = v.String()
		case reflect.Bool:
			row[name] = int64(0)
			if v.Bool() {
				row[name] = int64(1)
			}
		case reflect.Float64:
			row[name] = v.Float()
		default:
			row[name] = v.Int()
		}
	}
	return row
}

// Scan sets the fields that a row has.
func (f Fields) Scan(row map[string]any) error {
	for name, field := range f {
		value, ok := row[name]
		if !ok {
			continue
		}
		if !set(field, value) {
			return fmt.Errorf("%s is a %T", name, value)
		}
	}
	return nil
}

// set sets a field to a value of a row, if that is of its sort.
func set(field, value any) bool {
	v := reflect.ValueOf(field).Elem()
	switch value := value.(type) {
	case string:
		if v.Kind() != reflect.String {
			return false
		}
		v.SetString(value)
	case float64:
		if v.Kind() != reflect.Float64 {
			return false
		}
		v.SetFloat(value)
	case int64:
		if t, ok := field.(*time.Time); ok {
			*t = TimeOf(value)
			return true
		}
		switch v.Kind() {
		case reflect.Bool:
			v.SetBool(value != 0)
		case reflect.Int, reflect.Int64:
			v.SetInt(value)
		case reflect.Float64:
			v.SetFloat(float64(value))
		default:
			return false
		}
	default:
		return false
	}
	return true
}

// memoryFields are the fields of a memory without its session.
func memoryFields(r *MemoryRow, c *MemoryColumns, linked *bool) Fields {
	m := &r.Memory
	return Fields{
		"number": &r.Number, "id": &m.ID, "scope": &m.Scope, "project": &m.Project, "kind": &m.Kind, "title": &m.Title,
		"body": &m.Body, "facts": &c.Facts, "concepts": &c.Concepts, "tags": &c.Tags, "files": &c.Files,
		"modified": &c.Modified, "tool": &m.Tool, "command": &m.Command, "exit_code": &m.ExitCode, "event": &m.Event,
		"summary": &c.Summary, "importance": &m.Importance, "confidence": &m.Confidence, "trust": &m.Trust,
		"origin": &m.Origin, "agent": &m.Source.Agent, "prompt_id": &m.Source.PromptID, "prompt": &m.Source.Prompt,
		"source": &c.Source, "resolved": &m.Resolved, "status": &m.Status, "pinned": &m.Pinned,
		"supersedes": &m.Supersedes, "branch": &m.Branch, "head": &m.Commit, "key": &m.Key, "repeats": &m.Repeats,
		"words": &m.Index, "uses": &m.Uses, "last_used": &m.LastUsed, "created": &m.Created, "updated": &m.Updated,
		"hidden": &m.Hidden, "who": &m.Who, "anchors": &c.Anchors, "note": &m.Note.File, "standing": &c.Standing,
		"merged_into": &m.MergedInto, "woven": linked,
	}
}

// MemoryRecord returns a memory as the row of an export. Its session is given by its id.
func MemoryRecord(r MemoryRow) (map[string]any, error) {
	c, err := PackMemory(r.Memory)
	linked := !r.Outdated
	row := memoryFields(&r, &c, &linked).Row()
	if r.Session != "" {
		row["session"] = r.Session
	}
	return row, err
}

// MemoryOf returns the memory of a row of an export, without the number of its session.
func MemoryOf(row map[string]any) (r MemoryRow, err error) {
	var c MemoryColumns
	var linked bool
	if err = memoryFields(&r, &c, &linked).Scan(row); err != nil {
		return r, err
	}
	r.Outdated = !linked
	r.Session, _ = row["session"].(string)
	prompt := r.Source.Prompt
	err = c.Unpack(&r.Memory)
	r.Source.Prompt = prompt
	return r, err
}

// SessionFields are the fields of a session.
func SessionFields(s *mem.Session, p *mem.TranscriptPosition) Fields {
	return Fields{
		"number": &s.Number, "id": &s.ID, "short": &s.Short, "agent": &s.Agent, "project": &s.Project,
		"project_name": &s.ProjectName, "root": &s.Root, "cwd": &s.Cwd, "first_prompt": &s.FirstPrompt,
		"prompts": &s.Prompts, "status": &s.Status, "source": &s.Source, "model": &s.Model, "entrypoint": &s.Entrypoint,
		"parent": &s.Parent, "transcript": &s.Transcript, "created": &s.Created, "completed": &s.Completed,
		"end_reason": &s.EndReason, "last_event": &s.LastEvent, "processing": &s.Processing,
		"last_notification": &s.LastNotification, "notifications": &s.Notifications, "compactions": &s.Compactions,
		"nudge": &s.StateLine, "nudge_prompt": &s.StateLinePrompt, "told_tokens": &s.InjectedTokens,
		"checked_to": &p.To, "checked_hash": &p.Hash, "context_tokens": &s.ContextTokens,
		"context_window": &s.ContextWindow, "handoff_armed": &s.HandoffArmed, "cliff": &s.AutoCompactTokens,
		"sampled": &s.ContextReadAt, "compacted": &s.Compacted,
	}
}

// TurnFields are the fields of a turn without its session.
func TurnFields(t *mem.Turn) Fields {
	return Fields{
		"prompt_id": &t.PromptID, "prompt": &t.Number, "text": &t.Text, "private": &t.Private, "trust": &t.Trust,
		"at": &t.At,
	}
}

// StepRecord adds a change of a run to its row in an export. Its memory and its run are given by their ids.
func StepRecord(c mem.Step, row map[string]any) (err error) {
	row["other"], row["rule"], row["reason"] = c.Other, c.Rule, c.Reason
	if row["was"], err = Text(c.Was); err != nil {
		return err
	}
	row["became"], err = Text(c.Became)
	return err
}

// StepOf returns the change of a row of an export.
func StepOf(row map[string]any) (c mem.Step, err error) {
	var was, became string
	f := Fields{
		"other": &c.Other, "rule": &c.Rule, "reason": &c.Reason, "memory": &c.Memory, "was": &was, "became": &became,
		"undone": &c.Undone,
	}
	if err = f.Scan(row); err != nil {
		return c, err
	}
	if err = json.Unmarshal([]byte(was), &c.Was); err != nil {
		return c, err
	}
	return c, json.Unmarshal([]byte(became), &c.Became)
}

// SameForm returns a record as every back end gives it: an older version may have written the same in another form. It
// returns an error for a row that this version cannot read.
func SameForm(r mem.Record) (mem.Record, error) {
	var err error
	switch r.Table {
	case "memory":
		var m MemoryRow
		if m, err = MemoryOf(r.Row); err == nil {
			r.Row, err = MemoryRecord(m)
		}
	case "change":
		var c mem.Step
		if c, err = StepOf(r.Row); err == nil {
			err = StepRecord(c, r.Row)
		}
	}
	if err != nil {
		id, _ := r.Row["id"].(string)
		return r, fmt.Errorf("%w: %s %s cannot be read: %w", mem.ErrCorrupt, r.Table, chars.Clip(id, 60), err)
	}
	return r, nil
}
