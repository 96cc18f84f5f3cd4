package setup

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"remanence/internal/setup/toml"
)

// Codex runs a hook only if its configuration trusts it: the table hooks.state."FILE:EVENT:GROUP:INDEX" has a hash of
// the hook as it stands. A hook without is skipped, silently.

// codexHook is one of our hooks as Codex names it, with the hash of what it runs.
type codexHook struct{ key, hash string }

// codexHooks lists our hooks in the text of a hooks.json.
func codexHooks(file string, src []byte) []codexHook {
	d, err := parse(src)
	if err != nil || d.root == nil {
		return nil
	}
	ours := map[*node]Handler{}
	for _, f := range d.handlers() {
		if f.live && Ours(f.Handler) {
			ours[f.node] = f.Handler
		}
	}
	var list []codexHook
	hooks := d.root.get("hooks")
	if hooks == nil {
		return nil
	}
	for _, event := range hooks.items {
		for g, group := range event.val.items {
			handlers := group.val.get("hooks")
			if handlers == nil {
				continue
			}
			for i, it := range handlers.items {
				h, is := ours[it.val]
				if !is {
					continue
				}
				timeout := it.val.get("timeout")
				if timeout == nil {
					continue
				}
				seconds := string(d.body[timeout.start:timeout.end])
				list = append(list, codexHook{
					key:  fmt.Sprintf("%s:%s:%d:%d", file, snake(event.key), g, i),
					hash: codexHash(snake(event.key), h.Matcher, h.Command, seconds),
				})
			}
		}
	}
	return list
}

