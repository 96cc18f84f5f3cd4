package api_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"remanence/internal/api"
	"remanence/internal/mem"
)

// Whatever field is added: it goes over the socket and into the runtime file.
func TestEveryFieldOfAHooksWordsGetsThrough(t *testing.T) {
	for name, want := range map[string]struct {
		event mem.Event
		reply mem.Reply
		file  api.Runtime
	}{
		"all":     {filled[mem.Event](t), filled[mem.Reply](t), filled[api.Runtime](t)},
		"nothing": {},
		"empty":   {event: mem.Event{Input: json.RawMessage{}}},
	} {
		t.Run(name, func(t *testing.T) {
			var got mem.Event
			c := serve(t,
				api.Config{Bindings: []api.Binding{api.On(api.Event, func(_ context.Context, e mem.Event) (mem.Reply, error) {
					got = e
					return want.reply, nil
				})}})
			reply, err := c.Handle(t.Context(), want.event)
			if err != nil {
				t.Fatal(err)
			}
			if len(want.event.Input) == 0 {
				want.event.Input = nil
			}
			if diff := cmp.Diff(want.event, got); diff != "" {
				t.Errorf("event (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(want.reply, reply); diff != "" {
				t.Errorf("reply (-want +got):\n%s", diff)
			}
			path := filepath.Join(t.TempDir(), "runtime.json")
			if err := want.file.Write(path); err != nil {
				t.Fatal(err)
			}
			file, err := api.ReadRuntime(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want.file, file); diff != "" {
				t.Errorf("runtime file (-want +got):\n%s", diff)
			}
		})
	}
}

// filled is a T in which no field is zero that JSON knows.
func filled[T any](t *testing.T) (v T) {
	t.Helper()
	fill(t, reflect.ValueOf(&v).Elem())
	return v
}

func fill(t *testing.T, v reflect.Value) {
	t.Helper()
	switch at := v.Addr().Interface().(type) {
	case *time.Time:
		*at = time.Date(2026, 11, 23, 3, 4, 5, 6000, time.UTC)
		return
	case *json.RawMessage:
		*at = json.RawMessage(`{"b":"<ü & \u2028>","a":[1.50,null]}`)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Tag.Get("json") != "-" {
				fill(t, v.Field(i))
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(t, v.Index(0))
		fill(t, v.Index(1))
	case reflect.String:
		v.SetString(`"<b> & ü` + "\n\u2028")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	default:
		t.Fatalf("fill %s", v.Type())
	}
}
