package worker

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"

	"remanence/internal/api"
)

// closeDir removes other users' access to dir, and verifies it.
func closeDir(dir string) error {
	if err := api.CheckDir(dir); err == nil {
		return nil
	}
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
		return fmt.Errorf("%s is not a directory", dir)
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return err
	}
	return api.CheckDir(dir)
}

// maxSocketPath is the longest socket path, in bytes, that the system accepts.
func maxSocketPath() int {
	if runtime.GOOS == "linux" {
		return 107
	}
	return 103
}

// instance returns a short name for a data directory, because several daemons may share a
// socket directory.
func instance(data string) string {
	sum := sha256.Sum256([]byte(data))
	return hex.EncodeToString(sum[:4])
}

func socketName(data string) string { return "worker-" + instance(data) + ".sock" }

// listen opens the daemon's socket in the first of dirs that is private to this user, has a
// short enough path, and has no other file of that name. If there is none, it uses a directory
// below the temporary directory. The socket's name depends on the data directory, because
// several daemons may share a socket directory. Only the holder of the lock may call it,
// because it removes a stale socket.
func listen(data string, dirs []string, log *slog.Logger) (net.Listener, string, error) {
	name := socketName(data)
	for _, dir := range dirs {
		if dir == "" {
			continue
		}
		real, err := privateDir(dir)
		if err == nil {
			var l net.Listener
			var path string
			if l, path, err = listenAt(filepath.Join(real, name)); err == nil {
				return l, path, nil
			}
		}
		log.Warn("socket directory not used", "dir", dir, "error", err)
	}
	var l net.Listener
	var path string
	err := fs.ErrNotExist
	for try := 0; try < 3 && errors.Is(err, fs.ErrNotExist); try++ {
		l, path, err = listenInTemp(name) // another daemon may have removed the directory meanwhile
	}
	return l, path, err
}

func listenInTemp(name string) (net.Listener, string, error) {
	dir, err := tempSocketDir()
	if err != nil {
		return nil, "", err
	}
	return listenAt(filepath.Join(dir, name))
}

// tempSocketDir returns a directory below the temporary directory. Other users could have
// created it, so it is used only if it belongs to this user.
func tempSocketDir() (string, error) {
	dir, err := tempSocketPath()
	if err != nil {
		return "", err
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return dir, closeDir(dir)
}

func tempSocketPath() (string, error) {
	temp, err := filepath.EvalSymlinks(os.TempDir())
	if err != nil {
		return "", err
	}
	return filepath.Join(temp, "remanence-"+strconv.Itoa(os.Getuid())), nil
}

// RemoveTempSocket removes the socket that a killed daemon of a data directory left below the
// temporary directory, and the directory if it is then empty. No daemon may run or start.
func RemoveTempSocket(data string) error {
	dir, err := tempSocketPath()
	if err != nil || api.CheckDir(dir) != nil {
		return nil // no daemon of this user has used it
	}
	real, err := filepath.EvalSymlinks(data)
	if err != nil {
		return nil // no daemon has run
	}
	path := filepath.Join(dir, socketName(real))
	if err := removeStale(path); err != nil {
		return fmt.Errorf("remove socket: %w", err)
	}
	dropTempDir(path)
	return nil
}

// dropTempDir removes the directory of tempSocketDir if no daemon uses it.
func dropTempDir(socket string) {
	if temp, err := tempSocketPath(); err == nil && filepath.Dir(socket) == temp {
		_ = os.Remove(temp) // fails while another daemon's socket is in it
	}
}

func listenAt(path string) (net.Listener, string, error) {
	if len(path) > maxSocketPath() { // the system would only report an invalid argument
		return nil, "", fmt.Errorf("%s: path is too long for a socket, which may have %d bytes", path, maxSocketPath())
	}
	if err := removeStale(path); err != nil {
		return nil, "", err
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, "", err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		_ = l.Close()
		return nil, "", err
	}
	return l, path, nil
}

// removeStale removes the socket of a daemon that has ended.
func removeStale(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.Mode().Type() != fs.ModeSocket && runtime.GOOS != "windows" {
		return fmt.Errorf("%s is in the way: it is not a socket", path)
	}
	return os.Remove(path)
}
