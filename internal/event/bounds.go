package event

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"remanence/internal/chars"
	"remanence/internal/extract"
	"remanence/internal/mem"
)

// MaxField is the largest size of one stored field of an event, in bytes. Of longer fields the beginning and the
// end are kept.
const MaxField = 64 << 10

// Middle removes the middle of a text longer than limit bytes. Two thirds of the rest are its beginning.
func Middle(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	const mark = "\n[… cut …]\n"
	head := (limit - len(mark)) * 2 / 3
	tail := len(s) - (limit - len(mark) - head)
	for head > 0 && !utf8.RuneStart(s[head]) {
		head--
	}
	for tail < len(s) && !utf8.RuneStart(s[tail]) {
		tail++
	}
	return s[:head] + mark + s[tail:]
}

// Bounded clips the strings of a JSON value until it has at most maxField bytes. A value that is long for other
// reasons becomes a note of its size.
func Bounded(raw json.RawMessage) json.RawMessage {
	if len(raw) <= MaxField {
		return raw
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return json.RawMessage("{}")
	}
	for limit := MaxField / 2; limit >= 256; limit /= 4 {
		v = clipStrings(v, limit)
		if out, err := json.Marshal(v); err == nil && len(out) <= MaxField {
			return out
		}
	}
	out, err := json.Marshal(map[string]any{"cut": true, "bytes": len(raw), "begins": chars.Clip(string(raw), 4096)})
	if err != nil {
		return json.RawMessage("{}")
	}
	return out
}

func clipStrings(v any, limit int) any {
	switch x := v.(type) {
	case string:
		return Middle(x, limit)
	case []any:
		for i := range x {
			x[i] = clipStrings(x[i], limit)
		}
	case map[string]any:
		for k := range x {
			x[k] = clipStrings(x[k], limit)
		}
	}
	return v
}

// DropFileText removes the text of files from an event's response: it is not stored, so it need not be redacted, and in
// a transcript it is most of the text. What reads a file, or searches, leaves the size of its response.
func DropFileText(ev *mem.Event) {
	switch ev.Tool {
	case mem.ToolRead, mem.ToolGrep, mem.ToolGlob, mem.ToolList:
		if len(ev.Response) > 0 {
			ev.ResponseTokens = chars.Tokens(string(ev.Response[:min(len(ev.Response), MaxField)]))
			ev.Response = nil
		}
	case mem.ToolWrite, mem.ToolEdit, mem.ToolMultiEdit, mem.ToolNotebook:
		if kept := extract.Fields(ev.Response); kept["originalFile"] != nil {
			delete(kept, "originalFile")
			ev.Response, _ = json.Marshal(kept) // nil if the client wrote no JSON
		}
	}
}
