package event

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"remanence/internal/mem"
)

// The parts of a state of a memory, in their order.
const (
	StateTitle = iota
	StateBody
	StateTags
	StateKind
	StatePinned
	StateInvariant
	StateStatus
)

// NoteState says in short what of a memory stands in its file, part by part, so
// that what changed since is told from what did not.
func NoteState(mm mem.Memory) string {
	parts := []string{
		mm.Title, mm.Body, strings.Join(mm.Tags, "\x00"), string(mm.Kind), fmt.Sprint(mm.Pinned), mm.Invariant,
		fmt.Sprint(mm.Status == mem.Forgotten),
	}
	for i, p := range parts {
		sum := sha256.Sum256([]byte(p))
		parts[i] = hex.EncodeToString(sum[:4])
	}
	return strings.Join(parts, " ")
}

// JobVault writes what was counted into the files of the vault, many at once.
const JobVault = "vault"

// vaultLag is how long counted uses wait to be written together.
const vaultLag = 30 * time.Second

// VaultJob returns the job that writes counted uses into the vault.
func (e *Service) VaultJob(now time.Time) mem.Job {
	return mem.Job{Kind: JobVault, Key: "write", NotBefore: now.Add(vaultLag)}
}
