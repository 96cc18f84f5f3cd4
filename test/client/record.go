package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"time"
)

// obj is any JSON object.
type obj = map[string]any

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// encode renders v as one JSON line without HTML escaping.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	die(e.Encode(v))
	return b.Bytes()
}

// appendJSON adds one line to path with a single write, so that hooks running side by side do not mix their lines.
// It stays silent when it cannot: a recording hook must not disturb the client it records.
func appendJSON(path string, v any) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return
	}
	_, _ = f.Write(encode(v))
	_ = f.Close()
}

// readLines calls fn for every JSON line of path, up to the first one that does not parse. A missing file has no lines.
func readLines[T any](path string, fn func(T)) {
	f, err := os.Open(path)
	if err != nil {
		return
	}
	defer f.Close()
	lines := json.NewDecoder(f)
	for {
		var record T
		if lines.Decode(&record) != nil {
			return
		}
		fn(record)
	}
}

// environ is the process environment with the values of secret-looking names hidden.
func environ() map[string]string {
	env := map[string]string{}
	for _, pair := range os.Environ() {
		name, value, _ := strings.Cut(pair, "=")
		if looksSecret(name) {
			value = "<redacted>"
		}
		env[name] = value
	}
	return env
}

func looksSecret(name string) bool {
	name = strings.ToUpper(name)
	for _, word := range []string{"KEY", "TOKEN", "SECRET", "PASSWORD"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// headers is h with lower-case names and without credentials.
func headers(h http.Header) map[string]string {
	m := map[string]string{}
	for name, values := range h {
		name = strings.ToLower(name)
		m[name] = strings.Join(values, ",")
		if name == "authorization" || name == "x-api-key" || name == "cookie" {
			m[name] = "<redacted>"
		}
	}
	return m
}

func writeJSON(w http.ResponseWriter, code int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, _ = w.Write(encode(v))
}
