// Package vault keeps the person's memory in markdown: who the agent is
// (IDENTITY.md), who the person is (USER.md), one file for each memory
// (memory/*.md), a journal (LOG.md), an index (MEMORY.md), and the notes by which
// a session continues after a compaction (handoff). The files belong to the
// person: other programs may edit, move and synchronise them. A write never
// discards text that this package did not make.
//
// The package reads and writes files. It does not rank or inject memories and
// knows no database. Start reading at Vault.Look and Vault.Write.
package vault

import (
	"errors"
	"fmt"
	"os"
	"sync"

	"remanence/internal/vaultfile"
)

// The files of a vault. The memories are in memoryDir, in files of any name that
// ends in .md; ours are named by type and a short name.
const (
	identityFile = "IDENTITY.md"
	userFile     = "USER.md"
	indexFile    = "MEMORY.md"
	logFile      = "LOG.md"
	memoryDir    = "memory"
	handoffDir   = "handoff"
	handoffFile  = ".handoff.md"
)

// Bounds of what is read. What is larger is left alone and reported.
const (
	maxFile  = 1 << 20 // bytes of a page or a memory
	maxFiles = 5000    // in the folder of memories
)

// ErrNone is what is wrong where no vault is.
var ErrNone = errors.New("there is no vault")

// errConflict means that the person and Remanence changed a file. A copy of the other version is beside it.
var errConflict = errors.New("changed on both sides")

// Status is the status of the vault for people.
type Status struct {
	Dir              string              `json:"dir"`
	Found            bool                `json:"there"`
	Notes            int                 `json:"notes"` // memories with a file
	Identity         bool                `json:"identity"`
	User             bool                `json:"user"`
	Bad              []vaultfile.BadFile `json:"bad"`
	Conflicts        []string            `json:"conflicts"`    // copies that wait for the person
	MissingCritical  []string            `json:"lacking"`      // files named in vault.critical that do not exist
	Index            string              `json:"index"`        // "written", "yours" or "none"
	Hints            string              `json:"hints"`        // the file of project hints, "" if there is none
	DuplicateIDs     []string            `json:"doubled_ids"`  // files with the id of another file
	WithoutInvariant []string            `json:"no_invariant"` // critical memories without an invariant
}

// Vault is one folder of markdown. The zero value but for Dir is ready for use,
// by several goroutines of one process.
type Vault struct {
	Dir string // need not be there: then nothing is read, and only Init makes it

	// HintsDir is a folder whose file of project hints comes before the vault's own;
	// "" for none.
	HintsDir string

	mu    sync.Mutex            // of who looks or writes; guards the next
	files map[string]cachedNote // memories as they were last seen; nil before the first look
}

// Folder is Dir.
func (v *Vault) Folder() string { return v.Dir }

// There reports whether the vault's folder is there.
func (v *Vault) There() bool {
	info, err := os.Stat(v.Dir)
	return v.Dir != "" && err == nil && info.IsDir()
}

// open opens the folder, below which everything is done. ErrNone if it is not there.
func (v *Vault) open() (*os.Root, error) {
	if v.Dir == "" {
		return nil, ErrNone
	}
	root, err := os.OpenRoot(v.Dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("%s: %w", v.Dir, ErrNone)
	case err != nil:
		return nil, fmt.Errorf("open vault: %w", err)
	}
	return root, nil
}
