package recall

import (
	"strings"

	"remanence/internal/chars"
	"remanence/internal/event"
)

// IsQuestion reports whether a prompt is one of a person to the agent.
func IsQuestion(prompt string) bool {
	p := strings.TrimSpace(prompt)
	return p != "" && !strings.HasPrefix(p, event.OwnCommand) && !chars.IsClientText(p)
}
