//go:build !unix

package daemon

// maxOpenFiles is how many files this process may have open; 0 if nobody says.
func maxOpenFiles() uint64 { return 0 }
