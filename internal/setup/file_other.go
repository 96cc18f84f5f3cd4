//go:build !unix

package setup

import (
	"io/fs"
	"os"
)

// keepOwner does nothing: a new file inherits its access rules from its directory.
func keepOwner(*os.File, fs.FileInfo) error { return nil }

// executable reports whether the file can be a program; there is no mode that says so.
func executable(info fs.FileInfo) bool { return info.Mode().IsRegular() }
