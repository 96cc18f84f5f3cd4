package extract

import (
	"testing"

	"remanence/internal/mem"
)

func TestFailureIsKnownAgainByWhatWentWrong(t *testing.T) {
	for _, c := range []struct {
		name, command, message string
		memory                 mem.Memory
		want                   bool
	}{
		{
			"another error of the same program", "go test -run TestFee ./books",
			"--- FAIL: TestFee\n    fee_test.go:21: fee of 1999 is 87, want 88",
			mem.Memory{Title: "`go test -run TestRetry ./webhook` failed (exit 1: not delivered after 100 ms), " +
				"fixed in sender.go"},
			false,
		},
		{
			"the same error in another place", "go test -run TestRefund ./refund",
			"--- FAIL: TestRefund\n    refund_test.go:41: not delivered after 100 ms, 2 calls",
			mem.Memory{Title: "`go test -run TestRetry ./webhook` failed (exit 1: retry_test.go:34: not delivered after " +
				"100 ms, 1 calls), fixed in sender.go"},
			true,
		},
		{
			"the error is in a fact", "npm run build", "Error: Cannot find module 'left-pad'",
			mem.Memory{Title: "The lock file was stale.", Facts: []string{"error: Cannot find module 'left-pad'"}},
			true,
		},
		{
			"another name is undefined", "go build ./...", "clock/fake.go:9:4: undefined: clock.NewFake",
			mem.Memory{Title: "`go build ./...` failed (exit 1: undefined: books.Total), fixed in books.go"},
			false,
		},
		{
			"another module is missing", "npm run build", "Error: Cannot find module '@acme/money'",
			mem.Memory{Title: "`npm test` failed (exit 1: Cannot find module 'zod'), works after `npm install zod`"},
			true, // what helped is the same kind of command
		},
		{
			"only the figures are alike", "make", "port 8080 in use",
			mem.Memory{Title: "`make` failed (exit 2: timeout of 8080 ms), works after `make clean`"},
			false,
		},
		{
			"nothing was said", "make", "exit status 1",
			mem.Memory{Title: "`make` failed (exit 1), works after `make clean`"},
			false,
		},
		{
			"another language", "make", "ошибка: порт уже занят",
			mem.Memory{Title: "`serve` failed (exit 1: порт уже занят), done by `kill`"},
			true,
		},
	} {
		if got := FailureOf(c.command, c.message).Is(c.memory); got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

func TestWhichFailuresOfACommandAreTheSame(t *testing.T) {
	const logged = "error: Database connection failed\n"
	for _, c := range []struct {
		name, one, other string
		want             bool
	}{
		{"other figures", "fee_test.go:21: refused after 100 ms", "fee_test.go:34: refused after 7 ms", true},
		{"another error", "fee_test.go:21: refused by upstream", "fee_test.go:21: undefined: Fee", false},
		{"only counted", "Found 1 error.\nerror: script \"lint\" exited with code 1", "Found 1 error.", false},
		{"not counted", "  × Some errors were emitted by checks.", "  × Some errors were emitted by checks.", false},
		{
			"another test, with the log of a third one", logged + "(fail) fee > rounds up [0.2ms]\n 1 fail",
			logged + "(fail) queue > is drained [0.9ms]\n 1 fail", false,
		},
		{
			"the same test among others", logged + "(fail) fee > rounds up [0.2ms]\n 1 fail",
			logged + "(fail) queue > is drained [0.9ms]\n(fail) fee > rounds up [0.7ms]\n 2 fail", true,
		},
		{
			"the same test, another error", "--- FAIL: TestFee (0.01s)\n    fee_test.go:9: refused by upstream",
			"--- FAIL: TestFee (0.02s)\n    fee_test.go:9: unknown currency", false,
		},
	} {
		one, other := FailureOf("bun test", c.one), FailureOf("bun test", c.other)
		if got := one.Same(other); got != c.want {
			t.Errorf("%s: got %v, want %v (%+v, %+v)", c.name, got, c.want, one, other)
		}
	}
}

func TestAFixOfACommandThatPrintedNothingNamesNoError(t *testing.T) {
	for failed, want := range map[string]string{
		"Command failed (exit 1): sh check.sh | Error: ":      "`sh check.sh` failed (exit 1), fixed in fee.go",
		"Command failed (exit 1): sh check.sh | Error: 87: x": "`sh check.sh` failed (87: x), fixed in fee.go",
	} {
		failure := mem.Memory{Title: failed, Command: "sh check.sh", ExitCode: 1}
		if got := FixTitle(failure, "fixed in fee.go"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestTheErrorIsThatOfTheTestThatFailed(t *testing.T) {
	const (
		logged = "Task 2 failed: 84 |\n89 | throw new Error(\"Item 3 failed\");\nerror: Item 3 failed\n"
		failed = "(fail) fee > rounds up [0.3ms]"
	)
	for output, want := range map[string]string{
		logged + "error: the fee is 2, not 3\n" + failed:                             "error: the fee is 2, not 3",
		logged + "error: expect(received).toContain(expected)\n" + failed:            failed,
		"ok 1 - fee\n--- FAIL: TestFee (0.01s)\n    fee_test.go:12: got 2, want 3\n": "fee_test.go:12: got 2, want 3",
	} {
		if got := ErrorLine(output); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
