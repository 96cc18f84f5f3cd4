//go:build unix

package ui

import (
	"os"

	"golang.org/x/sys/unix"
)

// sizeOf is the size of a terminal; ok is false for what is none. A terminal
// that does not tell its size is 80 by 24.
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
