package cli

import (
	"fmt"
	"strings"

	"remanence/internal/config"
)

// modelRefusal is what keeps the model from being asked that the configuration
// names after a change of a setting. Nil if nothing does, if none is chosen, or if
// the setting has nothing to do with it.
func modelRefusal(a *app, key string) error {
	if !strings.HasPrefix(key, "digest.") {
		return nil
	}
	cfg, err := config.LoadConfig(a.Paths.Config, a.Sys.Getenv)
	if err != nil {
		return nil // said by whoever read it before
	}
	if err := cfg.ModelFault(); err != nil {
		return fmt.Errorf("%w; turns are digested by rule alone", err)
	}
	return nil
}
