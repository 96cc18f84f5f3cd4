package shell

import (
	"slices"
	"strings"
)

// byStatus divides the commands of a line by what its exit status says of them. Those of shown worked if it is 0: the
// last one of the line, and those before it that "&&" joins to it. The status of the others is hidden, behind a pipe,
// "||", ";" or "&". Of a line that is not understood either all are hidden, or none.
func byStatus(line string) (shown, hidden [][]string) {
	commands, behind, ok := parse(line)
	if !ok {
		if strings.ContainsAny(strings.NewReplacer("&&", "", ">&", "", "&>", "").Replace(line), "|;&\n") {
			return nil, Words(line)
		}
		return Words(line), nil
	}
	stops, pipes := false, false // set -e, set -o pipefail
	if len(commands) > 0 && commands[0][0] == "set" {
		for _, flag := range commands[0][1:] {
			pipes = pipes || flag == "pipefail"
			stops = stops || flag == "errexit" || strings.HasPrefix(flag, "-") && strings.Contains(flag, "e")
		}
	}
	counts := true
	for i, words := range slices.Backward(commands) {
		mark := behind[i]
		last := mark == ";" && i == len(commands)-1 // nothing stands behind it
		counts = counts && mark != "||" && mark != "&" && (mark != ";" || stops || last)
		if counts && mark != "$" && (mark != "|" || pipes) {
			shown = append(shown, words)
		} else {
			hidden = append(hidden, words)
		}
	}
	slices.Reverse(shown)
	slices.Reverse(hidden)
	return shown, hidden
}

// HidesStatus reports whether a line may exit with status 0 though one of its commands that do some work failed, as
// "make | tail", "make || true" and "make; echo done" do.
func HidesStatus(line string) bool {
	_, hidden := byStatus(line)
	return slices.ContainsFunc(hidden, works)
}

// HidesCommit reports whether a line may exit with status 0 though its git commit failed.
func HidesCommit(line string) bool {
	_, hidden := byStatus(line)
	return slices.ContainsFunc(hidden, func(words []string) bool {
		_, rest, ok := programIn(words, "git")
		return ok && Subcommand(rest) == "commit"
	})
}

// Unfiltered reports whether the output of a line is that of its commands, at most without its beginning or its end.
func Unfiltered(line string) bool {
	commands, behind, ok := parse(line)
	return ok && !slices.ContainsFunc(commands, func(words []string) bool {
		return !slices.Contains([]string{"tail", "head", "cat", "tee"}, words[0]) && !works(words) && words[0] != "cd" &&
			words[0] != "set"
	}) && !slices.Contains(behind, "$") && !strings.Contains(strings.ReplaceAll(line, "2>&1", ""), ">")
}

// ShownChecks returns which of Checks the exit status of a line shows.
func ShownChecks(line string) []string {
	if !mayCheck(line) {
		return nil
	}
	shown, _ := byStatus(line)
	return checksOf(shown)
}
