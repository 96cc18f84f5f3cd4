//go:build !linux

package cli

import "errors"

// process is a process that has to do with a file of ours.
type process struct {
	pid  int
	name string
	ours bool // a daemon
}

// lockers and openers need /proc: elsewhere nobody is known.
func lockers(...string) []process { return nil }

func openers(string) []process { return nil }

func (process) askToEnd() error { return errors.ErrUnsupported }
