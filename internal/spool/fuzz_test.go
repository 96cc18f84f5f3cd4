package spool

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"remanence/internal/mem"
)

// FuzzSpoolDecode puts damage between, into and after whole records. Whatever
// it is, the records it does not touch come out once, in order, and nothing else
// that was not a whole record does.
func FuzzSpoolDecode(f *testing.F) {
	rec := fuzzRecord("b")
	f.Add([]byte{}, uint16(0), byte(0))
	f.Add([]byte(magic), uint16(3), byte(0xff))
	f.Add(rec[:len(rec)-1], uint16(7), byte(1))
	f.Add(rec, uint16(stateAt), byte('.'^'x'))
	f.Add(bytes.Repeat([]byte(magic), 50), uint16(30), byte(0x80))
	f.Fuzz(func(t *testing.T, junk []byte, at uint16, flip byte) {
		first, second, third := fuzzRecord("first"), fuzzRecord("second"), fuzzRecord("third")
		at %= uint16(len(second))
		second[at] ^= flip
		content := append(append(append(append([]byte{}, first...), junk...), second...), third...)

		got := map[string]int{}
		s := Open(Config{Dir: t.TempDir()})
		if err := os.MkdirAll(s.pending(""), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(s.pending(""), logName), content, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := s.Drain(context.Background(), 0, func(_ context.Context, events []mem.Event) error {
			for _, e := range events {
				got[e.Text]++
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		// Junk may itself be a whole record: that is then one more.
		own := bytes.Contains(junk, []byte(magic))
		if got["first"] != 1 || got["third"] != 1 && !own {
			t.Fatalf("got %v; want first and third once", got)
		}
		if flip == 0 && !own && got["second"] != 1 || flip != 0 && int(at) != stateAt && got["second"] != 0 {
			t.Fatalf("second with byte %d flipped by %x: got %v", at, flip, got)
		}
	})
}

func fuzzRecord(text string) []byte {
	b, _ := json.Marshal(mem.Event{Kind: mem.Stop, Session: "s", Text: text})
	return frame(b, time.Unix(1, 0), "s")
}
