package setup

import (
	"path/filepath"
	"slices"
	"strings"
)

// source is one of the settings files that the agent reads together.
type source struct {
	path    string
	managed bool
	doc     document
	err     error // why it cannot be read; the agent then ignores the whole file
}

// sources reads the settings that are there, those that count more last.
func (c Config) sources() []source {
	paths := []string{c.settingsFile(ScopeUser)}
	if project := c.settingsFile(ScopeProject); project != "" {
		paths = append(paths, project, filepath.Join(filepath.Dir(project), "settings.local.json"))
	}
	if c.Managed != "" {
		paths = append(paths, c.Managed)
	}
	var list []source
	for _, path := range paths {
		f, err := read(path)
		if err == nil && !f.exists() {
			continue
		}
		s := source{path: path, managed: path == c.Managed, err: err}
		if err == nil {
			s.doc, s.err = parse(f.data)
		}
		list = append(list, s)
	}
	return list
}

// ours lists the hooks of ours that are in force.
func (s source) ours() []found {
	return slices.DeleteFunc(s.doc.handlers(), func(f found) bool { return !f.live || !Ours(f.Handler) })
}

// truth returns a member that must be true or false; ok is false for anything else.
func (s source) truth(n *node) (value, ok bool) {
	if n == nil {
		return false, false
	}
	word := string(s.doc.body[n.start:n.end])
	return word == "true", word == "true" || word == "false"
}

// plugins lists the enabled plugins (name@marketplace) in the order of the files that first name them.
func plugins(all []source) []string {
	var names []string
	on := map[string]bool{}
	for _, s := range all {
		list := s.doc.root.get("enabledPlugins")
		if list == nil || list.kind != '{' {
			continue
		}
		for _, it := range list.items {
			value, ok := s.truth(it.val)
			if !ok {
				continue
			}
			if _, known := on[it.key]; !known {
				names = append(names, it.key)
			}
			on[it.key] = value
		}
	}
	return slices.DeleteFunc(names, func(name string) bool { return !on[name] })
}

// ourPlugin returns the enabled plugin of ours, "" if there is none.
func ourPlugin(all []source) string {
	for _, p := range plugins(all) {
		if name, _, _ := strings.Cut(p, "@"); name == "remanence" {
			return p
		}
	}
	return ""
}

// disabled returns the file and key that switch hooks off; key is "" if nothing does.
func disabled(all []source) (path, key string) {
	for _, s := range all {
		if off, ok := s.truth(s.doc.root.get("disableAllHooks")); ok {
			path, key = "", ""
			if off {
				path, key = s.path, "disableAllHooks"
			}
		}
	}
	if key != "" {
		return path, key
	}
	for _, s := range all {
		if only, _ := s.truth(s.doc.root.get("allowManagedHooksOnly")); only && s.managed {
			return s.path, "allowManagedHooksOnly"
		}
	}
	return "", ""
}

// memoryTools are the names by which other memory tools show in hooks and plugins.
func memoryTools() []string {
	return []string{
		"claude-mem", "memoryforge", "mindstone", "surrealdb-memory", "engram", "basic-memory", "mem0",
		"supermemory",
	}
}

// otherTool is another memory tool at work.
type otherTool struct {
	name string
	at   string // plugin id, or the settings file with its hooks
	fix  string
}

// otherTools finds other memory tools, each once.
func otherTools(all []source) []otherTool {
	var list []otherTool
	add := func(name, at, fix string) {
		if name != "" && !slices.ContainsFunc(list, func(o otherTool) bool { return o.name == name }) {
			list = append(list, otherTool{name, at, fix})
		}
	}
	for _, p := range plugins(all) {
		add(toolIn(p), "plugin "+p, "claude plugin disable "+p)
	}
	for _, s := range all {
		for _, f := range s.doc.handlers() {
			if f.live && !Ours(f.Handler) {
				add(toolIn(string(s.doc.body[f.node.start:f.node.end])), s.path, "remove its hooks from "+s.path)
			}
		}
	}
	return list
}

// toolIn returns the memory tool whose name stands in a text as a word.
func toolIn(text string) string {
	text = strings.ToLower(text)
	for _, name := range memoryTools() {
		for at := 0; ; {
			i := strings.Index(text[at:], name)
			if i < 0 {
				break
			}
			from, to := at+i, at+i+len(name)
			if !wordAt(text, from-1) && !wordAt(text, to) {
				return name
			}
			at = to
		}
	}
	return ""
}

func wordAt(text string, i int) bool {
	return i >= 0 && i < len(text) && (text[i] >= 'a' && text[i] <= 'z' || text[i] >= '0' && text[i] <= '9')
}
