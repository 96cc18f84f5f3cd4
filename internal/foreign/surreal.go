package foreign

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"

	"remanence/internal/api"
)

// isSurrealQL reports whether a file is a dump that "surreal export" wrote: statements that define and fill tables.
func isSurrealQL(name string, head []byte) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".surql", ".surrealql":
		return true
	}
	head = bytes.TrimSpace(head)
	return bytes.HasPrefix(head, []byte("-- ---")) || bytes.HasPrefix(head, []byte("OPTION IMPORT"))
}

// readSurrealQL reads the rows of table memory of a dump as an export, and counts those of other tables.
func readSurrealQL(text string) (api.ExportedMemories, error) {
	p := &surrealParser{text: text}
	rows := map[string][]any{}
	for p.toStatement() {
		table, found, err := p.statement()
		if err != nil {
			return api.ExportedMemories{}, fmt.Errorf("line %d: %w", 1+strings.Count(text[:min(p.at, len(text))], "\n"), err)
		}
		for _, row := range found {
			of := table
			if id, _ := row["id"].(string); strings.Contains(id, ":") {
				of, _, _ = strings.Cut(id, ":")
			}
			rows[of] = append(rows[of], row)
		}
	}
	export, err := json.Marshal(map[string]any{"memories": rows["memory"]})
	if err != nil {
		return api.ExportedMemories{}, err
	}
	out, err := api.ReadExport(bytes.NewReader(export))
	delete(rows, "memory")
	for table, others := range rows {
		out.Drop("rows of "+table, "no table that memories are taken from", len(others))
	}
	return out, err
}

// surrealParser reads the literals of SurrealQL that a dump contains. Durations, ids and times become texts.
type surrealParser struct {
	text string
	at   int
}

// maxNesting bounds how deep values may be nested.
const maxNesting = 64

var errSurrealQL = errors.New("this is no SurrealQL that an export has")

// toStatement skips space and comments, and reports whether something follows.
func (p *surrealParser) toStatement() bool {
	for p.at < len(p.text) {
		rest := p.text[p.at:]
		switch {
		case strings.HasPrefix(rest, "--"), strings.HasPrefix(rest, "//"), rest[0] == '#':
			p.skipTo("\n")
		case strings.HasPrefix(rest, "/*"):
			p.skipTo("*/")
		case rest[0] == ';' || unicode.IsSpace(rune(rest[0])):
			p.at++
		default:
			return true
		}
	}
	return false
}

func (p *surrealParser) skipTo(end string) {
	i := strings.Index(p.text[p.at:], end)
	if i < 0 {
		p.at = len(p.text)
		return
	}
	p.at += i + len(end)
}

// word reads a word; "" if none follows.
func (p *surrealParser) word() string {
	p.toStatement()
	from := p.at
	for p.at < len(p.text) && isWordByte(p.text[p.at]) {
		p.at++
	}
	return p.text[from:p.at]
}

func isWordByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80
}

// next reports whether a byte follows, after space, and skips it.
func (p *surrealParser) next(b byte) bool {
	if p.at < len(p.text) && p.text[p.at] == ';' || !p.toStatement() || p.text[p.at] != b {
		return false
	}
	p.at++
	return true
}

// statement reads one statement, and the rows that it writes. Others are skipped.
func (p *surrealParser) statement() (table string, rows []map[string]any, err error) {
	switch strings.ToUpper(p.word()) {
	case "INSERT":
		for from := p.at; ; from = p.at {
			switch word := p.word(); strings.ToUpper(word) {
			case "INTO", "IGNORE", "RELATION":
				continue
			case "":
				v, err := p.value(0)
				return table, rowsOf(v), err
			default:
				if table = word; from == p.at {
					return table, nil, errSurrealQL
				}
			}
		}
	case "UPDATE", "UPSERT", "CREATE":
		id, err := p.value(0)
		if err != nil {
			return "", nil, err
		}
		table, _ = id.(string)
		if table, _, _ = strings.Cut(table, ":"); strings.ToUpper(p.word()) == "CONTENT" {
			v, err := p.value(0)
			return table, rowsOf(v), err
		}
	}
	return "", nil, p.skipStatement()
}

// skipStatement skips to the end of a statement, over texts and blocks.
func (p *surrealParser) skipStatement() error {
	for depth := 0; p.at < len(p.text); p.at++ {
		switch b := p.text[p.at]; {
		case b == '\'' || b == '"' || b == '`':
			if _, err := p.quoted(b); err != nil {
				return err
			}
			p.at--
		case b == '{':
			depth++
		case b == '}':
			depth--
		case b == ';' && depth <= 0:
			return nil
		}
	}
	return nil
}

