//go:build unix

package ui

import (
	"os"

	"golang.org/x/sys/unix"
)

// sizeOf returns the size of a terminal; ok is false if f is none. A terminal that does not report its size is 80 by
// 24.
func sizeOf(f *os.File) (width, height int, ok bool) {
	ws, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0, 0, false
	}
	if ws.Col == 0 || ws.Row == 0 {
		return 80, 24, true
	}
	return int(ws.Col), int(ws.Row), true
}
