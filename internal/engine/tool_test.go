package engine

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"remanence/internal/continuity"
	"remanence/internal/event"
	"remanence/internal/extract"
)

func TestOneCommandHasOnePlainForm(t *testing.T) {
	for _, tt := range []struct{ typed, want string }{
		{"go test ./...", "go test ./..."},
		{"  go   test\n ./... ", "go test ./..."},
		{"cd /home/dev/shop && go test ./...", "go test ./..."},
		{"cd a && cd b && make", "make"},
		{"CGO_ENABLED=0 GOFLAGS=-v go build .", "go build ."},
		{"go test ./... 2>&1 | tail -20", "go test ./..."},
		{"cat x | grep y | head -3", "cat x | grep y"},
		{`bun test 2>&1 | grep -A 3 "fail\|error" | head -50`, "bun test"},
		{"make a | tail -3 && make b | tail -3", "make a | tail -3 && make b"},
		{"cd nowhere", "cd nowhere"},
		{"a=b", "a=b"},
		{"1x=2 go", "1x=2 go"},
		{"", ""},
	} {
		if got := extract.PlainCommand(tt.typed); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.typed, got, tt.want)
		}
	}
}

func TestErrorsOfToolsAreReadAsTheClientWritesThem(t *testing.T) {
	for _, tt := range []struct {
		in   string
		code int
		text string
	}{
		{"Exit code 3\noops", 3, "oops"},
		{"Exit code 127\nsh: x: not found\n", 127, "sh: x: not found"},
		{"Exit code 1", 1, ""},
		{"Exit code x\ny", 1, "Exit code x\ny"},
		{"Exit code 99999999999999999999\n", 1, "Exit code 99999999999999999999"},
		{"File does not exist.", 1, "File does not exist."},
	} {
		if code, text := extract.ExitOf(tt.in); code != tt.code || text != tt.text {
			t.Errorf("%q: got %d %q, want %d %q", tt.in, code, text, tt.code, tt.text)
		}
	}
}

