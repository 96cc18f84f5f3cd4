package event

import (
	"context"
	"errors"
	"fmt"

	"remanence/internal/mem"
)

// ErrNoText is the error of a request without text.
var ErrNoText = errors.New("nothing left to keep")

// ErrNoStrategy is the error of a search strategy that does not exist.
var ErrNoStrategy = errors.New("no such strategy")

// One returns the memory with an id, whole or abbreviated.
func (e *Service) One(ctx context.Context, id string) (mem.Memory, error) {
	ms, err := e.Store.List(ctx, mem.Query{IDs: []string{id}, Hidden: true})
	if err != nil {
		return mem.Memory{}, err
	}
	return ms[0], nil
}

// Given are the memories that a caller names, hidden ones too. ErrNotFound where
// none is named: a store that is asked for no id lists whatever it has.
func (e *Service) Given(ctx context.Context, ids []string) ([]mem.Memory, error) {
	if len(ids) == 0 {
		return nil, fmt.Errorf("no id: %w", mem.ErrNotFound)
	}
	return e.Store.List(ctx, mem.Query{IDs: ids, Hidden: true, Within: "*"})
}
