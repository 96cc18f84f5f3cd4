package api

import (
	"encoding"
	"fmt"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"time"

	"remanence/internal/when"
)

// readQuery sets the fields of a request from a query. Keys are the JSON names of the
// fields. Fields of nested structs are keys too; of two with one name the shallower
// counts, as with embedding in Go. A list is a key given several times. Fields with
// the tag query:"-" have no key. It returns ErrInvalid for an unknown key, for a
// repeated key that is no list, and for a value of the wrong type.
func readQuery(into any, keys url.Values) error {
	v := reflect.ValueOf(into).Elem()
	fields := queryFields(v.Type())
	for key, values := range keys {
		f, ok := fields[key]
		if !ok {
			return fmt.Errorf("%w: no key %q here", ErrInvalid, key)
		}
		if err := setField(fieldAt(v, f.Index), values); err != nil {
			return fmt.Errorf("%w: %s: %w", ErrInvalid, key, err)
		}
	}
	return nil
}

// refuseNegative returns ErrInvalid if a count in a request is negative. Such keys have one meaning in all routes.
func refuseNegative(req any) error {
	v := reflect.ValueOf(req).Elem()
	if v.Kind() != reflect.Struct {
		return nil
	}
	for key, f := range queryFields(v.Type()) {
		switch key {
		case "limit", "offset", "around", "days", "items", "sessions", "depth", "budget":
			at := fieldAt(v, f.Index)
			if at.Kind() == reflect.Pointer {
				at = at.Elem() // of nil it is no number
			}
			if at.Kind() == reflect.Int && at.Int() < 0 {
				return fmt.Errorf("%w: %s: %d is negative", ErrInvalid, key, at.Int())
			}
		}
	}
	return nil
}

// queryFields returns the fields of a struct that a query can set, by key. Index is
// the index sequence from the top.
func queryFields(t reflect.Type) map[string]reflect.StructField {
	found := map[string]reflect.StructField{}
	for level := []reflect.StructField{{Type: t}}; len(level) > 0; {
		var next []reflect.StructField
		for _, at := range level {
			for f := range at.Type.Fields() {
				f.Index = append(append([]int{}, at.Index...), f.Index...)
				name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
				if name == "-" || f.Tag.Get("query") == "-" || !f.IsExported() && !f.Anonymous {
					continue
				}
				if name == "" {
					name = f.Name
				}
				if nested(f.Type) {
					next = append(next, f)
				} else if _, taken := found[name]; !taken && settable(f.Type) {
					found[name] = f
				}
			}
		}
		level = next
	}
	return found
}

// nested reports whether the fields of a type are keys.
func nested(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && !isText(t)
}

func isText(t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

// settable reports whether a value of the type can be read from a text.
func settable(t reflect.Type) bool {
	switch {
	case isText(t):
		return true
	case t.Kind() == reflect.Pointer, t.Kind() == reflect.Slice:
		return t.Elem().Kind() != reflect.Slice && t.Elem().Kind() != reflect.Pointer && settable(t.Elem())
	}
	switch t.Kind() {
	case reflect.String, reflect.Bool, reflect.Float64, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32,
		reflect.Int64, reflect.Uint8, reflect.Uint32, reflect.Uint64:
		return true
	}
	return false
}

// fieldAt returns the field at an index sequence.
func fieldAt(v reflect.Value, index []int) reflect.Value {
	for _, i := range index {
		v = v.Field(i)
	}
	return v
}

func setField(f reflect.Value, values []string) error {
	if f.Kind() == reflect.Slice && !isText(f.Type()) {
		list := reflect.MakeSlice(f.Type(), len(values), len(values))
		for i, s := range values {
			if err := setValue(list.Index(i), s); err != nil {
				return err
			}
		}
		f.Set(list)
		return nil
	}
	if len(values) != 1 {
		return fmt.Errorf("given %d times", len(values))
	}
	return setValue(f, values[0])
}

// setValue parses one text as a value of the field's type.
func setValue(f reflect.Value, s string) error {
	if t, ok := f.Addr().Interface().(*time.Time); ok {
		var err error
		*t, _, err = when.Parse(s, time.Now())
		return err
	}
	if text, ok := f.Addr().Interface().(encoding.TextUnmarshaler); ok {
		return text.UnmarshalText([]byte(s))
	}
	if d, ok := f.Addr().Interface().(*time.Duration); ok {
		var err error
		if s != "0" { // none
			*d, err = when.ParseDuration(s)
		}
		return err
	}
	switch f.Kind() {
	case reflect.Pointer:
		f.Set(reflect.New(f.Type().Elem()))
		return setValue(f.Elem(), s)
	case reflect.String:
		f.SetString(s)
	case reflect.Bool:
		b, err := strconv.ParseBool(s)
		if err != nil {
			return fmt.Errorf("%q is neither true nor false", s)
		}
		f.SetBool(b)
	case reflect.Float64:
		n, err := strconv.ParseFloat(s, 64)
		if err != nil || n != n {
			return fmt.Errorf("%q is not a number", s)
		}
		f.SetFloat(n)
	case reflect.Uint8, reflect.Uint32, reflect.Uint64:
		n, err := strconv.ParseUint(s, 10, f.Type().Bits())
		if err != nil {
			return fmt.Errorf("%q is not a whole number from 0", s)
		}
		f.SetUint(n)
	default:
		n, err := strconv.ParseInt(s, 10, f.Type().Bits())
		if err != nil {
			return fmt.Errorf("%q is not a whole number", s)
		}
		f.SetInt(n)
	}
	return nil
}
