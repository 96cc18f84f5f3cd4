package config

import (
	"errors"
	"path/filepath"
	"strings"
)

// checkVaultDir finds fault with a folder that depends on where a program runs.
func checkVaultDir(v any) error {
	dir, _ := v.(string)
	if dir != "" && !filepath.IsAbs(dir) && !strings.HasPrefix(dir, "~/") {
		return errors.New("it has to be an absolute path, or begin with ~/")
	}
	return nil
}
