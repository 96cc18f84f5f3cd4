package cli

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"remanence/internal/api"
	"remanence/internal/mem"
	"remanence/test/golden"
)

// workersOwn are the routes that the worker binds itself.
func workersOwn() []api.Binding {
	return []api.Binding{
		api.On(api.Event, func(context.Context, mem.Event) (mem.Reply, error) { return mem.Reply{}, nil }),
		api.On(api.Drain, func(context.Context, api.Nothing) (api.Nothing, error) { return api.Nothing{}, nil }),
		api.On(api.Open, func(context.Context, api.Nothing) (api.OpenResponse, error) { return api.OpenResponse{}, nil }),
	}
}

// If the routes changed: go test ./internal/cli -run Description -update
func TestTheDescriptionOfTheAPIIsAsItIs(t *testing.T) {
	_, way := housed(t)
	got, err := api.OpenAPI(append(way, workersOwn()...))
	if err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, filepath.Join("..", "..", "docs", "openapi.json"), append(got, '\n'))
}

// Every reference leads somewhere, every operation has a name of its own, and
// every part of a path is a parameter.
func TestTheDescriptionOfTheAPIHoldsTogether(t *testing.T) {
	_, way := housed(t)
	text, err := api.OpenAPI(append(way, workersOwn()...))
	if err != nil {
		t.Fatal(err)
	}
	var d struct {
		OpenAPI string
		Paths   map[string]map[string]struct {
			OperationID string `json:"operationId"`
			Summary     string
			Parameters  []parameter
			Responses   map[string]any
		}
		Components struct{ Schemas map[string]any }
	}
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	if d.OpenAPI != "3.1.0" || len(d.Paths) < 60 || len(d.Components.Schemas) < 60 {
		t.Fatalf("OpenAPI %s, %d paths, %d schemas", d.OpenAPI, len(d.Paths), len(d.Components.Schemas))
	}
	for i, part := range strings.Split(string(text), `"$ref": "#/components/schemas/`) {
		name, _, _ := strings.Cut(part, `"`)
		if s, ok := d.Components.Schemas[name].(map[string]any); i > 0 && (!ok || s["type"] != "object") {
			t.Errorf("nothing is described as %q: %v", name, s)
		}
	}
	seen := map[string]string{}
	for path, methods := range d.Paths {
		for method, op := range methods {
			if was, twice := seen[op.OperationID]; twice && op.OperationID != "" {
				t.Errorf("%s is the name of %s and of %s %s", op.OperationID, was, method, path)
			}
			seen[op.OperationID] = method + " " + path
			if op.Responses["200"] == nil || op.Responses["default"] == nil || op.Responses["400"] == nil {
				t.Errorf("%s %s: responses %v", method, path, op.Responses)
			}
			if op.OperationID == "" || op.Summary == "" {
				t.Errorf("%s %s has the name %q and the summary %q", method, path, op.OperationID, op.Summary)
			}
			for _, p := range op.Parameters {
				if p.Description == "" {
					t.Errorf("%s %s: %s is not described", method, path, p.Name)
				}
			}
			for part := range strings.SplitSeq(path, "/") {
				if name, ok := strings.CutPrefix(part, "{"); ok && !hasPart(op.Parameters, strings.TrimSuffix(name, "}")) {
					t.Errorf("%s %s: %s is no parameter", method, path, part)
				}
			}
		}
	}
}

type parameter struct{ Name, In, Description string }

func hasPart(all []parameter, name string) bool {
	for _, p := range all {
		if p.Name == name && p.In == "path" {
			return true
		}
	}
	return false
}

// What is described is answered, and with nothing but JSON where it says so.
func TestTheDescriptionAndTheFiguresAreServed(t *testing.T) {
	h, way := housed(t)
	o := old{t, api.Mux(api.Config{Bindings: way, Metrics: h.Metrics}), h}
	o.says("GET", "/api/v1/openapi.json", "", `"openapi":"3.1.0"`)
	o.says("GET", "/metrics", "", "# TYPE remanence_kept gauge\nremanence_kept{what=\"memories\"} "+
		"0\nremanence_kept{what=\"hidden\"} 0\n")
	o.says("GET", "/metrics", "", "# TYPE remanence_hook_events_total counter\nremanence_hook_events_total 0\n")
	for _, target := range []string{"/metrics", "/api/v1/openapi.json"} {
		if status, _ := o.ask("POST", target, "{}"); status != 405 {
			t.Errorf("POST %s: status %d, want 405", target, status)
		}
		if status, _ := o.ask("GET", target+"?x=1", ""); status != 404 {
			t.Errorf("%s?x=1: status %d, want 404", target, status)
		}
		if status, _ := o.ask("GET", target, "{}"); status != 400 {
			t.Errorf("%s with a body: status %d, want 400", target, status)
		}
	}
}
