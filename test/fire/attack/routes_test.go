//go:build fire

package attack

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// routes reads from the sources every name of a route there is: a new one is
// attacked without being listed here.
func routes(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, dir := range []string{"api", "cli", "worker", "engine"} {
		files, err := filepath.Glob(filepath.Join("../../../internal", dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no sources of %s: %v", dir, err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(parsed, func(n ast.Node) bool {
				if lit, ok := n.(*ast.CompositeLit); ok && isRoute(lit.Type) {
					names = append(names, routeName(t, file, lit))
				}
				return true
			})
		}
	}
	slices.Sort(names)
	if len(names) < 10 || !slices.Contains(names, "event") || !slices.Contains(names, "search") {
		t.Fatalf("routes read from the sources: %v, want the known ones among them", names)
	}
	return names
}

// isRoute reports whether a type is Route[…] or api.Route[…].
func isRoute(typ ast.Expr) bool {
	generic, ok := typ.(*ast.IndexListExpr)
	if !ok {
		return false
	}
	if sel, ok := generic.X.(*ast.SelectorExpr); ok {
		return sel.Sel.Name == "Route"
	}
	id, ok := generic.X.(*ast.Ident)
	return ok && id.Name == "Route"
}

func routeName(t *testing.T, file string, lit *ast.CompositeLit) string {
	t.Helper()
	if len(lit.Elts) != 1 {
		t.Fatalf("%s: a route of %d parts, want its name alone", file, len(lit.Elts))
	}
	e := lit.Elts[0]
	if kv, ok := e.(*ast.KeyValueExpr); ok {
		e = kv.Value
	}
	b, ok := e.(*ast.BasicLit)
	if !ok {
		t.Fatalf("%s: a route whose name is no plain text", file)
	}
	name, err := strconv.Unquote(b.Value)
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// target is what is asked for, and how it is asked for properly.
type target struct {
	path   string
	method string
	body   string
	known  bool // a proper request is answered
}

// bodies make questions worth answering, and orders that would do harm. A route
// that is not here is asked with an empty object.
var bodies = map[string]string{
	"search": `{"project":"all","query":{"text":"` + canary + `","limit":5}}`,
	"add":    `{"project":"all","text":"planted by a stranger","kind":"fact","scope":"user"}`,
	"mark":   `{"project":"all","verb":"forget","query":{"text":"` + canary + `"}}`,
	"pause":  `{"scope":"all"}`,
	"event":  `{"id":"e_planted","agent":"claude-code","kind":"UserPromptSubmit","session":"stranger","text":"planted by a stranger"}`,
}

// targets are all routes, the other paths that are answered, and some that must
// not be there.
func targets(t *testing.T) []target {
	t.Helper()
	var all []target
	for _, name := range routes(t) {
		body := bodies[name]
		if body == "" {
			body = "{}"
		}
		all = append(all, target{"/api/v1/" + name, "POST", body, true})
	}
	for _, path := range []string{"/health", "/api/health", "/api/readiness"} {
		all = append(all, target{path, "GET", "", true})
	}
	for _, path := range []string{"/", "/api", "/api/v1/", "/api/v1/nothing", "/api/v2/search", "/index.html", "/debug/pprof/", "/metrics", "/etc/passwd"} {
		all = append(all, target{path, "POST", "{}", false}, target{path, "GET", "", false})
	}
	return all
}

// request is what is sent, part by part.
type request struct {
	method, uri, proto string
	head               []string // lines
	body               string
}

// proper is a request that is answered, if anybody's is.
func proper(v victim, d door, to target) request {
	r := request{to.method, to.path, "HTTP/1.1", []string{"Host: " + d.host, "Authorization: Bearer " + v.Token}, to.body}
	if to.method == "POST" {
		r.head = append(r.head, "Content-Type: application/json", fmt.Sprint("Content-Length: ", len(to.body)))
	}
	return r
}

// set replaces a header's line, or adds one.
func (r *request) set(name, value string) {
	r.unset(name)
	r.add(name, value)
}

func (r *request) add(name, value string) { r.head = append(r.head, name+": "+value) }

func (r *request) unset(name string) {
	r.head = slices.DeleteFunc(r.head, func(l string) bool { return strings.HasPrefix(l, name+":") })
}

func (r *request) bytes() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s\r\n", r.method, r.uri, r.proto)
	for _, l := range r.head {
		b.WriteString(l + "\r\n")
	}
	b.WriteString("\r\n" + r.body)
	return []byte(b.String())
}
