//go:build !linux

package cli

// fileSystem names the network file system that a directory is on, as far as
// that is known here.
func fileSystem(string) string { return "" }

// freeBytes is the space that is left for a directory's files, where it is known.
func freeBytes(string) (int64, bool) { return 0, false }
