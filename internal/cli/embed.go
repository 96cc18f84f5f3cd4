package cli

import (
	"fmt"
	"strings"

	"remanence/internal/config"
	"remanence/internal/embed"
)

// embedRefusal is what keeps the server from being asked that the configuration
// names after a change of a setting, or would once a provider is chosen. Nil
// if nothing does, or if the setting has nothing to do with it.
func embedRefusal(a *app, key string) error {
	if !strings.HasPrefix(key, "embed.") {
		return nil
	}
	cfg, err := config.LoadConfig(a.Paths.Config, a.Sys.Getenv)
	if err != nil {
		return nil // said by whoever read it before
	}
	choice := cfg.EmbedChoice()
	if !choice.Enabled() && key == "embed.provider" {
		return nil
	}
	if !choice.Enabled() {
		choice.Provider = embed.Ollama
	}
	if err := choice.Problem(); err != nil {
		return fmt.Errorf("%w; nothing is embedded", err)
	}
	return nil
}
