package setup

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// serverName is the name of our MCP server in every configuration.
const serverName = "remanence"

// PluginServer is the text of the plugin's .mcp.json: the server, run from the
// plugin's own directory.
func PluginServer() []byte { return serverText("${CLAUDE_PLUGIN_ROOT}/bin/remanence") }

// serverText is a whole .mcp.json with our server alone.
func serverText(binary string) []byte {
	return fmt.Appendf(nil, `{
  "mcpServers": {
    "%s": {
      "command": %s,
      "args": ["mcp"]
    }
  }
}
`, serverName, quote(binary))
}

// AgentFile is where the agent keeps the MCP servers of a user, beside much else
// of its own: it lays the file out anew whenever it starts.
func (c Config) AgentFile() string {
	if c.ClaudeDir != "" {
		return filepath.Join(c.ClaudeDir, ".claude.json")
	}
	return filepath.Join(c.Home, ".claude.json")
}

// ErrTaken means that a server of another program has our server's name.
var ErrTaken = errors.New("another server has the name")

// ServerPlan is what putting our server into the agent's configuration will do.
// Making one writes nothing.
type ServerPlan struct {
	Binary string
	File   string // that will be edited
	Create bool   // there is none yet

	was   file
	after []byte
}

// Changes reports whether the file will be written to.
func (p ServerPlan) Changes() bool { return p.Create || !bytes.Equal(p.was.data, p.after) }

// PlanServer reads the agent's configuration and works out what it will become.
// Only our server is spliced in; what cannot be merged is left alone, and the
// error says why: ErrTaken too.
func PlanServer(c Config) (ServerPlan, error) {
	if err := checkBinary(c.Binary); err != nil {
		return ServerPlan{}, err
	}
	p := ServerPlan{Binary: c.Binary, File: c.AgentFile()}
	var err error
	if p.was, err = read(p.File); err != nil {
		return p, err
	}
	before := p.was.data
	if p.Create = !p.was.exists(); p.Create {
		before = []byte("{}\n")
	}
	if p.after, err = mergeServer(before, c.Binary, serverForm{"mcpServers", style.server}); err != nil {
		return p, fmt.Errorf("%s: %w; nothing was changed", p.File, err)
	}
	return p, p.was.writable()
}

// ApplyServer carries a plan out and returns its record. The record does not hold
// the file as it was: it is the agent's own, and another after each of its starts.
func ApplyServer(c Config, p ServerPlan) (Record, error) {
	for _, r := range serverRecords(c) {
		if !p.Changes() && r.File == p.File {
			return r, p.was.unchanged()
		}
	}
	r := Record{
		Schema: RecordSchema, When: c.now(), Agent: AgentID, Scope: ScopeUser, Binary: p.Binary, File: p.File,
		Target:  p.was.target,
		Created: p.Create, SHA256Before: digest(p.was.data), SHA256After: digest(p.after), Server: true,
	}
	if p.Create {
		r.Dirs = missingDirs(filepath.Dir(p.File))
	}
	r, err := r.save(c.RecordDir)
	if err != nil || !p.Changes() {
		return r, err
	}
	if err := (Plan{Scope: ScopeUser, Dirs: r.Dirs, was: p.was, after: p.after}).write(); err != nil {
		return Record{}, errors.Join(err, forget(c.RecordDir, []string{r.ID}))
	}
	return r, nil
}

func serverRecords(c Config) []Record {
	all, _ := Records(c) // a damaged one is reported where records are removed
	return slices.DeleteFunc(all, func(r Record) bool { return !r.Server })
}

// planServerRemoval looks for our server wherever an installation put it, and
// where the agent looks.
func planServerRemoval(c Config, records []Record) ([]Step, error) {
	files := []string{c.AgentFile()}
	for _, r := range records {
		if r.Server && !slices.Contains(files, r.File) {
			files = append(files, r.File)
		}
	}
	var steps []Step
	var errs []error
	for _, path := range files {
		mine := slices.DeleteFunc(slices.Clone(records), func(r Record) bool { return !r.Server || r.File != path })
		step, err := serverStep(path, mine)
		if err != nil {
			errs = append(errs, err)
		} else if step.Action != Keep || len(step.Records) > 0 {
			steps = append(steps, step)
		}
	}
	return steps, errors.Join(errs...)
}

