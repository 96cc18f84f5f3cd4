//go:build !linux

package main

import "github.com/rogpeppe/go-internal/testscript"

// systemCommands are known on Linux alone.
func systemCommands() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){}
}
