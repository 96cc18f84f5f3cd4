//go:build unix

package cli
