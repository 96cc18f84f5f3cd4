package ui

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/digest"
	"remanence/internal/event"
	"remanence/internal/mem"
)

// DigestView is how it stands with the digest by a model.
type DigestView struct {
	Provider *string      `json:"provider"` // null: by rule alone
	Model    *string      `json:"model"`
	URL      *string      `json:"url"` // null: a program
	Limit    int          `json:"daily_tokens"`
	Today    mem.Spending `json:"today"`
	Waiting  int          `json:"waiting"` // turns
	GivenUp  int          `json:"given_up"`
	PutOff   *string      `json:"put_off"` // why the first that waits was
	Error    *string      `json:"error"`   // why the model cannot be used, or its newest failure
	Redo     *redoItem    `json:"redo"`    // null: not requested
}

type redoItem struct {
	Turns      int  `json:"turns"`
	MostTokens int  `json:"most_tokens"` // that they may take, by estimate
	DryRun     bool `json:"dry_run"`
}

// DigestOf returns the JSON form of what a language model digests and costs.
func DigestOf(d event.Digesting, q digest.Request) DigestView {
	v := DigestView{
		Provider: TextOrNil(d.Provider), Model: TextOrNil(d.Model), URL: TextOrNil(d.URL), Limit: d.Limit, Today: d.Today,
		Waiting: d.Waiting, GivenUp: d.GivenUp, PutOff: TextOrNil(d.Next), Error: TextOrNil(d.Error),
	}
	if q.Redo {
		v.Redo = &redoItem{d.Turns, d.Tokens, q.DryRun}
	}
	return v
}

// SchemaName returns the name of the view's schema.
func (DigestView) SchemaName() string { return "digest" }

// Print writes the view for a person.
func (v DigestView) Print(p *Printer) {
	if v.Provider == nil {
		p.Line("turns are digested by rule; no model is set up")
		p.Line("to set one up: remanence help digest, docs/digest.md")
		return
	}
	name := *v.Provider
	if v.Model != nil {
		name = OneLine(*v.Model) + " (" + name + ")"
	}
	if v.URL != nil {
		name += " at " + OneLine(*v.URL)
	}
	p.Line("turns are digested by rule, then by %s", name)
	p.Field("today", "%s", SpentTokens(v.Today, v.Limit))
	p.Field("waiting", "%s", WaitingTurns(v.Waiting, v.GivenUp))
	if v.Error != nil {
		p.Field("not now", "%s", OneLine(*v.Error))
	} else if v.PutOff != nil {
		p.Field("put off", "%s", OneLine(*v.PutOff))
	}
	if r := v.Redo; r != nil {
		what := Plural(r.Turns, "turn is", "turns are")
		if r.DryRun {
			what = Plural(r.Turns, "turn", "turns") + " would be"
		}
		p.Line("%s digested again, for %s at most", what, Tokens(r.MostTokens))
	}
}

// SpentTokens is what a model took today of what it may take.
func SpentTokens(today mem.Spending, limit int) string {
	return fmt.Sprintf("%s of %s · %s · %s", chars.Thousands(today.Tokens), Tokens(limit),
		Plural(today.Calls, "question", "questions"), Plural(today.Failures, "failure", "failures"))
}

// WaitingTurns is how many turns wait for a model, and how many were given up.
func WaitingTurns(waiting, givenUp int) string {
	s := Plural(waiting, "turn", "turns")
	if givenUp > 0 {
		s += fmt.Sprintf(" · %d given up: remanence digest --redo", givenUp)
	}
	return s
}

// Tokens returns a number of tokens in words.
func Tokens(n int) string {
	if n == 1 {
		return "1 token"
	}
	return chars.Thousands(n) + " tokens"
}

// Deref returns the text, or an empty one for nil.
func Deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// InJSON is s as it stands inside a JSON string.
func InJSON(s string) []byte {
	b, _ := json.Marshal(s) // a string always has a JSON form
	return b[1 : len(b)-1]
}

// Tilde writes the home directory at the beginning of a path as ~.
func Tilde(path, home string) string {
	if rest, ok := strings.CutPrefix(path, home+string(filepath.Separator)); ok && home != "" {
		return "~" + string(filepath.Separator) + rest
	}
	return path
}

// SkillsIn counts skills and names their directory.
func SkillsIn(files []string, home string) string {
	return Plural(len(files), "skill", "skills") + " in " + Tilde(filepath.Dir(filepath.Dir(files[0])), home)
}

// ChangesText counts the hooks that an installation changes.
func ChangesText(added, replaced, removed int) string {
	var out []string
	for _, c := range []struct {
		n    int
		what string
	}{{added, "new"}, {replaced, "replaced"}, {removed, "removed"}} {
		if c.n > 0 {
			out = append(out, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	if len(out) == 0 {
		return "all there already"
	}
	return strings.Join(out, ", ")
}

// Removal says what becomes of a file that has our MCP server, or our section of instructions.
func Removal(action string, instructs bool) string {
	ours := "the MCP server"
	if instructs {
		ours = "our section"
	}
	return map[string]string{
		"restore": "gets back the bytes it had", "delete": "goes, it was made for " + ours,
		"edit": "only " + ours + " is cut out", "keep": "has nothing of ours any more",
	}[action]
}
