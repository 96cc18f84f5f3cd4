//go:build linux

// Package surrealserver starts SurrealDB servers for tests, on loopback: server.mjs serves the engine that install.sh
// gets as an npm package.
package surrealserver

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// User is the owner of a server.
const User = "root"

// patience is how long a server may take to start or stop.
const patience = 2 * time.Minute

// Server is one server with its data.
type Server struct {
	Dir      string // of its data
	Port     int
	Password string // of User

	// Certificate and Key are files in PEM; with them the next start serves with TLS alone.
	Certificate, Key string

	storage string
	sources string // directory of server.mjs
	engine  string // directory of its packages
	cmd     *exec.Cmd
	done    chan struct{} // closed when the server has ended
}

// New starts a server with data in a new directory. A fast one keeps them in memory: they end with it.
func New(fast bool) (*Server, error) {
	sources, err := sources()
	if err != nil {
		return nil, err
	}
	engine, err := install(sources)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "surrealserver")
	if err != nil {
		return nil, err
	}
	s := &Server{Dir: dir, Password: rand.Text(), storage: "mem://", sources: sources, engine: engine}
	if !fast {
		s.storage = "surrealkv://" + filepath.Join(dir, "data")
	}
	if err := s.Start(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return s, nil
}

// sources returns the directory of this package. The path that the compiler knows may be trimmed.
func sources() (string, error) {
	out, err := exec.Command("go", "list", "-f", "{{.Dir}}", "remanence/test/surrealserver").Output()
	return strings.TrimSpace(string(out)), err
}

// install returns the directory of the engine, which it gets unless it is there.
func install(sources string) (string, error) {
	out, err := exec.Command(filepath.Join(sources, "install.sh")).Output()
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		return "", fmt.Errorf("%w: %s", err, bytes.TrimSpace(e.Stderr))
	}
	return strings.TrimSpace(string(out)), err
}

// DSN is where a database is, without the password.
func (s *Server) DSN(namespace, database string) string {
	return fmt.Sprintf("surreal://%s@127.0.0.1:%d/%s/%s", User, s.Port, namespace, database)
}

// Getenv returns the password as the environment of a program.
func (s *Server) Getenv(name string) string {
	if name == "SURREAL_PASS" {
		return s.Password
	}
	return ""
}

// Start starts the server, at the same port as before.
func (s *Server) Start() error {
	s.cmd = exec.Command("node", filepath.Join(s.sources, "server.mjs"), s.storage)
	s.cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + s.Dir, "SURREAL_ENGINE=" + s.engine, "USER=" + User,
		"PASSWORD=" + s.Password, "PORT=" + strconv.Itoa(s.Port), "CERTIFICATE=" + s.Certificate, "KEY=" + s.Key,
	}
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	log, err := os.OpenFile(filepath.Join(s.Dir, "log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	s.cmd.Stderr = log
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := s.cmd.Start(); err != nil {
		return err
	}
	s.done = make(chan struct{})
	go func(cmd *exec.Cmd, done chan struct{}) {
		_ = cmd.Wait() // how it ended is in its log
		close(done)
	}(s.cmd, s.done)
	return s.ready(out, log.Name())
}

// ready waits until the server says at which port it is.
func (s *Server) ready(out io.Reader, log string) error {
	said := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(out).ReadString('\n')
		said <- line
	}()
	select {
	case line := <-said:
		port, found := strings.CutPrefix(strings.TrimSpace(line), "ready ")
		if n, err := strconv.Atoi(port); found && err == nil {
			s.Port = n
			return nil
		}
	case <-time.After(patience):
	}
	text, _ := os.ReadFile(log)
	return errors.Join(fmt.Errorf("the server does not start: %s", text), s.Kill())
}

// SQL runs statements as the owner, and returns the answer as JSON.
func (s *Server) SQL(namespace, database, text string) (string, error) {
	req, err := http.NewRequest(http.MethodPost, fmt.Sprintf("http://127.0.0.1:%d/sql", s.Port), strings.NewReader(text))
	if err != nil {
		return "", err
	}
	req.SetBasicAuth(User, s.Password)
	req.Header.Set("surreal-ns", namespace)
	req.Header.Set("surreal-db", database)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err == nil && (res.StatusCode != http.StatusOK || bytes.Contains(b, []byte(`"status":"ERR"`))) {
		err = fmt.Errorf("%s: %s", res.Status, b)
	}
	return string(b), err
}

// PID is the server's process.
func (s *Server) PID() int { return s.cmd.Process.Pid }

// Kill ends the server at once, as a crash does.
func (s *Server) Kill() error {
	err := s.cmd.Process.Kill()
	<-s.done
	return err
}

// Stop ends the server.
func (s *Server) Stop() error {
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	select {
	case <-s.done:
		return nil
	case <-time.After(patience):
		return errors.Join(errors.New("the server does not end"), s.Kill())
	}
}

// Remove ends the server and removes its data.
func (s *Server) Remove() error { return errors.Join(s.Stop(), os.RemoveAll(s.Dir)) }
