//go:build linux

package pgserver

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// ErrNoVector is the error of a machine on which no server has the extension pgvector.
var ErrNoVector = errors.New("there is no pgvector for the PostgreSQL server here: run test/pgserver/install.sh")

// WithVector is New with a server that has the extension pgvector, installed in database remanence. Unless the server
// of the machine has it, a copy of that is started, into which what install.sh built is put: a server finds its
// extensions beside its own program.
func WithVector(fast bool) (*Server, error) {
	programs, err := findPrograms()
	if err != nil {
		return nil, err
	}
	return start(fast, func(s *Server) error {
		version := filepath.Dir(programs)
		share := filepath.Join("/usr/share/postgresql", filepath.Base(version))
		if _, err := os.Stat(filepath.Join(share, "extension", "vector.control")); err == nil {
			s.programs = programs
			return s.initialize("CREATE EXTENSION vector")
		}
		built, err := builtVector()
		if err != nil {
			return err
		}
		lib := filepath.Join(s.Dir, "lib/postgresql", filepath.Base(version))
		copied := filepath.Join(s.Dir, "share/postgresql", filepath.Base(version))
		for from, to := range map[string]string{version: lib, share: copied} {
			if err := os.CopyFS(to, os.DirFS(from)); err != nil {
				return fmt.Errorf("copy the server: %w", err)
			}
		}
		for from, to := range map[string]string{
			"lib": filepath.Join(lib, "lib"), "extension": filepath.Join(copied, "extension"),
		} {
			if err := os.CopyFS(to, os.DirFS(filepath.Join(built, from))); err != nil {
				return fmt.Errorf("copy pgvector: %w", err)
			}
		}
		s.programs = filepath.Join(lib, "bin")
		return s.initialize("CREATE EXTENSION vector")
	})
}

// builtVector returns where install.sh puts pgvector.
func builtVector() (string, error) {
	dir := os.Getenv("PGVECTOR")
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return "", err
		}
		dir = filepath.Join(cache, "pgvector")
	}
	if _, err := os.Stat(filepath.Join(dir, "installed")); err != nil {
		return "", ErrNoVector
	}
	return dir, nil
}
