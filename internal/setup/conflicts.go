package setup

import (
	"fmt"
	"path/filepath"
	"slices"
)

// doubled looks for two hooks of ours that would both run for one event. The agent runs equal commands once, however
// many files name them; those of a plugin and of settings it never takes for equal.
func (s state) doubled() Finding {
	plugin := ourPlugin(s.all)
	type place struct {
		found
		path string
	}
	seen := map[string]place{}
	for _, src := range s.all {
		for _, f := range src.ours() {
			if plugin != "" {
				d := doubledFinding("plugin "+plugin, src.path, "remanence doctor --fix")
				d.Safe = s.repairable(src.path)
				return d
			}
			key := f.Event + " " + f.Matcher
			first, again := seen[key]
			if again && (first.Command != f.Command || !slices.Equal(first.Args, f.Args)) {
				other := src.path // whose hooks are to become those of the other file
				if programOf(f.Handler) == s.Binary {
					other = first.path
				}
				d := doubledFinding(first.path, src.path, s.installFix(other))
				d.Safe = s.repairable(other)
				return d
			}
			seen[key] = place{f, src.path}
		}
	}
	return Finding{ID: "claude.doubled", State: OK, What: "no hook is registered twice"}
}

func doubledFinding(one, other string, fix ...string) Finding {
	return Finding{
		ID: "claude.doubled", Code: CodeDoubled, State: Warn, Safe: true,
		What: "hooks are registered twice: each event is stored once, but starts two processes",
		Why:  fmt.Sprintf("by %s and by %s", one, other), Fix: fix,
	}
}

// stale looks for hooks of ours that this version would write otherwise. Those whose binary is missing are reported by
// binary.
func (s state) stale() Finding {
	for _, src := range slices.Concat(s.all, s.plugin) {
		for _, f := range src.ours() {
			program := programOf(f.Handler)
			gone := filepath.IsAbs(program) && notRunnable(program) != ""
			if gone || s.current(src.doc, f) {
				continue
			}
			return Finding{
				ID: "claude.version", Code: CodeStale, State: Warn, Safe: s.repairable(src.path),
				What: "hooks are those of another version or place",
				Why:  fmt.Sprintf("%s: %s runs %s, this is %s", src.path, f.Event, program, s.Binary),
				Fix:  []string{s.installFix(src.path)},
			}
		}
	}
	return Finding{ID: "claude.version", State: OK, What: "hooks are those of this version"}
}

// current reports whether a hook stands as some profile of this version would write it, by whatever path to this
// program.
func (s state) current(d document, f found) bool {
	binary := s.Binary
	if program := programOf(f.Handler); SameFile(program, binary) {
		binary = program
	}
	for _, e := range entriesOf(append(leanHooks(), moreHooks()...), shellWord(binary), AgentID) {
		if e.Event == f.Event && e.Matcher == f.Matcher {
			return d.stands(e, f.node)
		}
	}
	return false
}

func (s state) enabled() Finding {
	path, key := disabled(s.all)
	if key == "" {
		return Finding{ID: "claude.enabled", State: OK, What: "hooks are switched on"}
	}
	return Finding{
		ID: "claude.enabled", Code: CodeDisabled, State: Fail, What: "Claude Code has its hooks switched off",
		Why: fmt.Sprintf("%s sets %q to true", path, key), Fix: []string{fmt.Sprintf("remove %q from %s", key, path)},
	}
}

func (s state) others() Finding {
	f := Finding{ID: "claude.others", State: OK, What: "no other memory tool is active"}
	tools := otherTools(s.all)
	if len(tools) == 0 {
		return f
	}
	f.Code, f.State, f.What = CodeOthers, Warn, "another memory tool is active: both add to the context"
	for i, o := range tools {
		if i > 0 {
			f.Why += ", "
		}
		f.Why += fmt.Sprintf("%s (%s)", o.name, o.at)
		f.Fix = append(f.Fix, o.fix)
	}
	return f
}
