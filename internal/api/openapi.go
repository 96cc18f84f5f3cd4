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
	d := &description{paths: object{}, schemas: object{}}
	for _, b := range bindings {
		d.add("POST", prefix+b.name, object{
			"operationId": b.name, "tags": []string{"native"},
			"requestBody": object{"required": true, "content": asJSON(d.schema(b.req))},
			"responses":   d.responses(asJSON(d.schema(b.rep))),
		})
		if b.get != "" {
			d.add("GET", prefix+b.get, object{
				"operationId": b.name + ".get", "tags": []string{"native"}, "parameters": d.parameters(b),
				"responses": d.responses(asJSON(d.schema(b.rep))),
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
		"security": []object{{"token": []string{}}, {"login": []string{}}},
		"paths":    d.paths,
		"components": object{
			"schemas": d.schemas,
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

// responses describes the response and, for everything else, a problem.
func (d *description) responses(content object) object {
	return object{
		"200": object{"description": "the response", "content": content},
		"default": object{
			"description": "the error",
			"content":     object{"application/problem+json": object{"schema": d.schema(reflect.TypeFor[problem]())}},
		},
	}
}

// parameters describes the keys of a read.
func (d *description) parameters(b Binding) []object {
	all := []object{}
	fields := queryFields(b.req)
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		p := object{"name": key, "in": "query", "schema": d.schema(fields[key].Type)}
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
	anything := asJSON(object{})
	for _, route := range compatRoutes() {
		op := object{"tags": []string{"compatible"}, "responses": d.responses(anything)}
		var params []object
		for part := range strings.SplitSeq(route.path, "/") {
			if name, ok := strings.CutPrefix(part, "{"); ok {
				params = append(params, object{
					"name": strings.TrimSuffix(name, "}"), "in": "path", "required": true,
					"schema": object{"type": "string"},
				})
			}
		}
		if params != nil {
			op["parameters"] = params
		}
		if route.method == http.MethodPost {
			op["requestBody"] = object{"required": true, "content": asJSON(object{"type": "object"})}
		}
		d.add(route.method, route.path, op)
	}
	health := object{"tags": []string{"state"}, "responses": d.responses(asJSON(d.schema(reflect.TypeFor[Health]())))}
	for _, at := range []string{"/health", "/api/health", "/api/readiness"} {
		d.add("GET", at, health)
	}
	d.add("GET", MetricsPath, object{"tags": []string{"state"}, "responses": d.responses(object{"text/plain": object{}})})
	d.add("GET", OpenAPIPath,
		object{"tags": []string{"state"}, "responses": d.responses(asJSON(object{"type": "object"}))})
	for _, at := range []string{EventsPath, StreamPath} {
		d.add("GET", at, object{
			"tags": []string{"live"},
			"parameters": []object{
				{"name": "after", "in": "query", "schema": object{"type": "integer"}},
				{"name": "Last-Event-ID", "in": "header", "schema": object{"type": "integer"}},
			},
			"responses": d.responses(object{"text/event-stream": object{"schema": d.schema(reflect.TypeFor[Change]())}}),
		})
	}
	code := object{"type": "object", "required": []string{"code"}, "properties": object{"code": object{"type": "string"}}}
	d.add("POST", LoginPath, object{
		"tags": []string{"login"}, "security": []object{{}},
		"requestBody": object{"required": true, "content": asJSON(code)},
		"responses":   d.responses(asJSON(d.schema(reflect.TypeFor[Login]()))),
	})
	d.add("POST", logoutPath, object{
		"tags":        []string{"login"},
		"requestBody": object{"required": true, "content": asJSON(object{"type": "object"})},
		"responses":   d.responses(asJSON(object{"type": "object"})),
	})
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
