package mcpserver

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// prompts are the two prompts that a person picks to hand over the work or to continue it later.
func prompts() []*mcp.Prompt {
	return []*mcp.Prompt{
		{
			Name: "handoff", Title: "Hand off", Description: "Write down what the next session must know",
			Arguments: []*mcp.PromptArgument{
				{Name: "focus", Description: "what matters most, if anything does"},
			},
		},
		{
			Name: "checkpoint", Title: "Checkpoint", Description: "Lay down where the work stands",
			Arguments: []*mcp.PromptArgument{
				{Name: "focus", Description: "what matters most, if anything does"},
			},
		},
	}
}

const handoffText = `Write a handoff for whoever goes on with this work, who knows nothing of this conversation. ` +
	`At most 4,000 characters:
1. The task in hand and its exact next step.
2. Open threads, and who or what is waited for.
3. Decisions and constraints, with their reasons.
4. What would be missed: dead ends, traps, numbers, commands.
Say only what this conversation shows; no secrets. Then keep it: call the tool state of the server remanence with ` +
	`op "handoff" and the text.`

const checkpointText = `Lay down where the work stands, with the tool state of the server remanence:
1. op "get", to see what is there.
2. op "update" with phase, status, active_work, blockers and next_action as they are now.
3. op "decision" for each decision made since, with its rationale; op "progress" with action "complete" for what ` +
	`is done and "add" for what came up.
4. op "session" with a summary of what was done, completed, blockers and next.
Say only what this conversation shows. End with one line: what changed, and the next action.`

func (s *Server) addPrompts() {
	if s.Reader { // both write
		return
	}
	bodies := map[string]string{"handoff": handoffText, "checkpoint": checkpointText}
	for _, p := range prompts() {
		s.mcp.AddPrompt(p, func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			text := bodies[p.Name]
			if focus := req.Params.Arguments["focus"]; focus != "" {
				text += "\n\nWhat matters most: " + focus
			}
			return &mcp.GetPromptResult{Description: p.Description, Messages: []*mcp.PromptMessage{
				{Role: "user", Content: &mcp.TextContent{Text: text}},
			}}, nil
		})
	}
}
