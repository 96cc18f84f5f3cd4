package daemon

import (
	"context"

	"remanence/internal/config"
	"remanence/internal/mcpserver"
	"remanence/internal/views"
)

// economy adds to the engine's counts what only the server of tools knows.
func (h *Daemon) economy(ctx context.Context, ask views.EconomyRequest) (views.EconomyResponse, error) {
	out, err := h.Engine.Views.Economy(ctx, ask)
	out.ToolsTokens = mcpserver.ListTokens(config.Get[string](h.Config.Now(), "mcp.tools") == "all")
	return out, err
}
