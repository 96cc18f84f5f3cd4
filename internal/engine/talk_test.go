package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"remanence/internal/continuity"
	"remanence/internal/index"
	"remanence/internal/mem"
)

// atOnce gives out all that is kept of a session in one go.
type atOnce struct{ *fakeTranscript }

func (a atOnce) Utterances(_ context.Context, s mem.Session, after string,
	give func([]mem.ArchivedUtterance) error,
) error {
	list := a.kept[s.ID]
	return give(list[1+slices.IndexFunc(list, func(x mem.ArchivedUtterance) bool { return x.ID == after }):])
}

// failsAfter is a store that takes in so many batches of memories and then no more.
type failsAfter struct {
	*index.Store
	left *int
}

func (f failsAfter) Apply(ctx context.Context, batches ...mem.Batch) ([]mem.Result, error) {
	if len(batches[0].Memories) > 0 {
		if *f.left == 0 {
			return nil, errors.New("the worker ends")
		}
		*f.left--
	}
	return f.Store.Apply(ctx, batches...)
}

// Long texts are found by their pieces. Where indexing is cut off it goes on with
// what was said after the last piece: all pieces of a text have to come with it.
func TestWhatWasSaidIsIndexedWholeAlsoIfThatWasCutOff(t *testing.T) {
	indexed := func(cutAfter int) int {
		th := newTranscriptStage(t)
		th.play(start("startup"), prompt("p1", "tell me of all the ships in the harbour"))
		for n := range 4 {
			th.records("one", "p1", "assistant",
				strings.Repeat(fmt.Sprintf("Ship %d of the fleet left the harbour. ", n), 700), 0)
		}
		th.play(stop("p1", "Those were all the ships."))
		th.clock = th.clock.Add(time.Minute)
		th.Archive = atOnce{th.fakeTranscript}
		th.Engine.Reconnect()
		th.Store = failsAfter{th.store, &cutAfter}
		th.Engine.Reconnect()
		th.saves(continuity.SaveRequest{ProjectRef: shop, Index: true})
		th.Store = th.store
		th.Engine.Reconnect()
		th.saves(continuity.SaveRequest{ProjectRef: shop, Index: true})
		return len(th.utterances("one"))
	}
	if whole, cut := indexed(-1), indexed(1); cut != whole || whole < 70 {
		t.Errorf("%d pieces are found after it was cut off, want all %d", cut, whole)
	}
}
