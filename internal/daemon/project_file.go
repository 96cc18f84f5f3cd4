package daemon

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"sync"

	"remanence/internal/config"
	"remanence/internal/mem"
	"remanence/internal/project"
)

// projectFiles finds projects with what the configuration file of a trusted repository sets. A file is read again when
// it changes.
type projectFiles struct {
	trust *TrustList
	log   *slog.Logger

	mu   sync.Mutex
	read map[string]projectFile // by root
}

// projectFile is a file as it was read; its error if it could not be.
type projectFile struct {
	seen os.FileInfo
	file mem.ProjectFile
	err  error
}

// maxProjectFiles bounds the number of files that are kept.
const maxProjectFiles = 64

// identify is project.Identify with the configuration file of the checkout.
func (f *projectFiles) identify(dir string) (mem.Project, error) {
	p, err := project.Identify(dir)
	if err != nil || p.Root == "" {
		return p, err
	}
	info, err := os.Lstat(config.ProjectFile(p.Root))
	if err != nil || !f.trust.Trusts(p) { // most projects have none
		return p, nil
	}
	if found := f.of(p.Root, info); found.err == nil {
		p = project.WithFile(p, found.file)
	}
	return p, nil
}

// of returns the file of a checkout, which has that state now.
func (f *projectFiles) of(root string, now os.FileInfo) projectFile {
	f.mu.Lock()
	defer f.mu.Unlock()
	if known, ok := f.read[root]; ok && sameFileState(known.seen, now) {
		return known
	}
	found := projectFile{seen: now}
	found.file, _, found.err = config.ReadProjectFile(root)
	if found.err != nil && !errors.Is(found.err, fs.ErrNotExist) {
		f.log.Warn("configuration of a project", "error", found.err)
	}
	if f.read == nil || len(f.read) >= maxProjectFiles {
		f.read = map[string]projectFile{}
	}
	f.read[root] = found
	return found
}
