package stored

import (
	"strconv"
	"strings"

	"remanence/internal/mem"
)

// Succeeded reports whether an event reports no failure.
func Succeeded(e mem.Event) bool {
	return e.Kind != mem.PostToolUseFailure && e.Kind != mem.StopFailure
}

// ExitCode returns the exit code in the error text of a failed command, nil if there is none.
func ExitCode(e mem.Event) any {
	rest, ok := strings.CutPrefix(e.Error, "Exit code ")
	if !ok {
		return nil
	}
	word, _, _ := strings.Cut(rest, "\n")
	n, err := strconv.Atoi(strings.TrimSpace(word))
	if err != nil {
		return nil
	}
	return n
}
