package api

import "io/fs"

// checkOwner has nothing to compare here: files below the user's profile are the user's.
func checkOwner(fs.FileInfo) error { return nil }
