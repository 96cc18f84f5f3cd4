package transcript_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"remanence/internal/mem"
	"remanence/internal/transcript"
)

// speaks is a record of a message of the main conversation.
func speaks(id, usage string) string {
	return fmt.Sprintf(`{"type":"assistant","isSidechain":false,"timestamp":"2026-03-02T09:00:00.5Z",`+
		`"message":{"id":%q,"model":"claude-opus-5-5","usage":{%s},"content":[{"type":"text","text":"hello"}]}}`, id, usage)
}

func cut(trigger, before string) string {
	return fmt.Sprintf(`{"type":"system","subtype":"compact_boundary","timestamp":"2026-03-02T09:01:00Z",`+
		`"compactMetadata":{"trigger":%q,"preTokens":%s}}`, trigger, before)
}

const hundred = `"input_tokens":10,"cache_creation_input_tokens":20,"cache_read_input_tokens":30,"output_tokens":40`

func filled(t *testing.T, lines ...string) mem.ContextUsage {
	t.Helper()
	f, err := transcript.Fill(written(t, lines...))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestTheContextOfOtherClientsIsRead(t *testing.T) {
	for file, want := range map[string]mem.ContextUsage{
		"codex.jsonl":   {Tokens: 11_177, Window: 258_400, Model: "gpt-5.5"},
		"copilot.jsonl": {Tokens: 13_619, Window: 922_000, Model: "gpt-5.4"},
		"gemini.jsonl":  {Tokens: 13_051, Model: "gemini-2.5-pro"},
		"qwen.jsonl":    {Tokens: 20_511, Window: 1_000_000, Model: "qwen3-coder-plus"},
	} {
		got, err := transcript.Fill(filepath.Join("testdata", file))
		if err != nil || got.At.IsZero() {
			t.Errorf("%s: %+v, %v", file, got, err)
		}
		got.At = time.Time{}
		if got != want {
			t.Errorf("%s: got %+v, want %+v", file, got, want)
		}
	}
}

func TestAContextOfCodexThatWasCompactedIsNotFull(t *testing.T) {
	count := `{"timestamp":"2026-03-02T09:00:00Z","type":"event_msg","payload":{"type":"token_count","info":` +
		`{"last_token_usage":{"total_tokens":%d},"model_context_window":1000}}}`
	const compacted = `{"timestamp":"2026-03-02T09:01:00Z","type":"compacted","payload":{"message":"the gist"}}`
	if got := filled(t, fmt.Sprintf(count, 900), compacted); got.Tokens != 0 {
		t.Errorf("after a compaction: %d tokens", got.Tokens)
	}
	got := filled(t, fmt.Sprintf(count, 900), compacted, fmt.Sprintf(count, 80))
	if got.Tokens != 80 || got.Window != 1000 {
		t.Errorf("got %+v", got)
	}
	broken := `{"type":"event_msg","payload":{"type":"token_count","info":null}}`
	if got := filled(t, fmt.Sprintf(count, 900), broken); got.Tokens != 900 {
		t.Errorf("a record without a count changes it to %d", got.Tokens)
	}
}

func TestTheContextIsAsFullAsTheNewestMessageSays(t *testing.T) {
	sidechain := strings.Replace(speaks("b", `"input_tokens":999`), `"isSidechain":false`, `"isSidechain":true`, 1)
	for name, tt := range map[string]struct {
		lines []string
		want  int
	}{
		"all four numbers count":    {[]string{speaks("a", hundred)}, 100},
		"the newest message counts": {[]string{speaks("a", `"input_tokens":999`), speaks("b", hundred)}, 100},
		"a message of several records, once": {
			[]string{speaks("a", hundred), speaks("a", hundred), speaks("a", hundred)},
			100,
		},
		"its last record is the complete one": {[]string{
			speaks("a", `"input_tokens":60,"output_tokens":1`),
			speaks("a", hundred),
		}, 100},
		"a subagent's does not": {[]string{speaks("a", hundred), sidechain}, 100},
		"an error of the client's does not": {[]string{
			speaks("a", hundred),
			strings.Replace(speaks("b", `"input_tokens":9`), "claude-opus-5-5", "<synthetic>", 1),
		}, 100},
		"a copy does not": {[]string{
			speaks("a", hundred),
			strings.Replace(speaks("b", `"input_tokens":9`), `"type":"assistant"`, `"type":"api-request-blob"`, 1),
		}, 100},
		"missing numbers are none":        {[]string{speaks("a", `"input_tokens":7,"output_tokens":null`)}, 7},
		"whole numbers written otherwise": {[]string{speaks("a", `"input_tokens":1e2,"output_tokens":2.0`)}, 102},
		"nothing said": {[]string{
			speaks("a", hundred), speaks("b", `"input_tokens":0`),
			speaks("c", ``),
		}, 100},
		"negative": {[]string{
			speaks("a", hundred),
			speaks("b", `"input_tokens":-5,"output_tokens":9`),
		}, 100},
		"not a number": {[]string{speaks("a", hundred), speaks("b", `"input_tokens":NaN`)}, 100},
		"a fraction":   {[]string{speaks("a", hundred), speaks("b", `"input_tokens":1.5`)}, 100},
		"text": {[]string{
			speaks("a", hundred), speaks("b", `"input_tokens":"9"`),
			speaks("c", `"input_tokens":{}`),
		}, 100},
		"huge": {[]string{
			speaks("a", hundred), speaks("b", `"input_tokens":1e300`),
			speaks("c", `"input_tokens":9999999999999999999999`),
			speaks("d", `"input_tokens":90000000,"output_tokens":90000000`),
		}, 100},
		"broken records": {[]string{
			speaks("a", hundred), `{"type":"assistant","message":{"usage":`,
			`null`, `[]`, `"usage"`, ``,
		}, 100},
		"a compaction empties it": {[]string{speaks("a", hundred), cut("manual", "100")}, 0},
		"what comes after a compaction counts": {[]string{
			speaks("a", `"input_tokens":999`), cut("auto", "999"),
			speaks("b", hundred),
		}, 100},
		"a mention of one empties nothing": {[]string{
			speaks("a", hundred),
			`{"type":"user","message":{"content":"compact_boundary"}}`,
		}, 100},
		"an empty record": {nil, 0},
	} {
		if got := filled(t, tt.lines...); got.Tokens != tt.want {
			t.Errorf("%s: %d tokens, want %d", name, got.Tokens, tt.want)
		}
	}
}

func TestWhereTheClientCutsByItselfIsSeen(t *testing.T) {
	other := strings.Replace(speaks("c", hundred), "claude-opus-5-5", "claude-sonnet-4-5", 1)
	for name, tt := range map[string]struct {
		lines []string
		want  int
	}{
		"by itself": {[]string{speaks("a", hundred), cut("auto", "990501")}, 990501},
		"the newest time": {[]string{
			speaks("a", hundred), cut("auto", "5000"), speaks("b", hundred),
			cut("auto", "6000"), speaks("c", hundred),
		}, 6000},
		"the person's own order": {[]string{speaks("a", hundred), cut("manual", "1050")}, 0},
		"an order after it":      {[]string{speaks("a", hundred), cut("auto", "5000"), cut("manual", "1050")}, 5000},
		"another model since":    {[]string{speaks("a", hundred), cut("auto", "5000"), other}, 0},
		"nonsense": {
			[]string{speaks("a", hundred), cut("auto", "-1"), cut("auto", `"x"`), cut("auto", "null")},
			0,
		},
	} {
		if got := filled(t, tt.lines...); got.AutoCompactTokens != tt.want {
			t.Errorf("%s: %d, want %d", name, got.AutoCompactTokens, tt.want)
		}
	}
}

func TestItIsSaidWhichMessageWasMeasured(t *testing.T) {
	got := filled(t, speaks("a", hundred))
	if want := time.Date(2026, 3, 2, 9, 0, 0, 5e8, time.UTC); !got.At.Equal(want) || got.Model != "claude-opus-5-5" {
		t.Errorf("%+v, want the message of %v", got, want)
	}
}

func TestOnlyTheEndOfALongRecordIsRead(t *testing.T) {
	long := strings.Repeat("x", transcript.MaxFill)
	if got := filled(t, speaks("a", hundred), `{"type":"user","message":{"content":"`+long+`"}}`); got.Tokens != 0 {
		t.Errorf("%d tokens from before the end", got.Tokens)
	}
	if got := filled(t, `{"type":"user","message":{"content":"`+long+`"}}`, speaks("a", hundred)); got.Tokens != 100 {
		t.Errorf("%d tokens at the end, want 100", got.Tokens)
	}
}

func TestARecordThatShrankIsReadAsItIs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	for _, text := range []string{
		speaks("a", hundred) + "\n" + speaks("b", `"input_tokens":900`) + "\n",
		speaks("a", hundred) + "\n", speaks("a", hundred) + "\n" + speaks("b", `"input_tokens":9`),
	} {
		put(t, path, text)
		if got, err := transcript.Fill(path); err != nil || got.Tokens != 900 && got.Tokens != 100 || got.Tokens == 900 &&
			!strings.Contains(text, "900") {
			t.Errorf("%+v, %v", got, err)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := transcript.Fill(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a record that is not there: %v", err)
	}
}

func TestNoRecordMakesTheContextNonsense(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		number := rapid.SampledFrom([]string{"1", "-1", "1e9", "1e999", "0", "NaN", `"7"`, "null", "[]", "0.5", "99999999"})
		var lines []string
		for i := range rapid.IntRange(0, 8).Draw(rt, "lines") {
			n := number.Draw(rt, "number")
			switch rapid.IntRange(0, 3).Draw(rt, "kind") {
			case 0:
				lines = append(lines, cut("auto", n))
			case 1:
				lines = append(lines, rapid.StringMatching(`[{}"a-z:,\[\]]{0,40}`).Draw(rt, "junk"))
			default:
				lines = append(lines, speaks(fmt.Sprint(i), `"input_tokens":`+n+`,"output_tokens":`+number.Draw(rt, "out")))
			}
		}
		if got := filled(t, lines...); got.Tokens < 0 || got.Tokens > 100_000_000 || got.AutoCompactTokens < 0 ||
			got.AutoCompactTokens > 100_000_000 {
			rt.Fatalf("%+v", got)
		}
	})
}
