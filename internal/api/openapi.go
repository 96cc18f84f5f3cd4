package api

import (
	"cmp"
	"encoding"
	"encoding/json"
	"maps"
	"net/http"
	"path"
	"reflect"
	"slices"
	"strings"
	"time"
)

// OpenAPIPath serves the description of all paths.
const OpenAPIPath = prefix + "openapi.json"

// object is a JSON object of the description.
type object = map[string]any

// OpenAPI describes every path as OpenAPI 3.1. It is generated from the routes and
// their types.
func OpenAPI(bindings []Binding) ([]byte, error) {
	d := &description{paths: object{}, schemas: object{}, keys: keyMeanings()}
	for _, b := range bindings {
		d.add("POST", prefix+b.name, object{
			"operationId": b.name, "tags": []string{"native"}, "summary": b.summary,
			"requestBody": object{"required": true, "content": asJSON(d.schema(b.req))},
			"responses":   d.responses(asJSON(d.schema(b.rep)), "a JSON body", takesID(b)),
		})
		if b.get != "" {
			d.add("GET", prefix+b.get, object{
				"operationId": b.name + ".get", "tags": []string{"native"}, "summary": b.summary,
				"parameters": d.parameters(b), "responses": d.responses(asJSON(d.schema(b.rep)), "", takesID(b)),
			})
		}
	}
	d.others()
	return json.MarshalIndent(object{
		"openapi": "3.1.0",
		"info": object{
			"title": "Remanence", "version": "v1",
			"description": "The daemon's HTTP API: over its unix socket, and on this machine's loopback. docs/api.md " +
				"explains it.",
		},
		"servers":  []object{{"url": "/", "description": "the daemon's socket, or its port on this machine"}},
		"tags":     tags(),
		"security": []object{{"token": []string{}}, {"login": []string{}}},
		"paths":    d.paths,
		"components": object{
			"schemas":   d.schemas,
			"responses": d.failures(),
			"securitySchemes": object{
				"token": object{
					"type": "http", "scheme": "bearer",
					"description": "from the runtime file, which only its user can read",
				},
				"login": object{
					"type": "apiKey", "in": "cookie", "name": "remanence_INSTANCE",
					"description": "exchanged for the code of remanence open; writes also need an Origin",
				},
			},
		},
	}, "", " ")
}

// description is an OpenAPI document under construction.
type description struct {
	paths, schemas object
	keys           map[string]string // keyMeanings
}

func (d *description) add(method, path string, operation object) {
	at, ok := d.paths[path].(object)
	if !ok {
		at = object{}
		d.paths[path] = at
	}
	at[strings.ToLower(method)] = operation
}

func asJSON(schema object) object { return object{"application/json": object{"schema": schema}} }

// responses describes the response and the errors. body names what is expected in the body, if anything; id says
// whether the request names something by its id.
func (d *description) responses(content object, body string, id bool) object {
	out := object{
		"200":     object{"description": "the response", "content": content},
		"default": object{"$ref": "#/components/responses/Problem"},
	}
	for _, f := range failures() {
		if f.of == "" || f.of == ofBody && body != "" || f.of == ofID && id {
			out[f.status] = object{"$ref": "#/components/responses/" + f.name}
		}
	}
	return out
}

// failures describes the error responses that operations share.
func (d *description) failures() object {
	content := object{"application/problem+json": object{"schema": d.schema(reflect.TypeFor[problem]())}}
	out := object{"Problem": object{"description": "Any other error.", "content": content}}
	for _, f := range failures() {
		out[f.name] = object{"description": f.when, "content": content}
	}
	return out
}

// tags describes the groups of operations.
func tags() []object {
	return []object{
		{"name": "native", "description": "The routes of this program, by POST, and by GET where nothing is changed."},
		{"name": "compatible", "description": "Paths that tools and hooks of claude-mem know."},
		{"name": "state", "description": "How the daemon stands."},
		{"name": "live", "description": "Server-sent events."},
		{"name": "login", "description": "The login of a browser."},
	}
}

// takesID reports whether a request names something by its id.
func takesID(b Binding) bool {
	fields := queryFields(b.req)
	for _, key := range []string{"id", "ids", "session", "anchor", "memory"} {
		if _, ok := fields[key]; ok {
			return true
		}
	}
	return false
}

// parameters describes the keys of a read.
func (d *description) parameters(b Binding) []object {
	all := []object{}
	fields := queryFields(b.req)
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		p := object{"name": key, "in": "query", "description": d.keys[key], "schema": d.schema(fields[key].Type)}
		if strings.Contains(b.get, "{"+key+"}") {
			p["in"], p["required"] = "path", true
			if fields[key].Type.Kind() == reflect.Slice {
				p["schema"] = d.schema(fields[key].Type.Elem())
			}
		}
		all = append(all, p)
	}
	return all
}

