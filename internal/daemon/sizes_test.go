package daemon

import (
	"os"
	"path/filepath"
	"testing"

	"remanence/internal/api"
	"remanence/internal/mem"
)

func TestSizesAreThoseOfAllOurFiles(t *testing.T) {
	h, p := openDaemon(t)
	defer h.Store.Close()
	for file, n := range map[string]int{
		p.Database() + ".schema1":                 10_000,
		filepath.Join(p.Data, "backups", "a.db"):  20_000,
		filepath.Join(p.Spool(), "pending", "a"):  3000,
		filepath.Join(p.Transcripts(), "p", "a"):  700,
		p.Log():                                   400,
		filepath.Join(p.Installs(), "i_01", "in"): 50,
	} {
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, make([]byte, n), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := api.Sizes.Call(t.Context(), api.Local(h.Bindings()), api.Nothing{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[mem.PartName]mem.Part{
		// with the room for counts
		mem.PartBackups: {Name: mem.PartBackups, Bytes: 30_000, Count: 2}, mem.PartSpool: {
			Name: mem.PartSpool, Bytes: 3001,
			Count: 2,
		},
		mem.PartLog: {Name: mem.PartLog, Bytes: 400, Count: 1}, mem.PartTranscripts: {
			Name: mem.PartTranscripts, Bytes: 700,
			Count: 1,
		},
	}
	sum, seen := int64(0), map[mem.PartName]bool{}
	for _, part := range got.Parts {
		if w, ok := want[part.Name]; ok && part != w {
			t.Errorf("got %+v, want %+v", part, w)
		}
		if part.Name == mem.PartFiles && part.Bytes < 50 {
			t.Errorf("%s: got %d bytes, want at least 50", part.Name, part.Bytes)
		}
		sum += part.Bytes
		seen[part.Name] = true
	}
	if sum != got.Bytes {
		t.Errorf("all takes %d bytes, its parts %d", got.Bytes, sum)
	}
	for _, name := range []mem.PartName{
		mem.PartMemories, mem.PartWAL, mem.PartSpool, mem.PartBackups, mem.PartTranscripts,
		mem.PartLog, mem.PartFiles,
	} {
		if !seen[name] {
			t.Errorf("no part %s", name)
		}
	}
}