func rowsOf(v any) (out []map[string]any) {
	switch v := v.(type) {
	case map[string]any:
		out = append(out, v)
	case []any:
		for _, one := range v {
			if row, ok := one.(map[string]any); ok {
				out = append(out, row)
			}
		}
	}
	return out
}

// value reads one literal.
func (p *surrealParser) value(depth int) (any, error) {
	if depth > maxNesting || !p.toStatement() {
		return nil, errSurrealQL
	}
	switch b := p.text[p.at]; {
	case b == '{':
		return p.object(depth)
	case b == '[':
		return p.array(depth)
	case b == '\'' || b == '"':
		return p.quoted(b)
	case b == '-' || b == '+' || b >= '0' && b <= '9':
		return p.number(), nil
	case isWordByte(b) || b == '`':
		return p.named(depth)
	case strings.HasPrefix(p.text[p.at:], "⟨"):
		p.skipTo("⟩")
		return "", nil
	}
	return nil, errSurrealQL
}

func (p *surrealParser) object(depth int) (any, error) {
	out := map[string]any{}
	for p.at++; !p.next('}'); {
		if !p.toStatement() {
			return nil, errSurrealQL
		}
		var key string
		var err error
		if b := p.text[p.at]; b == '\'' || b == '"' || b == '`' {
			key, err = p.quoted(b)
		} else if key = p.word(); key == "" {
			err = errSurrealQL
		}
		if err == nil && !p.next(':') {
			err = errSurrealQL
		}
		if err != nil {
			return nil, err
		}
		if out[key], err = p.value(depth + 1); err != nil {
			return nil, err
		}
		p.next(',')
	}
	return out, nil
}

func (p *surrealParser) array(depth int) (any, error) {
	out := []any{}
	for p.at++; !p.next(']'); p.next(',') {
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// quoted reads a text in quotes, with its escapes.
func (p *surrealParser) quoted(quote byte) (string, error) {
	var sb strings.Builder
	for p.at++; p.at < len(p.text); p.at++ {
		switch b := p.text[p.at]; b {
		case quote:
			p.at++
			return sb.String(), nil
		case '\\':
			if p.at++; p.at >= len(p.text) {
				return "", errSurrealQL
			}
			sb.WriteString(p.escape())
		default:
			sb.WriteByte(b)
		}
	}
	return "", errSurrealQL
}

func (p *surrealParser) escape() string {
	switch b := p.text[p.at]; b {
	case 'n':
		return "\n"
	case 't':
		return "\t"
	case 'r':
		return "\r"
	case 'b', 'f', '0':
		return ""
	case 'u':
		digits, rest, found := strings.Cut(strings.TrimPrefix(p.text[p.at+1:], "{"), "}")
		n, err := strconv.ParseUint(digits, 16, 32)
		if !found || err != nil || p.text[p.at+1] != '{' {
			return ""
		}
		p.at = len(p.text) - len(rest) - 1
		return string(rune(n))
	default:
		return string(b)
	}
}

// number reads a number without the letters that name its type. A duration becomes a text.
func (p *surrealParser) number() any {
	from := p.at
	for p.at < len(p.text) && (isWordByte(p.text[p.at]) || strings.IndexByte("+-.", p.text[p.at]) >= 0) {
		p.at++
	}
	s := p.text[from:p.at]
	digits := strings.TrimSuffix(strings.TrimSuffix(s, "dec"), "f")
	if n, err := strconv.ParseFloat(digits, 64); err == nil {
		return n
	}
	return s
}

// named reads a constant, a text with a prefix for its type, or a record id.
func (p *surrealParser) named(depth int) (any, error) {
	var name string
	if p.text[p.at] == '`' {
		var err error
		if name, err = p.quoted('`'); err != nil {
			return nil, err
		}
	} else {
		name = p.word()
	}
	if p.at >= len(p.text) {
		return name, nil
	}
	switch b := p.text[p.at]; {
	case (b == '\'' || b == '"') && len(name) == 1:
		return p.quoted(b)
	case b == ':':
		p.at++
		from := p.at
		if p.at < len(p.text) && strings.HasPrefix(p.text[p.at:], "⟨") {
			p.skipTo("⟩")
		} else if _, err := p.value(depth + 1); err != nil {
			return nil, err
		}
		return name + ":" + p.text[from:p.at], nil
	}
	switch strings.ToUpper(name) {
	case "NONE", "NULL":
		return nil, nil
	case "TRUE":
		return true, nil
	case "FALSE":
		return false, nil
	}
	return name, nil
}