func TestKeyLineNamesPlaceOrError(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"$ biome check --error-on-warnings .\nFound 2 problems in `pool.ts`.", "Found 2 problems in `pool.ts`."},
		{"$ biome check --error-on-warnings .\nerror: lint failed ━━━━", "error: lint failed"},
		{"$ biome check --error-on-warnings .", "$ biome check --error-on-warnings ."},
		{"--- FAIL: TestX (0.1s)\n    x_test.go:34: got 1, want 2\nFAIL", "x_test.go:34: got 1, want 2"},
		{"building\nsrc/main.rs:10:5: error[E0425]", "src/main.rs:10:5: error[E0425]"},
		{"step 1\nError: no such table\nstep 2", "Error: no such table"},
		{"\n\nplain words\nmore", "plain words"},
		{"", ""},
		{"12:30: started\nfatal: bad ref", "fatal: bad ref"},
		{"❯ src/cart.test.ts (3 tests | 1 failed) 12ms\nFAIL src/cart.test.ts > discounts\nAssertionError: expected 89.99 " +
			"to be 90", "AssertionError: expected 89.99 to be 90"},
		{
			"Tests: 1 failed, 120 passed\n  Failed asserting that 190 matches expected 191",
			"Failed asserting that 190 matches expected 191",
		},
		{"│ Error: Error acquiring the state lock\n│", "Error: Error acquiring the state lock"},
		{
			"E   AssertionError: DataFrame.index are different\n\ntests/test_a.py:44: AssertionError",
			"E AssertionError: DataFrame.index are different",
		},
		{"Compiling foo v0.1.0\nerror[E0382]: borrow of moved value: `x`\n --> src/main.rs:4:5\nerror: aborting due to 1 " +
			"previous error\n", "error[E0382]: borrow of moved value: `x`"},
		{
			"error[E0425]: cannot find value `y` in this scope\nerror: could not compile `foo` (bin) due to 1 previous error",
			"error[E0425]: cannot find value `y` in this scope",
		},
		{
			"src/a.ts(3,5): error TS2304: Cannot find name 'x'.\nerror: script \"build\" exited with code 2",
			"src/a.ts(3,5): error TS2304: Cannot find name 'x'.",
		},
		{"FAIL Tests\\PdfExportTest\n", "FAIL Tests\\PdfExportTest"},
		{"> Task :billing:compileKotlin FAILED\ne: file:///home/dev/billing/src/Tax.kt:7:21 Type mismatch: inferred type " +
			"is Int but Long was expected", "Tax.kt:7:21 Type mismatch: inferred type is Int but Long was expected"},
		{"w: file:///home/dev/Tax.kt\nFAILURE: Build failed with an exception.", "FAILURE: Build failed with an exception."},
		{"09:14:02  4 of 9 ERROR creating table dim_customer ..... [ERROR in 0.4s]\n09:14:02  Finished with 1 " +
			"error:\n09:14:02    Compilation Error in model dim_customer", "Compilation Error in model dim_customer"},
		{"2026-03-02T10:00:01.123Z [main] ERROR: pool is exhausted", "[main] ERROR: pool is exhausted"},
		{"4:12: error in this line", "4:12: error in this line"},
		{
			"npm error code E403\nnpm error 403 Forbidden - GET https://registry.example.org: denied by policy",
			"npm error 403 Forbidden - GET https://registry.example.org: denied by policy",
		},
		{"The following errors were found:\nlayout.tf line 3, undefined variable", "layout.tf line 3, undefined variable"},
		{"> Task :app:test FAILED", "> Task :app:test FAILED"},
		{
			"error: the pool is exhausted\n" + strings.Repeat("(pass) pool > waits\n", 12) +
				"error: the fee is 2, not 3\n(fail) fee > rounds up [0.2ms]\n 1 fail",
			"error: the fee is 2, not 3",
		},
		{"..F\n====== FAILURES ======\n______ test_total ______\n>   assert total([3]) == 3\nE   assert 2 == " +
			"3\n\ntests/test_cart.py:9: AssertionError\n1 failed, 2 passed", "E assert 2 == 3"},
		{
			"======= ERRORS =======\nImportError while importing test module 'tests/test_a.py'.",
			"ImportError while importing test module 'tests/test_a.py'.",
		},
	} {
		if got := extract.ErrorLine(tt.in); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestErrorInATitleBeginsWithTheTellingPart(t *testing.T) {
	for in, want := range map[string]string{
		"Error: no such table": "no such table",
		"[ERROR] /home/dev/shop/src/main/java/shop/Cart.java:[7,3] cannot find symbol": "Cart.java:[7,3] cannot find symbol",
		"/usr/src/app/lib/cart.rb:12: syntax error, unexpected end": "cart.rb:12: syntax error, " +
			"unexpected end",
		"sqlalchemy.exc.OperationalError: server closed the connection": "OperationalError: server closed the connection",
		"java.lang.IllegalStateException: closed":                       "IllegalStateException: closed",
		"src/cart.ts(3,5): error TS2304: Cannot find name 'x'.": "src/cart.ts(3,5): error TS2304: Cannot find " +
			"name 'x'.",
		"/bin/sh: jq: not found": "sh: jq: not found",
		"/var/lib is read-only":  "/var/lib is read-only",
		"error: ":                "error: ",
		"oops":                   "oops",
	} {
		if got := extract.ShortError(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestResponsesOfEveryShapeAreRead(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{`{"stdout":"a","stderr":"b","interrupted":false}`, "a\nb"},
		{`[{"type":"text","text":"x"},{"type":"text","text":"y"}]`, "x\ny"},
		{`"plain"`, "plain"},
		{`{"content":[{"type":"text","text":"z"}]}`, "z"},
		{`{"file":{"content":"not output"}}`, ""},
		{`12`, ""},
		{`{"stdout":7}`, ""},
		{``, ""},
		{`[[["deep"]]]`, "deep"},
	} {
		if got := extract.ResponseText(json.RawMessage(tt.in)); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestAFileOfOneLongLineIsTakenAsFarAsItGoes(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"one\ntwo", "one\ntwo"},
		{"first line\nsecond line that is long", "first line"},
		{"ärgerlich lange Zeile ohne Ende", "ärgerlich lan"},
	} {
		if got := continuity.WholeLines(tt.text, 13); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestGlobs(t *testing.T) {
	for _, tt := range []struct {
		pattern, name string
		want          bool
	}{
		{"**/.env", "/home/dev/shop/.env", true},
		{"**/.env", ".env", true},
		{"**/.env", "/home/dev/shop/x.env", false},
		{"**/*.pem", "/etc/ssl/a.pem", true},
		{"**/.ssh/**", "/home/dev/.ssh/config", true},
		{"**/.ssh/**", "/home/dev/ssh/config", false},
		{"/home/dev/secret/**", "/home/dev/secret/a/b", true},
		{"/home/dev/secret/**", "/home/dev/secretary", false},
		{"mcp__*", "mcp__tickets__get", true},
		{"Bash", "Bash", true},
		{"Bash", "bash", false},
		{`**\.env`, `C:\shop\.env`, true},
		{"[", "x", false},
		{"[", "[", true},
		{"/a[^b]c/**", "/a/c/d", true},
		{"/home/*/secret/**", "/home/dev/secret/a", true},
		{"/home/*/secret/**", "/home/dev/x/secret/a", false},
		{"**/.ssh/**", strings.Repeat("a/", 30_000) + ".ssh/config", true},
		{"**/.ssh/**", strings.Repeat("a/", 30_000) + "ssh/config", false},
	} {
		if got := event.Glob(tt.pattern, tt.name); got != tt.want {
			t.Errorf("glob(%q, %q) = %v, want %v", tt.pattern, tt.name, got, tt.want)
		}
	}
}

func TestStoredFieldsAreBounded(t *testing.T) {
	long := strings.Repeat("äx", 200_000)
	got := event.Middle(long, event.MaxField)
	if len(got) > event.MaxField || !utf8.ValidString(got) || !strings.HasPrefix(got, "äxäx") ||
		!strings.HasSuffix(got, "äx") {
		t.Errorf("middle: %d bytes, valid %v", len(got), utf8.ValidString(got))
	}
	for name, v := range map[string]any{
		"one long string":    map[string]any{"stdout": long, "n": 12},
		"many short strings": strings.Split(strings.Repeat("abcdefgh ", 20_000), " "),
	} {
		raw, _ := json.Marshal(v)
		out := event.Bounded(raw)
		if len(out) > event.MaxField || !json.Valid(out) {
			t.Errorf("%s: %d bytes, valid %v", name, len(out), json.Valid(out))
		}
	}
	if got := event.Bounded(json.RawMessage(`{"a":1.50}`)); string(got) != `{"a":1.50}` {
		t.Errorf("a short value became %s", got)
	}
}

func TestAProhibitionIsNoRemarkOnThisOnce(t *testing.T) {
	for _, tt := range []struct {
		prompt, command string
		want            bool
	}{
		{"never force-unlock without asking", "terraform force-unlock 1234", true},
		{"Please don't ever run npm install here.", "npm install", true},
		{"Don't run npm install again, I already did it.", "npm install", false},
		{"Don't run npm test yet, I am still editing.", "npm test", false},
		{"You never run go test, please do.", "go test ./...", false},
	} {
		if got := extract.ForbidsCommand(tt.prompt, tt.command); got != tt.want {
			t.Errorf("%q of %q: got %v, want %v", tt.prompt, tt.command, got, tt.want)
		}
	}
}