// codexHash is the hash by which Codex knows a hook: that of its description as JSON with sorted keys. It was compared
// with what "codex app-server" answers to hooks/list, in version 0.169.0.
func codexHash(event, matcher, command, seconds string) string {
	var b strings.Builder
	b.WriteString(`{"event_name":` + quote(event) + `,"hooks":[{"async":false,"command":` + quote(command) +
		`,"timeout":` + seconds + `,"type":"command"}]`)
	if matcher != "" {
		b.WriteString(`,"matcher":` + quote(matcher))
	}
	b.WriteString("}")
	sum := sha256.Sum256([]byte(b.String()))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// snake turns "SessionStart" into "session_start".
func snake(name string) string {
	var b strings.Builder
	for i, r := range name {
		if r >= 'A' && r <= 'Z' {
			if i > 0 {
				b.WriteByte('_')
			}
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// putCodex adds our server, and the trust in our hooks, to a config.toml.
func putCodex(src []byte, in input) ([]byte, error) {
	if in.parts.Hooks || in.parts.Server {
		out, err := cutTables(src, in, in.parts.Hooks && in.parts.Trusted, in.parts.Server)
		if err != nil {
			return nil, err
		}
		src = out
	}
	if in.parts.Hooks {
		src = cutNotify(src)
	}
	d := toml.Parse(src)
	var tables []string
	if in.parts.Server {
		switch {
		case d.Has("mcp_servers", serverName):
			return nil, fmt.Errorf("%w %q", ErrTaken, serverName)
		case d.Assigned("mcp_servers"):
			return nil, fmt.Errorf("%w: mcp_servers is not a table", ErrShape)
		}
		tables = append(tables, "[mcp_servers."+serverName+"]\ncommand = "+quote(in.binary)+"\nargs = [\"mcp\"]\n")
	}
	if in.parts.Hooks && in.parts.Trusted {
		if d.Assigned("hooks") || d.Assigned("hooks", "state") {
			return nil, fmt.Errorf("%w: hooks.state is not a table", ErrShape)
		}
		for _, h := range codexHooks(in.hooksFile, in.hooksText) {
			tables = append(tables, "[hooks.state."+quote(h.key)+"]\ntrusted_hash = "+quote(h.hash)+"\n")
		}
	}
	src = toml.Append(src, tables...)
	if in.parts.Hooks && untrusted(in.hooksFile, in.hooksText, src) > 0 && !toml.Parse(src).Has("notify") {
		src = toml.Prepend(src, "notify = ["+quote(in.binary)+`, "hook", "codex", "`+notifyWord+`"]`)
	}
	return src, nil
}

func cutCodex(src []byte, in input) ([]byte, error) { return cutTables(cutNotify(src), in, true, true) }

// Codex runs one program, "notify", at the end of each turn, and asks for no trust in it. While Codex skips our hooks,
// that one reports the turn, unless the person has a program of his own there.

// notifyWord is what the hook command is given besides Codex's own argument.
const notifyWord = "notify"

// notifies reports whether the program in a config.toml is ours.
func notifies(config []byte) bool {
	words := toml.Words(config, "notify")
	return len(words) == 4 && isRemanence(words[0]) && slices.Equal(words[1:], []string{"hook", "codex", notifyWord})
}

func cutNotify(src []byte) []byte {
	if !notifies(src) {
		return src
	}
	return toml.CutValue(src, "notify")
}

// untilTrusted says what becomes of sessions while Codex skips our hooks.
func untilTrusted(config []byte) string {
	if notifies(config) {
		return "until then its notify reports turns as they end, and nothing is injected"
	}
	return "until then nothing is kept of its sessions"
}

// cutTables removes our server, and the trust in our hooks, from a config.toml.
func cutTables(src []byte, in input, trust, server bool) ([]byte, error) {
	var keys []string
	for _, h := range codexHooks(in.hooksFile, in.hooksText) {
		keys = append(keys, h.key)
	}
	server = server && ourTable(toml.Parse(src))
	return toml.Cut(src, func(d toml.Doc, h toml.Head) bool {
		switch {
		case server && toml.StartsWith(h.Name, []string{"mcp_servers", serverName}):
			return true
		case trust && len(h.Name) == 3 && h.Name[0] == "hooks" && h.Name[1] == "state":
			return slices.Contains(keys, h.Name[2]) || staleTrust(d, h, in)
		}
		return false
	}), nil
}

// staleTrust reports whether a table trusts a hook of ours that is not where it was: its hash is that of one.
func staleTrust(d toml.Doc, h toml.Head, in input) bool {
	if !strings.HasPrefix(h.Name[2], in.hooksFile+":") {
		return false
	}
	from, to := d.Body(h)
	text := strings.Join(d.Lines[from:to], "")
	return slices.ContainsFunc(in.entries, func(e Entry) bool {
		return strings.Contains(text, codexHash(snake(e.Event), e.Matcher, e.Command, strconv.Itoa(e.Timeout)))
	})
}

// ourTable reports whether the server of our name runs our program.
func ourTable(d toml.Doc) bool {
	for _, h := range d.Heads {
		if len(h.Name) != 2 || h.Name[0] != "mcp_servers" || h.Name[1] != serverName {
			continue
		}
		from, to := d.Body(h)
		for _, line := range d.Lines[from:to] {
			name, value, ok := strings.Cut(line, "=")
			if ok && strings.TrimSpace(name) == "command" {
				return isRemanence(strings.Trim(strings.TrimSpace(value), `"'`))
			}
		}
	}
	return false
}

// untrusted counts our hooks in a hooks.json that a config.toml does not trust.
func untrusted(file string, hooks, config []byte) int {
	d := toml.Parse(config)
	n := 0
	for _, h := range codexHooks(file, hooks) {
		trusted := false
		for _, head := range d.Heads {
			if len(head.Name) == 3 && toml.StartsWith(head.Name, []string{"hooks", "state", h.key}) {
				from, to := d.Body(head)
				text := strings.Join(d.Lines[from:to], "")
				trusted = strings.Contains(text, quote(h.hash)) && !strings.Contains(text, "enabled = false")
			}
		}
		if !trusted {
			n++
		}
	}
	return n
}
