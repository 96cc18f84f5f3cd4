//go:build unix

package fsx

// syncsDirs says that a renaming is durable only after its directory was synced.
const syncsDirs = true
