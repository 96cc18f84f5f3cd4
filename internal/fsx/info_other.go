//go:build !unix

package fsx

import "io/fs"

const noWait = 0

// Links returns the number of a file's hard links. It returns 1 if the system does not report it, as here.
func Links(fs.FileInfo) int { return 1 }

// Inode returns the number of a file on its disk, 0 where there is none.
func Inode(fs.FileInfo) uint64 { return 0 }

// OwnedByUser reports whether a file belongs to the user of this process. It returns true if the system does not report
// owners, as here.
func OwnedByUser(fs.FileInfo) bool { return true }

// OwnedByUserOrRoot reports whether a file belongs to the user of this process or to root. It returns true if the
// system does not report owners, as here.
func OwnedByUserOrRoot(fs.FileInfo) bool { return true }
