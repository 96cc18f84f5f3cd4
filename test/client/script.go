package main

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
)

// script is a whole scenario: what the model says, in the order the client asks.
type script struct {
	Usage         obj            `json:"usage"`         // default usage numbers of every answer
	Turns         []turn         `json:"turns"`         // the main conversation
	Conversations []conversation `json:"conversations"` // tried before the main one, e.g. subagents
	Summary       string         `json:"compact_summary"`
	SummaryStatus int            `json:"compact_status"` // HTTP error for compactions; 0 means none
	SideText      string         `json:"side_text"`      // answer to requests without tools
	CountTokens   int            `json:"count_tokens"`   // 0 means a quarter of the request's bytes
}

// conversation is a list of turns for the requests it matches.
type conversation struct {
	Name  string `json:"name"`
	Match string `json:"match"` // regular expression
	On    string `json:"on"`    // what it is tried on: "first" user message (default), "last", "any", "system"
	Turns []turn `json:"turns"`
	Loop  bool   `json:"loop"` // start again when the turns run out

	match *regexp.Regexp
}

// turn is one scripted answer.
type turn struct {
	Content    []obj    `json:"content"`     // text, tool_use and thinking blocks
	Text       string   `json:"text"`        // shorthand for one text block, put first
	StopReason string   `json:"stop_reason"` // default: tool_use or end_turn
	Usage      obj      `json:"usage"`       // overrides of the usage numbers
	Status     int      `json:"status"`      // not 0: answer with this HTTP error
	ErrorType  string   `json:"error_type"`
	ErrorMsg   string   `json:"error_message"`
	DelayMS    int      `json:"delay_ms"`
	Expect     []string `json:"expect"`     // texts the request must hold
	ExpectNot  []string `json:"expect_not"` // texts it must not hold
}

// loadScript reads a script; "" is the empty one.
func loadScript(path string) (script, error) {
	var sc script
	if path != "" {
		b, err := os.ReadFile(path)
		if err != nil {
			return sc, err
		}
		if err := json.Unmarshal(b, &sc); err != nil {
			return sc, fmt.Errorf("read %s: %w", path, err)
		}
	}
	if sc.Summary == "" {
		sc.Summary = "FAKE-COMPACT-SUMMARY: the user asked for things and they were done."
	}
	if sc.SideText == "" {
		sc.SideText = `{"title": "Scripted title", "isNewTopic": false}`
	}
	for i := range sc.Conversations {
		c := &sc.Conversations[i]
		re, err := regexp.Compile(c.Match)
		if err != nil {
			return sc, fmt.Errorf("conversation %s: %w", c.Name, err)
		}
		c.match = re
	}
	return sc, nil
}

// list names the turns that answer r: a conversation's or the main ones.
func (sc script) list(r request) conversation {
	for _, c := range sc.Conversations {
		tried := map[string]string{"": r.first, "first": r.first, "last": r.last, "any": r.all, "system": r.system}[c.On]
		if c.match.MatchString(tried) {
			return c
		}
	}
	return conversation{Name: "main", Turns: sc.Turns}
}

// at is the i-th answer of the conversation, counted from 0.
func (c conversation) at(i int) turn {
	switch {
	case c.Loop && len(c.Turns) > 0:
		return c.Turns[i%len(c.Turns)]
	case i < len(c.Turns):
		return c.Turns[i]
	}
	return turn{Text: "done (script exhausted)"}
}

// unmet lists the expectations of t that r does not meet.
func (t turn) unmet(r request) []string {
	var fails []string
	for _, s := range t.Expect {
		if !r.holds(s) {
			fails = append(fails, "missing: "+s)
		}
	}
	for _, s := range t.ExpectNot {
		if r.holds(s) {
			fails = append(fails, "unexpected: "+s)
		}
	}
	return fails
}
