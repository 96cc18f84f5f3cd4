package capture

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"

	"remanence/internal/entity"
	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/mem"
)

// actedOn returns edits that count a use of injected memories that a tool call acts on: it edits a file of the memory
// at a place that the memory names, or it runs the memory's command. Memories of the same session do not count.
//
// That a file of the memory is edited proves little: in hand-labelled sessions 5 of 62 such memories were acted on. Of
// those that have a name in common with the edit it was 4 of 6. See "Uses" in docs/internals/evolution.md.
func actedOn(ctx context.Context, s *event.Service, ec event.Context, c extract.Call) ([]mem.Edit, error) {
	q := mem.Query{IDs: injectedIDs(ec.SessionInfo), ExactIDs: true, Within: "*"}
	edits := event.EditsFile(ec.Tool) && c.File != ""
	if len(q.IDs) == 0 || !edits && c.Plain == "" {
		return nil, nil
	}
	q.Limit = len(q.IDs)
	ms, err := s.Store.List(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("injected memories: %w", err)
	}
	var out []mem.Edit
	for _, m := range ms {
		if m.Session == ec.Session || m.Status != mem.Active || !slices.Contains(event.Knowledge(), m.Kind) {
			continue
		}
		use := mem.Use{Turn: event.TurnName(ec.Session, ec.PromptID), At: ec.At}
		switch {
		case edits && slices.Contains(m.Files, c.File) && editsNamedPlace(c, m):
			use.How, use.File = mem.Edited, c.File
		case c.Plain != "" && m.Command != "" && runs(c.Plain, m.Body) &&
			!(runs(m.Command, m.Body) && runs(c.Plain, m.Command)): // the failing one, with the other as its beginning
			ignored, err := repeatedSinceInjected(ctx, s, ec, m)
			if err != nil {
				return nil, err
			}
			if ignored {
				continue
			}
			use.How = mem.Ran
		default:
			continue
		}
		out = append(out, mem.Edit{ID: m.ID, Used: 1, UsedIn: use})
	}
	return out, nil
}

// runs reports whether a command line is a command, or one of at least two words with more arguments.
func runs(line, command string) bool {
	return line == command || strings.Contains(command, " ") && strings.HasPrefix(line, command+" ")
}

// injectedIDs returns the memories injected into a session since its last compaction.
func injectedIDs(sess mem.Session) []string {
	ids := slices.Collect(maps.Keys(sess.Injected))
	return slices.DeleteFunc(ids, func(id string) bool { return !strings.HasPrefix(id, "m_") })
}

// repeatedSinceInjected reports whether the command that a memory replaces ran after the memory was last injected into
// the session: the agent found the other command again by itself.
func repeatedSinceInjected(ctx context.Context, s *event.Service, ec event.Context, m mem.Memory) (bool, error) {
	rs, err := s.Store.Receipts(ctx, mem.ReceiptQuery{Session: ec.Session, Memory: m.ID, Limit: 1, Brief: true})
	if err != nil || len(rs) == 0 {
		return len(rs) == 0, err
	}
	calls, err := s.Store.Events(ctx, mem.EventQuery{
		Session: ec.Session, Kinds: []mem.EventKind{mem.PostToolUse, mem.PostToolUseFailure}, Tool: ec.Tool, After: rs[0].At,
		Limit: 100,
	})
	return slices.ContainsFunc(calls, func(ev mem.Event) bool {
		return ev.At.After(rs[0].At) && runs(s.ReadCall(ev, ec.Project).Plain, m.Command)
	}), err
}

// editsNamedPlace reports whether an edit changes a line with a name of code that the memory's text holds, or its text
// holds two of them. The name of the file does not count.
func editsNamedPlace(c extract.Call, m mem.Memory) bool {
	var names []string
	for _, name := range entity.Symbols(strings.Join(identifiers(m.Title+"\n"+m.Body), " ")) {
		if !slices.ContainsFunc(m.Files, func(f string) bool { return strings.Contains(path.Base(f), name) }) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return false
	}
	whole, changed := map[string]bool{}, map[string]bool{}
	before, after := strings.Split(c.Old, "\n"), strings.Split(c.New, "\n")
	for _, side := range [][2][]string{{before, after}, {after, before}} {
		other := map[string]bool{}
		for _, line := range side[1] {
			other[line] = true
		}
		for _, line := range side[0] {
			for _, word := range identifiers(line) {
				whole[word] = true
				changed[word] = changed[word] || !other[line]
			}
		}
	}
	n := 0
	for _, name := range names {
		if changed[name] {
			return true
		}
		if whole[name] {
			n++
		}
	}
	return n >= 2
}

// identifiers returns the words of a text as programs are made of: letters, digits and underscores.
func identifiers(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
