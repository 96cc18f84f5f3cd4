package ui

import (
	"os"

	"golang.org/x/sys/windows"
)

// sizeOf is the size of a console window; ok is false for what is none.
func sizeOf(f *os.File) (width, height int, ok bool) {
	var mode uint32
	if windows.GetConsoleMode(windows.Handle(f.Fd()), &mode) != nil {
		return 0, 0, false
	}
	var info windows.ConsoleScreenBufferInfo
	if windows.GetConsoleScreenBufferInfo(windows.Handle(f.Fd()), &info) != nil {
		return 80, 24, true
	}
	return int(info.Window.Right-info.Window.Left) + 1, int(info.Window.Bottom-info.Window.Top) + 1, true
}
