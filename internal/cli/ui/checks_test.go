package ui

import "testing"

func TestASizeReadsAsInTheViewer(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 KB", 1: "1 KB", 2_900_000: "2.9 MB", 70_400_000: "70 MB",
		70_400_000_000: "70.4 GB",
	} {
		if got := BytesText(n); got != want {
			t.Errorf("%d bytes: got %q, want %q", n, got, want)
		}
	}
}
