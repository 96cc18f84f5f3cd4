package setup

import (
	"bytes"
	"encoding/json"
	"reflect"
)

// pluginKey says under which key a member of the settings holds what is our plugin's, e.g. "remanence@remanence" in
// "enabledPlugins".
func pluginKey(member string) (key string, ok bool) {
	switch member {
	case "enabledPlugins", "pluginConfigs": // the latter: options that the person chose for it
		return pluginID, true
	case "extraKnownMarketplaces":
		return market, true
	}
	return "", false
}

// namesPlugin reports whether settings hold anything of our plugin, switched on or off.
func namesPlugin(src []byte) bool {
	d, err := parse(src)
	if err != nil || d.root == nil {
		return false
	}
	for _, member := range d.root.items {
		if key, ok := pluginKey(member.key); ok && member.val.get(key) != nil {
			return true
		}
	}
	return false
}

// withoutPlugin cuts our plugin out of settings, and the objects that are empty then; those named in stay were there
// empty before. All other bytes stay. The error is ErrNotJSON.
func withoutPlugin(src []byte, stay map[string]bool) ([]byte, error) {
	d, err := parse(src)
	if err != nil || d.root == nil || d.root.kind != '{' {
		return src, err
	}
	c := cutter{body: d.body}
	emptied := c.sweep(d.root, func(member item) bool {
		key, ok := pluginKey(member.key)
		if !ok || member.val.kind != '{' {
			return false
		}
		return c.sweepPlugin(member.val, key, stay[member.key])
	})
	if emptied {
		c.cut(d.root.start+1, d.root.end-1)
	}
	return d.with(apply(d.body, c.cuts)), nil
}

// sweepPlugin cuts one key out of an object. It reports whether the object itself is to go.
func (c *cutter) sweepPlugin(n *node, key string, stays bool) (goes bool) {
	if len(n.items) == 0 {
		return !stays
	}
	if !c.sweep(n, func(it item) bool { return it.key == key }) {
		return false
	}
	if stays {
		c.cut(n.start+1, n.end-1)
	}
	return !stays
}

// emptyMembers lists the members for plugins that settings hold, but with nothing inside.
func emptyMembers(src []byte) map[string]bool {
	list := map[string]bool{}
	d, err := parse(src)
	if err != nil || d.root == nil {
		return list
	}
	for _, member := range d.root.items {
		if _, ok := pluginKey(member.key); ok && member.val.kind == '{' && len(member.val.items) == 0 {
			list[member.key] = true
		}
	}
	return list
}

// sameSettings reports whether two texts mean the same to the agent but for our plugin. Numbers count as the agent
// reads them, as doubles; of doubled keys the last one counts; empty lists of hooks and plugins say nothing.
func sameSettings(a, b []byte) bool {
	x, ok := meaning(a)
	if !ok {
		return false
	}
	y, ok := meaning(b)
	return ok && reflect.DeepEqual(x, y)
}

func meaning(src []byte) (map[string]any, bool) {
	m := map[string]any{}
	src = bytes.TrimPrefix(src, []byte(utfBOM))
	if len(bytes.Trim(src, blanks)) == 0 {
		return m, true
	}
	if err := json.Unmarshal(src, &m); err != nil || m == nil {
		return nil, false
	}
	for name, value := range m {
		inner, ok := value.(map[string]any)
		if !ok {
			continue
		}
		if key, ok := pluginKey(name); ok {
			delete(inner, key)
		} else if name != "hooks" {
			continue
		}
		for event, list := range inner {
			if l, ok := list.([]any); ok && len(l) == 0 {
				delete(inner, event)
			}
		}
		if len(inner) == 0 {
			delete(m, name)
		}
	}
	return m, true
}

// withoutMember cuts one member of an object at a path of keys out of a text. All other bytes stay, and so does a text
// that is of another shape.
func withoutMember(src []byte, path ...string) []byte {
	d, err := parse(src)
	if err != nil {
		return src
	}
	at, last := d.root, path[len(path)-1]
	for _, key := range path[:len(path)-1] {
		at = at.get(key)
	}
	if at.get(last) == nil {
		return src
	}
	c := cutter{body: d.body}
	if c.sweep(at, func(it item) bool { return it.key == last }) {
		c.cut(at.start+1, at.end-1)
	}
	return d.with(apply(d.body, c.cuts))
}
