// Package rawjson finds the members of JSON objects without decoding their values: of what a client writes, most is
// passed over. It checks the outer form only; within a value that is passed over, anything may stand. Reading lines of
// transcripts took 1.4 times as long with package jsontext, whose 90 kB exceed the program's bound, and 3.4 times with
// package gjson, which has to validate them. Start reading at [Object].
package rawjson

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// Object calls f with each member of a JSON object, in order. It reports whether raw is an object; f may have been
// called also if not. Keys and values are parts of raw.
func Object(raw []byte, f func(key, value []byte)) bool {
	return list(raw, '{', func(item []byte) int {
		if item[0] != '"' {
			return -1
		}
		colon := endOfString(item)
		if colon < 0 {
			return -1
		}
		key := item[1 : colon-1]
		if bytes.IndexByte(key, '\\') >= 0 || !utf8.Valid(key) {
			s, _ := String(item[:colon])
			key = []byte(s)
		}
		colon += space(item[colon:])
		if colon == len(item) || item[colon] != ':' {
			return -1
		}
		colon++
		colon += space(item[colon:])
		n := endOfValue(item[colon:])
		if n < 0 {
			return -1
		}
		f(key, item[colon:colon+n])
		return colon + n
	})
}

// Array calls f with each value of a JSON array, in order. It reports whether raw is an array; f may have been called
// also if not. Values are parts of raw.
func Array(raw []byte, f func(value []byte)) bool {
	return list(raw, '[', func(item []byte) int {
		n := endOfValue(item)
		if n > 0 {
			f(item[:n])
		}
		return n
	})
}

// list calls item with what follows the bracket and each comma. item returns the length of what it took, -1 if it has
// another form.
func list(raw []byte, bracket byte, item func([]byte) int) bool {
	raw = raw[space(raw):]
	if len(raw) == 0 || raw[0] != bracket {
		return false
	}
	end := bracket + 2 // the closing bracket
	for first := true; ; first = false {
		raw = raw[1:]
		raw = raw[space(raw):]
		if first && len(raw) > 0 && raw[0] == end {
			break
		}
		if len(raw) == 0 {
			return false
		}
		n := item(raw)
		if n < 0 {
			return false
		}
		raw = raw[n:]
		raw = raw[space(raw):]
		if len(raw) > 0 && raw[0] == end {
			break
		}
		if len(raw) == 0 || raw[0] != ',' {
			return false
		}
	}
	return 1+space(raw[1:]) == len(raw)
}

// space returns the length of the white space that b begins with.
func space(b []byte) (n int) {
	for n < len(b) && (b[n] == ' ' || b[n] == '\n' || b[n] == '\t' || b[n] == '\r') {
		n++
	}
	return n
}

// endOfValue returns the length of the value that b begins with; -1 if it has no end.
func endOfValue(b []byte) int {
	if len(b) == 0 {
		return -1
	}
	switch b[0] {
	case '"':
		return endOfString(b)
	case '{', '[':
		return endOfContainer(b)
	}
	n := bytes.IndexAny(b, ",]} \n\t\r")
	if n < 0 {
		n = len(b)
	}
	if n > 0 && strings.IndexByte("-0123456789tfn", b[0]) >= 0 {
		return n
	}
	return -1
}

// endOfString returns the length of the string that b begins with; -1 if it has no end.
func endOfString(b []byte) int {
	for n := 1; ; {
		quote := bytes.IndexByte(b[n:], '"')
		if quote < 0 {
			return -1
		}
		n += quote
		escapes := 0
		for b[n-1-escapes] == '\\' { // ends at the opening quote
			escapes++
		}
		n++
		if escapes%2 == 0 {
			return n
		}
	}
}

// endOfContainer returns the length of the object or array that b begins with; -1 if it has no end.
func endOfContainer(b []byte) int {
	depth := 0
	for n := 0; n < len(b); n++ {
		switch b[n] {
		case '"':
			end := endOfString(b[n:])
			if end < 0 {
				return -1
			}
			n += end - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return n + 1
			}
		}
	}
	return -1
}

// String returns a JSON string as encoding/json decodes it; ok is false if raw is none.
func String(raw []byte) (s string, ok bool) {
	if len(raw) < 2 || raw[0] != '"' || raw[len(raw)-1] != '"' {
		return "", false
	}
	text := raw[1 : len(raw)-1]
	if !utf8.Valid(text) {
		return decoded(raw)
	}
	var b strings.Builder
	for {
		n := bytes.IndexByte(text, '\\')
		if n < 0 && b.Len() == 0 {
			return string(text), true
		}
		if n < 0 {
			b.Write(text)
			return b.String(), true
		}
		escaped := -1
		if n+1 < len(text) {
			escaped = strings.IndexByte(`"\/bfnrt`, text[n+1])
		}
		if escaped < 0 {
			return decoded(raw)
		}
		if b.Len() == 0 {
			b.Grow(len(text))
		}
		b.Write(text[:n])
		b.WriteByte("\"\\/\b\f\n\r\t"[escaped])
		text = text[n+2:]
	}
}

// decoded is String for any escape.
func decoded(raw []byte) (s string, ok bool) {
	return s, json.Unmarshal(raw, &s) == nil
}
