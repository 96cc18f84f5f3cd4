package foreign

import (
	"path/filepath"

	"remanence/internal/api"
	"remanence/internal/mem"
	"remanence/internal/mind"
	"remanence/internal/workstate"
)

const mindFolder = workstate.Dir

// readMind reads the state files of a directory, each section as a memory.
func readMind(dir string) (api.ExportedMemories, error) {
	out := empty()
	files, err := mind.New(mind.Config{Trusted: func(mem.Project) bool { return true }}).Look(mem.Project{
		Root: dir, Name: filepath.Base(dir),
	})
	if err != nil {
		return out, err
	}
	for _, part := range files.Parts {
		out.Memories = append(out.Memories, mem.Memory{
			Project: filepath.Base(dir), Kind: part.Kind, Title: part.Title, Body: part.Body, Created: files.Written,
			Files: mem.Strings{mindFolder + "/" + part.File},
		})
	}
	out.Dirs[filepath.Base(dir)] = []string{dir}
	for _, warning := range files.Warnings {
		out.Drop("part of the state files", warning, 1)
	}
	return out, nil
}
