package cli

import (
	"fmt"
	"strings"

	"remanence/internal/config"
	"remanence/internal/embed"
)

// embedRefusal returns why the configured server cannot be used.
func embedRefusal(a *app, key string) error {
	if !strings.HasPrefix(key, "embed.") {
		return nil
	}
	cfg, err := config.LoadConfig(a.Paths.Config, a.Sys.Getenv)
	if err != nil {
		return nil // reported when the configuration was read
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
