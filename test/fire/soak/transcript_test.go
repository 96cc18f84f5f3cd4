//go:build fire

package soak

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"remanence/internal/continuity"
	"remanence/internal/mem"
	"remanence/test/tier"
	"remanence/test/world"
)

// mostForTranscript is what the worker may take at its peak, whatever the size of
// the transcript that it takes in. In bytes.
const mostForTranscript = 64 << 20

// A transcript of any size is taken in, and searched for what no hook delivered,
// in a bounded amount of memory.
func TestALargeTranscriptIsReadWithBoundedMemory(t *testing.T) {
	size := int64(tier.Runs(160<<20, 1<<30))
	r := tier.Rand(t)
	p := world.NewPerson(t)
	rt := p.StartWorker()
	record := filepath.Join(t.TempDir(), "long.jsonl")
	begun := time.Now().UTC().Add(-time.Hour).Truncate(time.Second)
	give := func(kind mem.EventKind, prompt, text string, at time.Time) {
		t.Helper()
		e := mem.Event{
			Agent: "claude-code", Kind: kind, At: at, Session: "long", PromptID: prompt, Text: text,
			Root: p.Project, Cwd: p.Project, Transcript: record,
		}
		e.Identify("n")
		if _, err := rt.Client("").Handle(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	give(mem.SessionStart, "", "", begun)
	l := recorded(t, r, record, size, begun.Add(time.Second))
	give(mem.UserPromptSubmit, "last", "and what is left to do now", l.at.Add(time.Second))

	out, err := p.Command("checkpoint", "save", "--index", "--json").Output()
	var got continuity.SaveResponse
	if err := errors.Join(json.Unmarshal(out, &got), err); got.Recovered == 0 {
		t.Fatalf("%v\n%s", err, out)
	}
	status, err := fields(fmt.Sprintf("/proc/%d/status", rt.PID))
	if err != nil {
		t.Fatal(err)
	}
	peak := status["VmHWM"] << 10
	t.Logf("%.0f MB, %d turns: %d events found, %d utterances, peak %.1f MB", mb(l.size), l.turns, got.Recovered,
		got.Archived.Utterances,
		mb(peak))
	if got.Recovered != l.reports {
		t.Errorf("%d events found, want %d", got.Recovered, l.reports)
	}
	if peak > mostForTranscript {
		t.Errorf("the worker took %d bytes at its peak for %d, want at most %d", peak, l.size, int64(mostForTranscript))
	}
}

// long is what was written of a long session.
type long struct {
	*bufio.Writer
	t              *testing.T
	size           int64
	turns, reports int
	at             time.Time
}

// recorded writes the transcript of a session that no hook reported: turns with
// calls and large results, copies of requests, now and then a line of many
// megabytes or one that is none.
func recorded(t *testing.T, r *rand.Rand, file string, size int64, at time.Time) *long {
	t.Helper()
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	l := &long{Writer: bufio.NewWriterSize(f, 1<<20), t: t, at: at}
	s := &scene{Rand: r}
	bulk := s.words(20_000)
	for l.size < size {
		l.turns++
		turn := fmt.Sprint("p", l.turns)
		l.line(map[string]any{"type": "user", "promptId": turn, "message": map[string]any{"content": "look at " +
			s.words(30)}})
		for c := range 3 {
			id := fmt.Sprintf("t%d_%d", l.turns, c)
			output := bulk[:len(bulk)/(1+r.IntN(4))]
			l.line(map[string]any{"type": "assistant", "message": map[string]any{
				"id": "m" + id, "stop_reason": "tool_use",
				"content": []any{
					map[string]any{"type": "tool_use", "id": id, "name": "Bash", "input": map[string]any{"command": "make " + id}},
				},
			}})
			l.line(map[string]any{"type": "api-request-blob", "message": map[string]any{"role": "user", "content": output}})
			l.line(map[string]any{
				"type": "user", "promptId": turn, "toolUseResult": map[string]any{"stdout": output},
				"message": map[string]any{"content": []any{
					map[string]any{"type": "tool_result", "tool_use_id": id, "content": output},
				}},
			})
		}
		if l.turns%50 == 0 {
			l.line(map[string]any{
				"type": "user", "promptId": turn,
				"message": map[string]any{"content": strings.Repeat("x", 24<<20)},
			})
			l.write("{cut off in the mid\n")
		}
		l.line(map[string]any{"type": "assistant", "message": map[string]any{
			"id": "a" + turn, "stop_reason": "end_turn",
			"content": []any{
				map[string]any{"type": "text", "text": "It was " + s.words(40)},
			},
		}})
		l.reports += 5 // a prompt, three calls, the end
	}
	if err := errors.Join(l.Flush(), f.Close()); err != nil {
		t.Fatal(err)
	}
	return l
}

func (l *long) line(v map[string]any) {
	l.at = l.at.Add(10 * time.Millisecond)
	v["sessionId"], v["uuid"], v["timestamp"] = "long", fmt.Sprint("u", l.size), l.at.Format(time.RFC3339Nano)
	b, err := json.Marshal(v)
	if err != nil {
		l.t.Fatal(err)
	}
	l.write(string(b) + "\n")
}

func (l *long) write(s string) {
	l.size += int64(len(s))
	if _, err := l.WriteString(s); err != nil {
		l.t.Fatal(err)
	}
}
