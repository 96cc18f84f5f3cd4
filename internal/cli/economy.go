package cli

import (
	"context"

	"remanence/internal/mcpserver"
	"remanence/internal/views"
)

// economy adds to the engine's counts what only the server of tools knows.
func (h *house) economy(ctx context.Context, ask views.EconomyRequest) (views.EconomyResponse, error) {
	out, err := h.engine.Views.Economy(ctx, ask)
	out.ToolsTokens = mcpserver.ListTokens(value[string](h.config.now(), "mcp.tools") == "all")
	return out, err
}
