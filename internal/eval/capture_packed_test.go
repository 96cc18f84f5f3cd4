package eval

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"
)

func TestTheProgramHoldsTheSessionsOfTheExam(t *testing.T) {
	names, err := filepath.Glob("capture/*.txt")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	var files [][]byte
	for _, name := range names { // in order
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, text)
	}
	want := bytes.Join(files, []byte{0})
	r, err := gzip.NewReader(bytes.NewReader(packedCapture))
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(r)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("capture.gz is not what is in capture, %v: pack it anew, joined by zero bytes, with gzip -9n", err)
	}
}
