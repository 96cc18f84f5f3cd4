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

// route is one route as the sources have it.
type route struct{ name, get string }

// routes reads from the sources every route there is: a new one is attacked
// without being listed here.
func routes(t *testing.T) []route {
	t.Helper()
	var all []route
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
					all = append(all, routeOf(t, file, lit))
				}
				return true
			})
		}
	}
	slices.SortFunc(all, func(a, b route) int { return strings.Compare(a.name, b.name) })
	if len(all) < 10 || !slices.Contains(all, route{"event", ""}) || !slices.Contains(all, route{"search", "search"}) {
		t.Fatalf("routes read from the sources: %v, want the known ones among them", all)
	}
	return all
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

func routeOf(t *testing.T, file string, lit *ast.CompositeLit) route {
	t.Helper()
	r := route{}
	for _, e := range lit.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			t.Fatalf("%s: a part of a route without its name", file)
		}
		b, ok := kv.Value.(*ast.BasicLit)
		if !ok {
			t.Fatalf("%s: a part of a route that is no plain text", file)
		}
		text, err := strconv.Unquote(b.Value)
		if err != nil {
			t.Fatal(err)
		}
		switch fmt.Sprint(kv.Key) {
		case "Name":
			r.name = text
		case "Get":
			r.get = text
		}
	}
	return r
}

// target is a route, and a proper request to it.
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
	"event": `{"id":"e_planted","agent":"claude-code","kind":"UserPromptSubmit","session":"stranger","text":"planted ` +
		`by a stranger"}`,
}

// targets are all routes, the other paths that are answered, and some that must
// not be there.
func targets(t *testing.T) []target {
	t.Helper()
	var all []target
	for _, r := range routes(t) {
		body := bodies[r.name]
		if body == "" {
			body = "{}"
		}
		all = append(all, target{"/api/v1/" + r.name, "POST", body, true})
		if r.get != "" {
			all = append(all, target{
				"/api/v1/" + strings.NewReplacer("{ids}", "m_1", "{id}", "m_1").Replace(r.get), "GET", "",
				true,
			})
		}
	}
	for _, r := range compatible(t) {
		to := target{strings.ReplaceAll(r.path, "{id}", "m_1"), r.method, "", true}
		if r.method == "POST" {
			to.body = oldBody
		}
		all = append(all, to)
	}
	for _, path := range slices.Concat(always, streams) {
		all = append(all, target{path, "GET", "", true})
	}
	all = append(all, target{"/api/v1/logout", "POST", "{}", true},
		target{"/api/v1/login", "POST", `{"code":"0123456789abcdef0123456789abcdef"}`, false})
	for _, path := range []string{
		"/", "/api", "/api/v1/", "/api/v1/nothing", "/api/v2/search", "/index.html",
		"/debug/pprof/", "/etc/passwd",
	} {
		all = append(all, target{path, "POST", "{}", false}, target{path, "GET", "", false})
	}
	return all
}

// always are answered whatever there is, streams go on until a client leaves.
var (
	always  = []string{"/health", "/api/health", "/api/readiness", "/metrics", "/api/v1/openapi.json"}
	streams = []string{"/stream", "/api/v1/events"}
)

// oldBody is what a compatible route could take, if it were let.
const oldBody = `{"claudeSessionId":"stranger","prompt":"planted by a ` +
	`stranger","tool_name":"Bash","tool_input":{},"text":"planted by a stranger",` +
	`"q":"` + canary + `","ids":[1],"isProcessing":false,"recall.max_chunks":9}`

// oldRoute is one path of those that tools of other memories ask.
type oldRoute struct{ method, path string }

// compatible reads those from the sources.
func compatible(t *testing.T) []oldRoute {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), "../../../internal/api/compat.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var all []oldRoute
	ast.Inspect(parsed, func(n ast.Node) bool {
		lit, ok := n.(*ast.CompositeLit)
		if !ok || lit.Type != nil || len(lit.Elts) < 3 {
			return true
		}
		method, isText := lit.Elts[0].(*ast.BasicLit)
		path, isPath := lit.Elts[1].(*ast.BasicLit)
		if isText && isPath {
			all = append(all, oldRoute{strings.Trim(method.Value, `"`), strings.Trim(path.Value, `"`)})
		}
		return true
	})
	if len(all) < 25 || !slices.Contains(all, oldRoute{"POST", "/api/sessions/observations"}) {
		t.Fatalf("compatible routes read from the sources: %v, want the known ones among them", all)
	}
	return all
}

// request is what is sent, part by part.
type request struct {
	method, uri, proto string
	head               []string // lines
	body               string
}

// proper is a request that is answered, if any is.
func proper(v victim, d endpoint, to target) request {
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
