package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
)

// blocks completes the scripted content: ids, inputs, stop reason. The note names a tool that the client did not offer.
func (a answer) blocks(r request, n int) (content []obj, stop, note string) {
	scripted := a.turn.Content
	if a.turn.Text != "" {
		scripted = append([]obj{{"type": "text", "text": a.turn.Text}}, scripted...)
	}
	content, stop = []obj{}, a.turn.StopReason
	for i, b := range scripted {
		c := maps.Clone(b)
		content = append(content, c)
		if c["type"] != "tool_use" {
			continue
		}
		if c["id"] == nil {
			c["id"] = fmt.Sprintf("toolu_%s_%02d_%02d_%04d", strings.Map(alphanumeric, a.conversation), a.index, i, n)
		}
		if c["input"] == nil {
			c["input"] = obj{}
		}
		if stop == "" {
			stop = "tool_use"
		}
		if !r.offers(c["name"]) {
			note = fmt.Sprintf("scripted tool %v is not in the request's tool list", c["name"])
		}
	}
	if stop == "" {
		stop = "end_turn"
	}
	return content, stop, note
}

func alphanumeric(r rune) rune {
	if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
		return r
	}
	return -1
}

// events writes server-sent events.
type events struct{ w http.ResponseWriter }

func (e events) send(name string, v obj) {
	v["type"] = name
	_, _ = fmt.Fprintf(e.w, "event: %s\ndata: %s\n", name, encode(v)) // encode ends with a newline of its own
	if f, ok := e.w.(http.Flusher); ok {
		f.Flush()
	}
}

// stream sends msg as the events of a streamed answer.
func stream(w http.ResponseWriter, msg obj, content []obj) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	e := events{w}
	start, usage := maps.Clone(msg), maps.Clone(msg["usage"].(obj))
	usage["output_tokens"] = 1
	start["content"], start["stop_reason"], start["usage"] = []any{}, nil, usage
	e.send("message_start", obj{"message": start})
	for i, c := range content {
		e.block(i, c)
	}
	e.send("message_delta", obj{
		"delta": obj{"stop_reason": msg["stop_reason"], "stop_sequence": nil},
		"usage": msg["usage"],
	})
	e.send("message_stop", obj{})
}

func (e events) block(i int, c obj) {
	begin := func(empty obj) { e.send("content_block_start", obj{"index": i, "content_block": empty}) }
	delta := func(d obj) { e.send("content_block_delta", obj{"index": i, "delta": d}) }
	switch c["type"] {
	case "tool_use":
		begin(obj{"type": "tool_use", "id": c["id"], "name": c["name"], "input": obj{}})
		input, err := json.Marshal(c["input"])
		die(err)
		delta(obj{"type": "input_json_delta", "partial_json": string(input)})
	case "thinking":
		begin(obj{"type": "thinking", "thinking": "", "signature": ""})
		delta(obj{"type": "thinking_delta", "thinking": c["thinking"]})
		delta(obj{"type": "signature_delta", "signature": "c2ln"})
	default:
		begin(obj{"type": "text", "text": ""})
		delta(obj{"type": "text_delta", "text": c["text"]})
	}
	e.send("content_block_stop", obj{"index": i})
}
