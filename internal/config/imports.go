package config

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"remanence/internal/fsx"
)

// maxImportFile bounds the list of an import's memories, in bytes.
const maxImportFile = 64 << 20

// SaveImport stores the ids of the memories that an import of an export took over, so that it can be undone; or, with
// the id and Undone, of those that this hid.
func (p Paths) SaveImport(id string, memories []string) error {
	b, err := json.Marshal(memories)
	if err != nil {
		return err
	}
	if err := fsx.MakePrivateDir(p.imports()); err != nil {
		return err
	}
	return ReplaceFile(filepath.Join(p.imports(), id+".json"), b)
}

// ReadImport returns what SaveImport stored; ok is false if there is no such import of an export.
func (p Paths) ReadImport(id string) (memories []string, ok bool, err error) {
	if id != filepath.Base(id) || !strings.HasPrefix(id, "import-") { // it would be another file
		return nil, false, nil
	}
	b, err := os.ReadFile(filepath.Join(p.imports(), id+".json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil || len(b) > maxImportFile {
		return nil, false, err
	}
	return memories, true, json.Unmarshal(b, &memories)
}

// Undone follows the id of an import in the name of the list of what undoing it hid.
const Undone = ".undone"

// AddUndone stores the ids of memories that undoing an import hides, beside those of before.
func (p Paths) AddUndone(id string, memories []string) error {
	all, _, err := p.ReadImport(id + Undone)
	if err != nil {
		return err
	}
	all = append(all, memories...)
	slices.Sort(all)
	return p.SaveImport(id+Undone, slices.Compact(all))
}

// imports is the directory of the lists of imports.
func (p Paths) imports() string { return filepath.Join(p.State, "imports") }
