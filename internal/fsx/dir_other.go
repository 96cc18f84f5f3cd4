//go:build !unix

package fsx

// syncsDirs says that directories cannot be synced, and that renamings last without it.
const syncsDirs = false
