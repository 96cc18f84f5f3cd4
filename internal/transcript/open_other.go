//go:build !unix

package transcript

import "io/fs"

const noWait = 0

func onlyName(fs.FileInfo) bool { return true }
