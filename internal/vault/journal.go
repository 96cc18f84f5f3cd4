package vault

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// AppendLog adds an entry to the end of LOG.md, below an empty line, and returns
// the path of the file. What the file holds is never written anew, so that it may
// be of any size and be edited at the same time. An entry that the file ends with
// already is not added again. ErrNone where there is no vault.
func (v *Vault) AppendLog(entry string) (file string, err error) {
	root, err := v.open()
	if err != nil {
		return "", err
	}
	defer root.Close()
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := appendTo(root, strings.TrimSpace(entry)+"\n"); err != nil {
		return "", fmt.Errorf("write %s: %w", logFile, err)
	}
	return filepath.Join(v.Dir, logFile), nil
}

func appendTo(root *os.Root, entry string) error {
	f, info, err := openFile(root, logFile, os.O_RDWR|os.O_CREATE|os.O_APPEND)
	if err != nil {
		return err
	}
	err = appendOnce(f, info.Size(), entry)
	return errors.Join(err, f.Close())
}

// appendOnce writes the entry behind the last size bytes, in one piece.
func appendOnce(f *os.File, size int64, entry string) error {
	tail := make([]byte, min(size, int64(len(entry))+1))
	if _, err := f.ReadAt(tail, size-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if bytes.HasSuffix(append(bytes.TrimRight(tail, "\n"), '\n'), []byte(entry)) {
		return nil
	}
	gap := ""
	switch {
	case size > 0 && tail[len(tail)-1] != '\n':
		gap = "\n\n"
	case size > 0 && !bytes.HasSuffix(tail, []byte("\n\n")):
		gap = "\n"
	}
	if _, err := f.WriteString(gap + entry); err != nil {
		return err
	}
	return f.Sync()
}
