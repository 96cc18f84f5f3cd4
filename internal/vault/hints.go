package vault

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"remanence/internal/vaultfile"
)

// hintsFile says which directories belong to which project.
const hintsFile = "project_hints.toml"

// hintsFiles are where the vault itself may have its hints, first come first.
var hintsFiles = [...]string{hintsFile, "config/" + hintsFile}

// Hints are what the vault's file of hints says of a directory: the tags of the
// keys that are part of its path, whatever their case. Without the file there
// are none.
func (v *Vault) Hints(dir string) (vaultfile.Hints, error) {
	b, name, err := v.hintsText()
	if name == "" {
		return vaultfile.Hints{}, err
	}
	var h vaultfile.Hints
	if err == nil {
		h, err = parseHints(b, dir)
	}
	if err != nil {
		return h, fmt.Errorf("%s: %w", name, err)
	}
	return h, nil
}

// hintsText is the content of the file of hints and its name, "" if there is none.
func (v *Vault) hintsText() ([]byte, string, error) {
	if root, err := os.OpenRoot(v.HintsDir); v.HintsDir != "" && err == nil {
		defer root.Close()
		if b, _, err := readFile(root, hintsFile); !errors.Is(err, fs.ErrNotExist) {
			return b, filepath.Join(v.HintsDir, hintsFile), err
		}
	}
	root, err := v.open()
	if errors.Is(err, ErrNone) {
		return nil, "", nil
	}
	if err != nil {
		return nil, "", err
	}
	defer root.Close()
	for _, name := range hintsFiles {
		if b, _, err := readFile(root, name); !errors.Is(err, fs.ErrNotExist) {
			return b, name, err
		}
	}
	return nil, "", nil
}

func parseHints(b []byte, dir string) (vaultfile.Hints, error) {
	var file struct {
		Hints    map[string]any `toml:"hints"`
		Settings struct {
			Boost any `toml:"match_boost"`
		} `toml:"settings"`
	}
	if err := toml.Unmarshal(b, &file); err != nil {
		return vaultfile.Hints{}, err
	}
	var h vaultfile.Hints
	place := strings.ToLower(strings.ReplaceAll(dir, `\`, "/"))
	for part, tag := range file.Hints {
		s, ok := tag.(string)
		if part = strings.ToLower(strings.ReplaceAll(part, `\`, "/")); ok && s != "" && part != "" &&
			strings.Contains(place, part) {
			h.Tags = append(h.Tags, strings.ToLower(s))
		}
	}
	slices.Sort(h.Tags)
	h.Tags = slices.Compact(h.Tags)
	switch n := file.Settings.Boost.(type) {
	case int64:
		h.Boost = float64(n)
	case float64:
		h.Boost = n
	}
	if math.IsNaN(h.Boost) || math.IsInf(h.Boost, 0) || h.Boost < 0 {
		h.Boost = 0
	}
	return h, nil
}
