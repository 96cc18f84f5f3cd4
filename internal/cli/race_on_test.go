//go:build race

package cli

// racing is true where the race detector makes everything ten times as slow.
const racing = true
