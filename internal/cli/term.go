package cli

import (
	"bufio"
	"fmt"
	"strings"

	"remanence/internal/cli/ui"
	"remanence/internal/fault"
)

// confirm asks the person. It returns an error if the answer was not yes, or if there is no terminal and --yes
// was not given.
func (a *app) confirm(question string) error {
	answer, err := a.prompt(question + " [y/N]")
	if err != nil {
		return err
	}
	switch strings.ToLower(answer) {
	case "y", "yes":
		return nil
	}
	return fault.Declined
}

// prompt asks for one line.
func (a *app) prompt(question string) (string, error) {
	if a.flags.NoInput || !ui.IsTerminal(a.Sys.Stdin) {
		return "", fault.Terminal.Because("%s", question).FixedBy("add --yes")
	}
	fmt.Fprintf(a.Sys.Stderr, "%s ", question)
	line, err := bufio.NewReader(a.Sys.Stdin).ReadString('\n')
	if err != nil && line == "" {
		return "", fault.Declined
	}
	return strings.TrimSpace(line), nil
}
