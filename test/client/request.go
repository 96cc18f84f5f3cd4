package main

import (
	"regexp"
	"slices"
	"strings"
)

// request is what a script needs to know of a Messages API request.
type request struct {
	model, system string
	first, last   string // text of the first and the last user message
	all           string // text of every message, hook context in system messages included
	tools         []string
	stream        bool
	raw           string // the body as sent
}

func parseRequest(raw []byte, body obj) request {
	r := request{raw: string(raw), system: text(body["system"])}
	r.model, _ = body["model"].(string)
	r.stream, _ = body["stream"].(bool)
	tools, _ := body["tools"].([]any)
	for _, t := range tools {
		tool, _ := t.(obj)
		name, _ := tool["name"].(string)
		r.tools = append(r.tools, name)
	}
	messages, _ := body["messages"].([]any)
	var all strings.Builder
	for _, m := range messages {
		message, _ := m.(obj)
		said := text(message["content"])
		all.WriteString(said + "\n")
		if message["role"] != "user" {
			continue
		}
		if r.first == "" {
			r.first = said
		}
		r.last = said
	}
	r.all = all.String()
	return r
}

// text is the readable part of a message's content: a string, or its text and tool_result blocks.
func text(content any) string {
	if s, ok := content.(string); ok {
		return s
	}
	blocks, _ := content.([]any)
	var b strings.Builder
	for _, x := range blocks {
		block, _ := x.(obj)
		switch block["type"] {
		case "text":
			s, _ := block["text"].(string)
			b.WriteString(s + "\n")
		case "tool_result":
			b.WriteString(text(block["content"]) + "\n")
		}
	}
	return b.String()
}

var asksForSummary = regexp.MustCompile(`(?i)create a detailed summary|<analysis>[\s\S]*<summary>`)

// kind is "compact" for a compaction, "side" for requests beside the conversation (titles, prompt hooks), else "main".
func (r request) kind() string {
	const tail = 12000 // the client's instructions stand at the end, behind whatever the user pasted
	end := r.last[max(0, len(r.last)-tail):]
	switch {
	case asksForSummary.MatchString(end):
		return "compact"
	case len(r.tools) == 0:
		return "side"
	}
	return "main"
}

func (r request) offers(tool any) bool {
	name, _ := tool.(string)
	return slices.Contains(r.tools, name)
}

func (r request) holds(s string) bool {
	return strings.Contains(r.raw, s) || strings.Contains(r.all+r.system, s)
}
