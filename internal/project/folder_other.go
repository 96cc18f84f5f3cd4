//go:build !unix

package project

import "io/fs"

const noWait = 0

func trusted(fs.FileInfo) bool { return true }

func onlyName(fs.FileInfo) bool { return true }
