//go:build !linux

package daemon

// FileSystem names the network file system that a directory is on, as far as
// that is known here.
func FileSystem(string) string { return "" }

// FreeBytes is the space that is left for a directory's files, where it is known.
func FreeBytes(string) (int64, bool) { return 0, false }
