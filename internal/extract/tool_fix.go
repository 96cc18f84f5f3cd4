package extract

import (
	"cmp"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"remanence/internal/chars"
	"remanence/internal/mem"
)

// Bounds of what a fix names.
const (
	MaxFixFiles    = 5
	MaxSideEffects = 3
	MaxFixError    = 60 // characters of the command, of its error, and of what helped, in the title
	MaxSideEffect  = 200
)

// failedMark stands in the title of a fix between the command and its error.
const failedMark = "` failed ("

// FixTitle describes a fix in one line: the command, its error, or its exit code if it printed none, and what helped in
// full, since the failure is known when it occurs again.
func FixTitle(failure mem.Memory, helped string) string {
	_, said, _ := strings.Cut(failure.Title, "| Error: ")
	left := 160 - utf8.RuneCountInString(fmt.Sprintf("``%s), %s", failedMark, helped))
	command := chars.Clip(failure.Command, min(MaxFixError, max(left/2, left-utf8.RuneCountInString(said))))
	said = chars.Clip(said, min(MaxFixError, left-utf8.RuneCountInString(command)))
	return fmt.Sprintf("`%s%s%s), %s", command, failedMark, cmp.Or(said, fmt.Sprintf("exit %d", failure.ExitCode)), helped)
}

// FilesPhrase says in which files something was done.
func FilesPhrase(files []string) string {
	switch n := len(files); n {
	case 1:
		return path.Base(files[0])
	case 2:
		return path.Base(files[0]) + " and " + path.Base(files[1])
	default:
		return fmt.Sprintf("%s and %d other files", path.Base(files[0]), n-1)
	}
}
