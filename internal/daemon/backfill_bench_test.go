package daemon

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"remanence/internal/capture"
)

// pastWork writes transcripts that are made like real ones: most of their bytes are what tools returned, which stands
// in each of them twice. The texts are those of this package. It returns the bytes written.
func (p *pastSessions) pastWork(sessions, turns int) (bytes int64) {
	p.t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		p.t.Fatal(err)
	}
	var sources []string
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			p.t.Fatal(err)
		}
		sources = append(sources, string(b))
	}
	r := rand.New(rand.NewPCG(1, 2))
	part := func(n int) string {
		s := sources[r.IntN(len(sources))]
		at := r.IntN(max(1, len(s)-n))
		return strings.ToValidUTF8(s[at:min(len(s), at+n)], "")
	}
	for i := range sessions {
		s := p.session(fmt.Sprintf("past-%d", i), i+2)
		for turn := range turns {
			id := fmt.Sprintf("p-%d-%d", i, turn)
			s.user(id, fmt.Sprintf("Please make part %d of the daemon simpler; we decided to keep queue %d.", turn, i), nil)
			for call := range 5 {
				tool, file := fmt.Sprintf("toolu_%s_%d", id, call), files[r.IntN(len(files))]
				name, text := "Read", part(6000)
				input := map[string]any{"file_path": s.cwd + "/" + file}
				whole := map[string]any{"filePath": s.cwd + "/" + file, "content": text}
				result := map[string]any{"type": "text", "file": whole}
				switch call {
				case 1:
					name, text = "Bash", part(2500)
					input = map[string]any{"command": "go test ./internal/daemon -run " + file, "description": "Run the tests"}
					result = map[string]any{"stdout": text, "stderr": "", "interrupted": false}
				case 2, 3:
					name = "Edit"
					input = map[string]any{"file_path": s.cwd + "/" + file, "old_string": part(300), "new_string": part(300)}
					result = map[string]any{
						"filePath": s.cwd + "/" + file, "oldString": input["old_string"], "newString": input["new_string"],
						"originalFile": part(9000), "userModified": false,
						"structuredPatch": []any{map[string]any{"oldStart": 3, "lines": strings.Split(part(600), "\n")}},
					}
					text = "The file has been updated. Here is the result of running `cat -n` on a snippet:\n" + part(700)
				case 4:
					if turn%10 == 0 {
						image := base64.StdEncoding.EncodeToString([]byte(part(9000)))
						text, result = "", map[string]any{"type": "image", "file": map[string]any{"base64": image}}
					}
				}
				s.assistant("tool_use", map[string]any{"type": "tool_use", "id": tool, "name": name, "input": input})
				s.user(id, []any{map[string]any{"type": "tool_result", "tool_use_id": tool, "content": text}}, result)
				s.line(map[string]any{"type": "file-history-snapshot", "snapshot": map[string]any{"text": part(400)}})
			}
			s.assistant("end_turn", map[string]any{"type": "text", "text": "The cause was a stale token in " +
				files[r.IntN(len(files))] + ". I fixed it by asking the store again.\n\n" + part(400)})
		}
		p.saves(s)
	}
	all, err := p.Engine.Backfill(p.t.Context(), capture.BackfillRequest{Folder: p.folder, DryRun: true})
	if err != nil || all.Sessions != sessions {
		p.t.Fatalf("%d sessions, want %d: %v", all.Sessions, sessions, err)
	}
	return all.Bytes
}

func BenchmarkBackfill(b *testing.B) {
	for range b.N {
		b.StopTimer()
		p := newPastSessions(b)
		bytes := p.pastWork(20, 12)
		b.SetBytes(bytes)
		if err := p.indexed.Build(b.Context()); err != nil { // as a daemon that serves has
			b.Fatal(err)
		}
		b.StartTimer()
		p.asks(capture.BackfillRequest{})
		if err := p.works(b.Context(), time.Hour); err != nil {
			b.Fatal(err)
		}
	}
}
