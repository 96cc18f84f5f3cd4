package setup

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
)

// Merge returns the settings with exactly the wanted entries of ours in them. Entries of ours that already stand
// there as wanted keep their bytes, those of another binary or time-out are rewritten where they stand, others of ours
// go, and what is missing is appended after the hooks of other tools. All other bytes stay. Merging twice changes
// nothing more. The error is ErrNotJSON or ErrShape.
func Merge(src []byte, want []Entry) ([]byte, error) {
	out, _, err := merge(src, want)
	return out, err
}

// Unmerge returns the settings without the hooks that isOurs names, without the groups, events and the "hooks" key that
// Merge made for them, and without our status line. On a text without hooks of ours Unmerge after Merge gives back the
// text to the byte. Parts of an unknown shape hold nothing of ours and stay. The error is ErrNotJSON.
func Unmerge(src []byte, isOurs func(Handler) bool) ([]byte, error) {
	d, err := parse(src)
	if err != nil {
		return nil, err
	}
	gone := map[*node]bool{}
	for _, f := range d.handlers() {
		if isOurs(f.Handler) {
			gone[f.node] = true
		}
	}
	for _, n := range d.statusLines() {
		gone[n] = true
	}
	if len(gone) == 0 {
		return src, nil
	}
	return d.with(d.without(gone, nil)), nil
}

// changes counts what a merge does to hooks of ours.
type changes struct{ added, replaced, removed int }

func merge(src []byte, want []Entry) ([]byte, changes, error) {
	d, err := parse(src)
	if err != nil {
		return nil, changes{}, err
	}
	if d.root == nil {
		return d.with(insertAll(d.body, want)), changes{added: len(want)}, nil
	}
	if err := checkShape(d.root); err != nil {
		return nil, changes{}, err
	}
	s := d.settle(want)
	body := d.body
	if len(s.gone)+len(s.rewrite) > 0 {
		body = d.without(s.gone, s.rewrite)
	}
	if len(s.missing) > 0 {
		body = insertAll(body, s.missing)
	}
	return d.with(body), changes{added: len(s.missing), replaced: len(s.rewrite), removed: len(s.gone)}, nil
}

// withHooks adds entries to a text of ours.
func withHooks(text string, entries []Entry) []byte {
	out, err := Merge([]byte(text), entries)
	if err != nil {
		panic(err) // the text is a constant of this package
	}
	return out
}

// checkShape refuses settings in which we cannot be sure what an insertion would mean.
func checkShape(root *node) error {
	if root.kind != '{' {
		return fmt.Errorf("%w: the whole is not an object", ErrShape)
	}
	for _, member := range root.items {
		if member.key != "hooks" {
			continue
		}
		if member.val.kind != '{' {
			return fmt.Errorf(`%w: "hooks" is not an object`, ErrShape)
		}
		for _, event := range member.val.items {
			if event.val.kind != '[' {
				return fmt.Errorf(`%w: "hooks" has %q, which is not an array`, ErrShape, event.key)
			}
		}
	}
	return nil
}

// found is a hook together with where it stands.
type found struct {
	Handler
	node *node
	live bool // false if a doubled key hides it from the agent
}

// handlers lists every hook in the order of the text. What is not of the known shape is passed over.
func (d document) handlers() []found {
	var all []found
	if d.root == nil || d.root.kind != '{' {
		return nil
	}
	for _, hooks := range d.root.items {
		if hooks.key != "hooks" || hooks.val.kind != '{' {
			continue
		}
		counts := hooks.val == d.root.get("hooks")
		lasts := hooks.val.lasts()
		for _, event := range hooks.val.items {
			live := counts && event.val == lasts[event.key]
			all = append(all, d.handlersOf(event, live)...)
		}
	}
	return all
}

func (d document) handlersOf(event item, live bool) []found {
	if event.val.kind != '[' {
		return nil
	}
	var all []found
	for _, group := range event.val.items {
		list := group.val.get("hooks")
		if list == nil && group.val.get("command") != nil {
			h := d.handler(group.val)
			h.Event, h.Flat, h.Type = event.key, true, cmp.Or(h.Type, "command")
			all = append(all, found{Handler: h, node: group.val, live: live})
		}
		if list == nil || list.kind != '[' {
			continue
		}
		for _, it := range list.items {
			h := d.handler(it.val)
			h.Event, h.Matcher = event.key, d.matcher(group.val)
			all = append(all, found{Handler: h, node: it.val, live: live})
		}
	}
	return all
}

func (d document) handler(n *node) Handler {
	var h Handler
	h.Type, _ = d.text(n.get("type"))
	h.Command, _ = d.text(n.get("command"))
	h.Args, _ = d.texts(n.get("args"))
	return h
}

// matcher returns a group's matcher, with "" for all that match everything.
func (d document) matcher(group *node) string {
	m := group.get("matcher")
	if m == nil {
		return ""
	}
	s, ok := d.text(m)
	if !ok {
		return string(d.body[m.start:m.end]) // equal to no matcher of ours
	}
	if s == "*" {
		return ""
	}
	return s
}

// settlement says what becomes of our hooks.
type settlement struct {
	gone    map[*node]bool
	rewrite []splice
	missing []Entry
}

// settle pairs the hooks of ours that are there with those that are wanted.
func (d document) settle(want []Entry) settlement {
	s := settlement{gone: map[*node]bool{}}
	st := styleOf(d)
	left := slices.Clone(want)
	for _, f := range d.handlers() {
		if !Ours(f.Handler) {
			continue
		}
		i := slices.IndexFunc(left, func(e Entry) bool {
			return e.Event == f.Event && e.Matcher == f.Matcher && e.Flat == f.Flat
		})
		if !f.live || i < 0 {
			s.gone[f.node] = true
			continue
		}
		if !d.stands(left[i], f.node) {
			s.rewrite = append(s.rewrite, splice{f.node.start, f.node.end, st.handler(left[i])})
		}
		left = slices.Delete(left, i, i+1)
	}
	s.missing = left
	return s
}

// stands reports whether a hook says exactly what the entry says, in whatever layout.
func (d document) stands(e Entry, n *node) bool {
	h := d.handler(n)
	timeout, members := n.get("timeout"), 1
	if !e.Flat {
		members++
		if h.Type != "command" {
			return false
		}
	}
	if e.Timeout > 0 {
		members++
		if timeout == nil || string(d.body[timeout.start:timeout.end]) != strconv.Itoa(e.Timeout) {
			return false
		}
	}
	return len(n.items) == members && h.Command == e.Command
}
