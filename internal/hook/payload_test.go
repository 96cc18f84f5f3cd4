package hook_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"remanence/internal/hook"
)

func TestTakePayloadDistinguishesObjectsFromOtherInput(t *testing.T) {
	for in, want := range map[string]bool{
		promptPayload: true, startPayload + "\n": true, ` ` + "\r\n\t{}": true, "\uFEFF{}": true,
		"{": true, "{]": true, `{"a":"` + "\xff": true,
		strings.Repeat(" ", 4000) + "{}": true, strings.Repeat(" ", 5000) + "{}": false,
		"": false, "\n": false, "\xef\xbb": false, "[{}]": false, `"{}"`: false, "x{}": false, "null": false, "\x00{}": false,
	} {
		if got := hook.TakePayload(t.Context(), strings.NewReader(in)); got != want {
			t.Errorf("%.40q: got %v, want %v", in, got, want)
		}
	}
}

func TestTakePayloadWaitsASecondForTheFirstByteAndOneForTheRest(t *testing.T) {
	for _, c := range []struct {
		first, rest string
		pause       time.Duration // before rest
		want        bool
		takes       time.Duration
	}{
		{"", "", 0, false, time.Second},
		{"", "{}", 1100 * time.Millisecond, false, time.Second},
		{"", "{}", 900 * time.Millisecond, true, 900 * time.Millisecond},
		{`{"a":`, "1}", 900 * time.Millisecond, true, 900 * time.Millisecond},
		{`{"a":`, "", 0, true, time.Second},
		{"{} and no end", "", 0, true, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			in, out := io.Pipe()
			defer out.Close()
			go func() {
				if c.first != "" {
					_, _ = io.WriteString(out, c.first)
				}
				if c.rest != "" {
					time.Sleep(c.pause)
					_, _ = io.WriteString(out, c.rest)
				}
			}()
			begun := time.Now()
			if got := hook.TakePayload(t.Context(), in); got != c.want || time.Since(begun) != c.takes {
				t.Errorf("%+v: got %v after %v", c, got, time.Since(begun))
			}
			_ = in.Close()
			time.Sleep(time.Second) // the writer is done
		})
	}
}

func TestTakePayloadEndsWithItsContext(t *testing.T) {
	in, out := io.Pipe()
	defer out.Close()
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if begun := time.Now(); hook.TakePayload(ctx, in) || time.Since(begun) > 500*time.Millisecond {
		t.Errorf("took a payload, or %v", time.Since(begun))
	}
}

func TestTakePayloadRestoresTheFilePosition(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lines")
	if err := os.WriteFile(path, []byte("skipped\n{}\nlast\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Seek(8, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if !hook.TakePayload(t.Context(), f) {
		t.Error("took no payload")
	}
	if rest, err := io.ReadAll(f); err != nil || string(rest) != "{}\nlast\n" {
		t.Errorf("left %q, %v", rest, err)
	}
}
