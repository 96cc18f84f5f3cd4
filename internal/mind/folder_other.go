//go:build !unix

package mind

import "io/fs"

const noWait = 0

func trustedOwner(fs.FileInfo) bool { return true }

func onlyName(fs.FileInfo) bool { return true }

func inodeOf(fs.FileInfo) uint64 { return 0 }

func (d *folder) alone() (release func(), ok bool) { return func() {}, true }
