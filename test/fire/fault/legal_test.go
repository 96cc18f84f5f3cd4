//go:build fire && linux

package fault

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"remanence/internal/mem"
)

// hookOutput is the output of a hook as the client reads it.
type hookOutput struct {
	Notice string `json:"systemMessage"`
	Hook   *struct {
		Event   mem.EventKind `json:"hookEventName"`
		Context string        `json:"additionalContext"`
	} `json:"hookSpecificOutput"`
}

// context are the kinds after which the client takes text for the model.
var context = []mem.EventKind{
	mem.SessionStart, mem.UserPromptSubmit, mem.PreToolUse, mem.PostToolUse, mem.PostToolUseFailure, mem.SubagentStart,
}

// legal reports what the client would not understand, or misunderstand, of an
// answer to an event of the kind.
func legal(kind mem.EventKind, out []byte) error {
	if len(out) == 0 {
		return nil
	}
	if kind == "" || kind == mem.PreCompact {
		return errors.New("this event wants silence")
	}
	if out[0] != '{' {
		return errors.New("something stands before the object")
	}
	dec := json.NewDecoder(bytes.NewReader(out))
	dec.DisallowUnknownFields()
	var a hookOutput
	if err := dec.Decode(&a); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more than one object")
	}
	if a.Hook == nil {
		return nil
	}
	if a.Hook.Event != kind {
		return fmt.Errorf("hookEventName is %q", a.Hook.Event)
	}
	if !slices.Contains(context, kind) {
		return fmt.Errorf("%s takes no context", kind)
	}
	return nil
}