// others adds the paths that are no native routes.
func (d *description) others() {
	for _, route := range compatRoutes() {
		d.compatible(route)
	}
	health := func(name, summary string) object {
		return object{
			"operationId": name, "tags": []string{"state"}, "summary": summary,
			"responses": d.responses(asJSON(d.schema(reflect.TypeFor[Health]())), "", false),
		}
	}
	d.add("GET", "/health", health("state.health", "Say how the daemon stands"))
	d.add("GET", "/api/health", health("state.api_health", "Say how the daemon stands"))
	d.add("GET", "/api/readiness", health("state.readiness", "Say whether the daemon takes requests"))
	d.add("GET", MetricsPath, object{
		"operationId": "state.metrics", "tags": []string{"state"}, "summary": "Read the figures for Prometheus",
		"responses": d.responses(object{"text/plain": object{}}, "", false),
	})
	d.add("GET", OpenAPIPath, object{
		"operationId": "state.openapi", "tags": []string{"state"}, "summary": "Read this description",
		"responses": d.responses(asJSON(object{"type": "object"}), "", false),
	})
	for at, name := range map[string]string{EventsPath: "live.events", StreamPath: "live.stream"} {
		d.add("GET", at, object{
			"operationId": name, "tags": []string{"live"}, "summary": "Hear of every change as it is stored",
			"parameters": []object{
				{"name": "after", "in": "query", "description": d.keys["after"], "schema": object{"type": "integer"}},
				{
					"name": "Last-Event-ID", "in": "header", "description": d.keys["Last-Event-ID"],
					"schema": object{"type": "integer"},
				},
			},
			"responses": d.responses(
				object{"text/event-stream": object{"schema": d.schema(reflect.TypeFor[Change]())}}, "", false),
		})
	}
	code := object{"type": "object", "required": []string{"code"}, "properties": object{"code": object{"type": "string"}}}
	d.add("POST", LoginPath, object{
		"operationId": "login", "tags": []string{"login"}, "summary": "Exchange a code for a login", "security": []object{{}},
		"requestBody": object{"required": true, "content": asJSON(code)},
		"responses":   d.responses(asJSON(d.schema(reflect.TypeFor[Login]())), "a code", false),
	})
	d.add("POST", logoutPath, object{
		"operationId": "logout", "tags": []string{"login"}, "summary": "End every login",
		"requestBody": object{"required": true, "content": asJSON(object{"type": "object"})},
		"responses":   d.responses(asJSON(object{"type": "object"}), "an object", false),
	})
}

// compatible adds a path of claude-mem's API.
func (d *description) compatible(route compatRoute) {
	body := ""
	id := strings.ToLower(route.method) + strings.NewReplacer("/api/", ".", "/", ".", "{", "", "}", "").Replace(route.path)
	op := object{"operationId": "compatible." + id, "tags": []string{"compatible"}, "summary": route.summary}
	var params []object
	for part := range strings.SplitSeq(route.path, "/") {
		if name, ok := strings.CutPrefix(part, "{"); ok {
			name = strings.TrimSuffix(name, "}")
			params = append(params, object{
				"name": name, "in": "path", "required": true, "description": d.keys[name], "schema": object{"type": "string"},
			})
		}
	}
	for _, key := range route.keys {
		params = append(params, object{
			"name": key, "in": "query", "description": compatKeys()[key], "schema": object{"type": "string"},
		})
	}
	if params != nil {
		op["parameters"] = params
	}
	if route.method == http.MethodPost {
		body = "a JSON body"
		op["requestBody"] = object{"required": true, "content": asJSON(object{"type": "object"})}
	}
	op["responses"] = d.responses(asJSON(object{}), body, strings.Contains(route.path, "{"))
	d.add(route.method, route.path, op)
}

// schema describes the JSON of a type. Named structs are described once.
func (d *description) schema(t reflect.Type) object {
	switch {
	case t.Kind() == reflect.Pointer:
		return d.schema(t.Elem())
	case t == reflect.TypeFor[time.Time]():
		return object{"type": "string", "format": "date-time"}
	case t == reflect.TypeFor[time.Duration]():
		return object{"type": "integer", "description": "nanoseconds; in a query with a unit, such as 1h30m"}
	case t == reflect.TypeFor[json.RawMessage](), t.Kind() == reflect.Interface:
		return object{}
	case t.Implements(reflect.TypeFor[encoding.TextMarshaler]()):
		return object{"type": "string"}
	case t.Kind() != reflect.Slice && t.Implements(reflect.TypeFor[json.Marshaler]()):
		return object{}
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		if t.Elem().Kind() == reflect.Uint8 {
			return object{"type": "string", "contentEncoding": "base64"}
		}
		return object{"type": "array", "items": d.schema(t.Elem())}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": d.schema(t.Elem())}
	case reflect.Struct:
		return d.structure(t)
	case reflect.String:
		return object{"type": "string"}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Float32, reflect.Float64:
		return object{"type": "number"}
	}
	return object{"type": "integer"}
}

func (d *description) structure(t reflect.Type) object {
	if t.Name() == "" {
		return d.properties(t)
	}
	name := strings.Map(func(r rune) rune {
		if strings.ContainsRune("[],/*", r) { // of type parameters
			return '_'
		}
		return r
	}, path.Base(t.PkgPath())+"."+t.Name())
	if d.schemas[name] == nil {
		d.schemas[name] = object{} // the type may contain itself
		d.schemas[name] = d.properties(t)
	}
	return object{"$ref": "#/components/schemas/" + name}
}

func (d *description) properties(t reflect.Type) object {
	props, required := object{}, []string{}
	d.collect(t, props, &required)
	slices.Sort(required)
	s := object{"type": "object", "properties": props}
	if len(required) > 0 {
		s["required"] = slices.Compact(required)
	}
	return s
}

// collect adds the fields of a struct as encoding/json does: fields of an embedded
// struct are promoted unless the outer one has a field of that name.
func (d *description) collect(t reflect.Type, props object, required *[]string) {
	var embedded []reflect.Type
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		inner := f.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		switch {
		case name == "-":
		case f.Anonymous && name == "" && inner.Kind() == reflect.Struct:
			embedded = append(embedded, inner)
		case !f.IsExported() || props[cmp.Or(name, f.Name)] != nil:
		default:
			props[cmp.Or(name, f.Name)] = d.schema(f.Type)
			if !strings.Contains(options, "omit") {
				*required = append(*required, cmp.Or(name, f.Name))
			}
		}
	}
	for _, e := range embedded {
		d.collect(e, props, required)
	}
}
