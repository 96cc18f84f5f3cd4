package cli

import (
	"fmt"
	"strings"

	"remanence/internal/config"
)

// modelRefusal returns why the configured model cannot be used.
func modelRefusal(a *app, key string) error {
	if !strings.HasPrefix(key, "digest.") {
		return nil
	}
	cfg, err := config.LoadConfig(a.Paths.Config, a.Sys.Getenv)
	if err != nil {
		return nil // reported when the configuration was read
	}
	if err := cfg.ModelFault(); err != nil {
		return fmt.Errorf("%w; turns are digested by rule alone", err)
	}
	return nil
}
