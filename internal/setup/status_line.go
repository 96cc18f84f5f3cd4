package setup

import (
	"fmt"
	"strings"
)

// statusLineKey is the member of the settings with the command of the agent's status line.
const statusLineKey = "statusLine"

const statusLineArgs = " statusline"

// LineState says what an installation does about the agent's status line.
type LineState string

// The states. The zero value means that the settings have no status line, and get none.
const (
	LineAdded LineState = "added"
	LineOurs  LineState = "ours"  // ours is there already; it gets the program's present place
	LineOther LineState = "other" // there is one of another program, which stays
)

// StatusLine returns the state of the status line in settings.
func StatusLine(src []byte) LineState {
	d, err := parse(src)
	if err != nil || d.root == nil || d.root.get(statusLineKey) == nil {
		return ""
	}
	if d.ourStatusLine(d.root.get(statusLineKey)) {
		return LineOurs
	}
	return LineOther
}

// mergeStatusLine returns the settings with our status line, run by the binary. One of ours is rewritten only where it
// runs another binary; without add a missing one stays missing, and one of another program always stays.
func mergeStatusLine(src []byte, binary string, add bool) ([]byte, LineState, error) {
	d, err := parse(src)
	if err != nil {
		return nil, "", err
	}
	if d.root == nil || d.root.kind != '{' {
		return nil, "", fmt.Errorf("%w: the whole is not an object", ErrShape)
	}
	command, was := shellWord(binary)+statusLineArgs, StatusLine(src)
	switch {
	case was == LineOurs:
		n := d.root.get(statusLineKey).get("command")
		if text, _ := d.text(n); text == command {
			return src, was, nil
		}
		return d.with(apply(d.body, []splice{{n.start, n.end, quote(command)}})), was, nil
	case was == LineOther || !add:
		return src, was, nil
	}
	st := styleOf(d)
	return d.with(d.add(st, d.root, func(st style, _ string) string {
		return quote(statusLineKey) + st.colon + "{" + `"type"` + st.colon + `"command",` + st.gap + `"command"` + st.colon +
			quote(command) + "}"
	})), LineAdded, nil
}

// ourStatusLine reports whether a status line runs our program, of whatever version and place, and nothing else.
func (d document) ourStatusLine(n *node) bool {
	command, _ := d.text(n.get("command"))
	program, rest, ok := strings.Cut(strings.TrimSpace(command), statusLineArgs)
	return ok && rest == "" && isRemanence(unquote(strings.TrimSpace(program)))
}

// statusLines lists our status lines: a doubled key may hold more than one.
func (d document) statusLines() []*node {
	var all []*node
	if d.root == nil || d.root.kind != '{' {
		return nil
	}
	for _, member := range d.root.items {
		if member.key == statusLineKey && d.ourStatusLine(member.val) {
			all = append(all, member.val)
		}
	}
	return all
}
