//go:build !unix

package setup

import (
	"io/fs"
	"os"
)

// names is the number of hard links to a file, as far as it is known here.
func names(fs.FileInfo) int { return 1 }

// keepOwner does nothing: a new file inherits its access rules from its directory.
func keepOwner(*os.File, fs.FileInfo) error { return nil }

// executable reports whether the file can be a program; there is no mode that says so.
func executable(info fs.FileInfo) bool { return info.Mode().IsRegular() }

// syncDir does nothing: directories cannot be synced here.
func syncDir(string) error { return nil }
