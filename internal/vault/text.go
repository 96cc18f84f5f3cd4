package vault

import (
	"remanence/internal/mem"
	"remanence/internal/vaultfile"
)

// ReadNote reads the text of a memory's file.
func ReadNote(name, text string) vaultfile.Note {
	n := parseNote(name, text)
	n.Note = NoteOf(name, text)
	return n
}

// WriteNote returns the text of a memory's file with a change.
func WriteNote(name, text string, c vaultfile.NoteChange) (string, error) {
	return changed(name, text, c)
}

// NoteOf returns what is known of a memory's file with a text.
func NoteOf(name, text string) mem.Note {
	return mem.Note{File: name, Hash: hashOf([]byte(text)), Size: int64(len(text))}
}
