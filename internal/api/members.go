package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// A hook reads one runtime file, writes one event and reads one answer. For each
// of them package json first prepares itself for all that the type may hold, down
// to the last field of the last type within: a twentieth of a hook's processor
// time. So these three go member by member, and only what is there is looked at.

// encode is json.Marshal of a struct whose fields all have names of their own. What
// is zero is left out.
func encode(from any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	v, sep := reflect.ValueOf(from), "{"
	for i := range v.NumField() {
		f := v.Field(i)
		if f.IsZero() || f.Kind() == reflect.Slice && f.Len() == 0 {
			continue
		}
		b.WriteString(sep + `"` + member(v.Type().Field(i)) + `":`)
		if err := enc.Encode(f.Interface()); err != nil {
			return nil, err
		}
		sep = ","
	}
	if sep == "{" {
		b.WriteString(sep)
	}
	b.WriteString("}")
	return b.Bytes(), nil
}

// decode is json.Unmarshal into such a struct.
func decode(body []byte, to any) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(body, &members); err != nil {
		return err
	}
	v := reflect.ValueOf(to).Elem()
	for i := range v.NumField() {
		name := member(v.Type().Field(i))
		if raw, ok := members[name]; ok {
			if err := json.Unmarshal(raw, v.Field(i).Addr().Interface()); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return nil
}

// member is the name of a field as JSON has it.
func member(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}
