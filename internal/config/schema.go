package config

import "strings"

// Schema returns the JSON Schema of the configuration file, made from Options.
func Schema() map[string]any {
	root := object()
	for _, o := range Options() {
		at, path := root, strings.Split(o.Key, ".")
		for _, name := range path[:len(path)-1] {
			props := at["properties"].(map[string]any)
			if props[name] == nil {
				props[name] = object()
			}
			at = props[name].(map[string]any)
		}
		at["properties"].(map[string]any)[path[len(path)-1]] = o.Schema()
	}
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = "Remanence configuration"
	return root
}

func object() map[string]any {
	return map[string]any{"type": "object", "additionalProperties": false, "properties": map[string]any{}}
}
