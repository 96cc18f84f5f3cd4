package storetest_test

import (
	"testing"

	"remanence/internal/mem"
	"remanence/internal/store/storetest"
)

func TestMemKeepsTheContract(t *testing.T) {
	storetest.Run(t, func(t *testing.T) mem.Store {
		s := storetest.NewMem(storetest.Clock)
		t.Cleanup(func() { _ = s.Close() }) // it cannot fail
		return s
	})
}
