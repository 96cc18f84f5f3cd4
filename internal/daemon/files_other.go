//go:build !unix

package daemon

// maxOpenFiles returns how many files this process may open; 0 if unknown.
func maxOpenFiles() uint64 { return 0 }
