package extract

import "testing"

func TestAHiddenStatusIsReadFromTheOutput(t *testing.T) {
	type status struct{ worked, known bool }
	passed, failed, unknown := status{true, true}, status{false, true}, status{false, false}
	for _, c := range []struct {
		line, output string
		want         status
	}{
		{"go test ./...", "FAIL is in the output of a test", passed}, // its own status
		{"go test ./... | tail -5", "--- FAIL: TestFee (0.00s)\nFAIL\tshop/fee\t0.1s\nFAIL\n", failed},
		{"go test ./... 2>&1 | tail -5", "ok  \tshop/fee\t0.1s\n", passed},
		{"go test ./... | tail -5", "?   \tshop/cmd\t[no test files]\n", unknown},
		{"bun run test 2>&1 | tail -4", " 1216 pass\n 0 fail\n 2608 expect() calls\n", passed},
		{"bun run test 2>&1 | tail -4", " 1215 pass\n 1 fail\n 2608 expect() calls\n", failed},
		{"pytest -q || true", "FAILED tests/test_fee.py::test_round - assert 1 == 2\n1 failed, 20 passed in 0.41s\n", failed},
		{"pytest -q | tail -1", "==== 21 passed, 1 warning in 0.41s ====\n", passed},
		{"npx mocha | tail -9", "  20 passing (9ms)\n  2 failing\n", failed},
		{"npm test; echo done", "Tests:       12 passed, 12 total\ndone\n", passed},
		{"npm test; echo done", "done\n", unknown},
		{"npm test 2>&1 | grep -E 'Tests|Suites'", "Tests:       1 failed, 11 passed, 12 total\n", failed},
		{"npm test; echo \"exit: $?\"", "exit: 1\n", failed},
		{"npm test; echo EXIT=$?", "EXIT=0\n", passed},
		{"bun run lint | tail -5", "error: script \"lint\" exited with code 1\n", failed},
		{"npx tsc --noEmit | head -20", "", passed},
		{"npx tsc --noEmit | grep fee", "", unknown},
		{"npx tsc --noEmit | head -20", "src/fee.ts(3,7): error TS2304: Cannot find name 'x'.\n", failed},
		{"npx eslint . | tail -3", "✖ 3 problems (3 errors, 0 warnings)\n", failed},
		{"make test | tee out.txt", "make: *** [Makefile:3: test] Error 2\n", failed},
		{"npm test | tail -9", "Error: the log of a test\nTests: 9 passed, 9 total\n", passed},
		{"cargo build 2>&1 | tail -2", "error: could not compile `fee` due to 2 previous errors\n", failed},
		{"set -o pipefail; npm test | tail -1", "", passed},
		{"cat fee.go | head", "FAIL", passed}, // shows only
		{"bun run test | tail -20", "error: Database connection failed\n 1274 pass\n 0 fail\n", passed},
		{"bun run test | head -20", "[Limiter] Task 2 failed: 84 |\n", unknown},
		{"bun run test | tail -20", "Found 3 errors in the document\n 12 pass\n 0 fail\n", passed},
		{"npx tsc | tail -2", "Found 3 errors in 2 files.\n", failed},
		{"npx vitest run | tail -4", " Test Files  1 failed | 3 passed (4)\n", failed},
		{"npx vitest run | tail -4", " Test Files  4 passed (4)\n      Tests  21 passed (21)\n", passed},
		{"rspec | tail -1", "15 examples, 2 failures\n", failed},
		{"cargo test | tail -2", "test result: ok. 12 passed; 0 failed; 0 ignored\n", passed},
		{"node --test | tail -9", "# pass 3\n# fail 1\n", failed},
	} {
		worked, known := Call{Command: c.line, Output: c.output}.Worked()
		if got := (status{worked, known}); got != c.want {
			t.Errorf("%s\n%sgot %+v, want %+v", c.line, c.output, got, c.want)
		}
	}
}