// serverStep is what uninstalling will do to the agent's configuration. Nothing of
// ours in it, and no record of it, is a step of no kind.
func serverStep(path string, records []Record) (Step, error) {
	s := Step{File: path, Action: Keep, Server: true}
	created := false
	for _, r := range records {
		s.Records, s.Dirs, created = append(s.Records, r.ID), append(s.Dirs, r.Dirs...), created || r.Created
	}
	var err error
	if s.was, err = read(path); len(records) == 0 && (err != nil || !bytes.Contains(s.was.data, []byte(serverName))) {
		return s, nil
	}
	if err != nil {
		return Step{}, err
	}
	if !s.was.exists() {
		return s, nil
	}
	if s.after, err = unmergeServer(s.was.data, "mcpServers"); err != nil {
		return Step{}, fmt.Errorf("%s: %w; nothing was changed", path, err)
	}
	if s.Action = s.choose(s.was.data, created); s.Action == Keep {
		return s, nil
	}
	return s, s.was.writable()
}

// serverForm is how a client's configuration holds servers: the member that they are in, and the entry of ours.
type serverForm struct {
	list  string
	entry func(st style, binary string) string
}

// mergeServer returns the configuration with our server in it, run by the binary, as form writes it.
// One of ours that stands there as wanted keeps its bytes, one of another place
// is rewritten where it stands.
func mergeServer(src []byte, binary string, form serverForm) ([]byte, error) {
	d, err := parse(src)
	if err != nil {
		return nil, err
	}
	if d.root == nil || d.root.kind != '{' {
		return nil, fmt.Errorf("%w: the whole is not an object", ErrShape)
	}
	st := styleOf(d)
	entry := form.entry(st, binary)
	list := d.root.get(form.list)
	switch {
	case list == nil:
		return d.with(d.add(st, d.root, func(st style, indent string) string {
			return quote(form.list) + st.colon + st.around("{}", indent, quote(serverName)+st.colon+entry)
		})), nil
	case list.kind != '{':
		return nil, fmt.Errorf("%w: %q is not an object", ErrShape, form.list)
	}
	ours := list.get(serverName)
	switch {
	case ours == nil:
		return d.with(d.add(st, list, func(st style, _ string) string { return quote(serverName) + st.colon + entry })), nil
	case !d.ourServer(ours):
		return nil, fmt.Errorf("%w %q", ErrTaken, serverName)
	case d.runs(ours, binary):
		return src, nil
	}
	program := ours.program() // what the person put beside it stays
	return d.with(apply(d.body, []splice{{program.start, program.end, quote(binary)}})), nil
}

// unmergeServer returns the configuration without our server, and without the
// list of servers if that was made for it.
func unmergeServer(src []byte, list string) ([]byte, error) {
	d, err := parse(src)
	if err != nil || d.root == nil || d.root.kind != '{' {
		return src, err
	}
	c := cutter{body: d.body}
	emptied := c.sweep(d.root, func(member item) bool {
		return member.key == list && member.val.kind == '{' && c.sweepMarked(member.val, func(it item) bool {
			return it.key == serverName && d.ourServer(it.val)
		})
	})
	if emptied {
		c.cutWhole(d.root)
	}
	if len(c.cuts) == 0 {
		return src, nil
	}
	return d.with(apply(d.body, c.cuts)), nil
}

// server is our entry, on one line.
func (st style) server(binary string) string {
	return "{" + strings.Join([]string{
		`"type"` + st.colon + `"stdio"`, `"command"` + st.colon + quote(binary), `"args"` + st.colon + `["mcp"]`,
	}, ","+st.gap) + "}"
}

// ourServer reports whether a server runs our program as one, whatever else the
// person or the agent has put beside.
func (d document) ourServer(n *node) bool {
	command, _ := d.text(n.program())
	args, _ := d.texts(n.get("args"))
	if whole, ok := d.texts(n.get("command")); ok && len(whole) > 0 {
		args = whole[1:]
	}
	return isRemanence(command) && len(args) > 0 && args[0] == "mcp"
}

// program is the value that names a server's program: its command, or the first word of a command that is a list.
func (n *node) program() *node {
	command := n.get("command")
	if command != nil && command.kind == '[' && len(command.items) > 0 {
		return command.items[0].val
	}
	return command
}

// Server returns the command line of our server in the agent's configuration; ok
// is false where there is none, or nothing can be read.
func Server(c Config) (file string, command []string, ok bool) {
	f, err := read(c.AgentFile())
	if err != nil {
		return "", nil, false
	}
	d, err := parse(f.data)
	if err != nil {
		return "", nil, false
	}
	n := d.root.get("mcpServers").get(serverName)
	if n == nil || !d.ourServer(n) {
		return "", nil, false
	}
	program, _ := d.text(n.get("command"))
	args, ok := d.texts(n.get("args"))
	return f.path, append([]string{program}, args...), ok
}

func (d document) runs(n *node, binary string) bool {
	command, _ := d.text(n.program())
	return command == binary
}
