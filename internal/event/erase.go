package event

import (
	"context"
	"fmt"
	"strings"

	"remanence/internal/mem"
)

// PurgePreview are the memories that a purge erases, as far as the store can tell:
// those that are named, and where it knows them those that go with them.
func (e *Service) PurgePreview(ctx context.Context, ids []string) ([]mem.Memory, error) {
	if st, ok := e.Store.(Rehearser); ok {
		return st.Condemned(ctx, ids...)
	}
	var out []mem.Memory
	for _, id := range ids {
		ms, err := e.Store.List(ctx, mem.Query{IDs: []string{id}, Hidden: true, Within: "*"})
		if err == nil && ms[0].ID == id {
			out = append(out, ms[0])
		} else if strings.HasPrefix(id, "m_") {
			return nil, fmt.Errorf("%s: %w", id, mem.ErrNotFound)
		}
	}
	return out, nil
}
