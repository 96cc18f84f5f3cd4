package api

import "io/fs"

// checkOwner does nothing: files in the user's profile belong to the user.
func checkOwner(fs.FileInfo) error { return nil }
