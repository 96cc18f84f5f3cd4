package sqlite

import (
	"fmt"
	"sync"
	"testing"
)

// TestReadsWhileAReaderIsClosed prepares statements while the prepared ones are closed.
func TestReadsWhileAReaderIsClosed(t *testing.T) {
	s := openStore(t)
	var all, begun sync.WaitGroup
	begun.Add(4)
	for who := range 4 {
		all.Go(func() {
			for i := range maxPrepared {
				if i == 10 {
					begun.Done()
				}
				query := fmt.Sprintf("SELECT %d + %d", who*maxPrepared, i)
				if _, err := rows(t.Context(), s.read, stmt(query), one[int]); err != nil {
					return // it is closed
				}
			}
		})
	}
	begun.Wait()
	if err := s.read.Close(); err != nil {
		t.Error(err)
	}
	all.Wait()
}
