package config

import (
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"remanence/internal/fault"
)

// Upkeep is what was done to the database last. It lies in a file of its own, since a restore must not turn it back.
type Upkeep struct {
	Backup time.Time `json:"backup,omitzero"`
	Vacuum time.Time `json:"vacuum,omitzero"`
}

// ReadUpkeep returns what is known; nothing if the file cannot be read.
func (p Paths) ReadUpkeep() Upkeep {
	var u Upkeep
	if b, err := ReadSmall(p.Upkeep()); err == nil {
		_ = json.Unmarshal(b, &u) // a damaged one counts as none
	}
	return u
}

// Write is best effort: what was done was done all the same.
func (u Upkeep) Write(p Paths) {
	if b, err := json.Marshal(u); err == nil && os.MkdirAll(p.Work, 0o700) == nil {
		_ = os.WriteFile(p.Upkeep(), b, 0o600)
	}
}

// NewFile returns the absolute path of a file that is to be made, "" if none is named. One that is there is not written
// over.
func NewFile(file string) (string, error) {
	if file == "" {
		return "", nil
	}
	to, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	if IsDir(to) {
		return "", fault.Input.WithMessage("that is a directory").Because("%s", to).FixedBy("name a file in it")
	}
	if _, err := os.Lstat(to); err == nil {
		return "", fault.Input.WithMessage("the file is there already").Because("%s", to).FixedBy("name another file")
	}
	if dir := filepath.Dir(to); !IsDir(dir) {
		return "", fault.NoFile.WithMessage("no such directory: %s", dir)
	}
	return to, nil
}
