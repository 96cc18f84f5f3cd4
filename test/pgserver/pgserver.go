//go:build linux

// Package pgserver starts PostgreSQL servers for tests: on loopback, with data in a temporary directory, and never as
// root, which the server refuses.
package pgserver

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Server is one server with its data.
type Server struct {
	Dir      string // of its data
	Port     int
	Password string // of role remanence, who owns database remanence and is no superuser

	programs string // directory of the server's programs
	fast     bool
	cmd      *exec.Cmd
	done     chan struct{} // closed when the server has ended
}

// nobody is the user of a server that root starts.
const nobody = 65534

// patience is how long a server may take to start or stop.
const patience = 2 * time.Minute

// New makes a cluster below a new directory and starts its server. A fast one does not wait for its disk: a test that
// cuts its power would lose data.
func New(fast bool) (*Server, error) {
	programs, err := findPrograms()
	if err != nil {
		return nil, err
	}
	return start(fast, func(s *Server) error {
		s.programs = programs
		return s.initialize()
	})
}

// start makes the directory of a server, which initialize fills.
func start(fast bool, initialize func(*Server) error) (*Server, error) {
	// Not below the directory of a test, which only its user may enter.
	dir, err := os.MkdirTemp("/tmp", "pgserver")
	if err != nil {
		return nil, err
	}
	s := &Server{Dir: dir, Password: rand.Text(), fast: fast}
	if err := initialize(s); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return s, nil
}

// findPrograms returns the directory of the newest server that is installed. Debian keeps it out of the PATH.
func findPrograms() (string, error) {
	for _, pattern := range []string{"/usr/lib/postgresql/*/bin/postgres", "/usr/pgsql-*/bin/postgres"} {
		found, _ := filepath.Glob(pattern)
		if len(found) > 0 {
			return filepath.Dir(found[len(found)-1]), nil
		}
	}
	path, err := exec.LookPath("postgres")
	if err != nil {
		return "", errors.New("no PostgreSQL server is installed (Debian: apt-get install postgresql)")
	}
	return filepath.Dir(path), nil
}

// initialize makes the cluster, its role and its database, and runs statements there as the superuser.
func (s *Server) initialize(statements ...string) error {
	if os.Getuid() == 0 {
		if err := os.Chown(s.Dir, nobody, nobody); err != nil {
			return err
		}
	}
	if err := s.run("initdb", "-D", s.data(), "-U", "postgres", "--auth-local=trust", "--auth-host=scram-sha-256", "-E",
		"UTF8", "--locale=C", "--no-sync"); err != nil {
		return err
	}
	if err := s.Start(); err != nil {
		return err
	}
	err := errors.Join(s.SQL("postgres", "CREATE ROLE remanence LOGIN PASSWORD '"+s.Password+"'"),
		s.SQL("postgres", "CREATE DATABASE remanence OWNER remanence"))
	for _, statement := range statements {
		err = errors.Join(err, s.SQL("remanence", statement))
	}
	return err
}

func (s *Server) data() string { return filepath.Join(s.Dir, "data") }

// DSN is where the database is, without the password.
func (s *Server) DSN() string {
	return fmt.Sprintf("postgres://remanence@127.0.0.1:%d/remanence?sslmode=disable", s.Port)
}

// WithPassword is DSN with the password.
func (s *Server) WithPassword() string { return s.WithDatabase("remanence") }

// WithDatabase is WithPassword for another database.
func (s *Server) WithDatabase(name string) string {
	return fmt.Sprintf("postgres://remanence:%s@127.0.0.1:%d/%s?sslmode=disable", s.Password, s.Port, name)
}

// command returns a command that does not run as root.
func (s *Server) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(s.programs, name), args...)
	cmd.Dir = s.Dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "TZ=UTC"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if os.Getuid() == 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	}
	return cmd
}

func (s *Server) run(name string, args ...string) error {
	if out, err := s.command(name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, bytes.TrimSpace(out))
	}
	return nil
}

// SQL runs a statement as the superuser.
func (s *Server) SQL(database, statement string) error {
	_, err := s.Query(database, statement)
	return err
}

// Query runs a statement as the superuser, and returns the rows as lines.
func (s *Server) Query(database, statement string) (string, error) {
	out, err := s.command("psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", s.Dir, "-p", strconv.Itoa(s.Port),
		"-U", "postgres", "-d", database, "-c", statement).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("psql: %w: %s", err, bytes.TrimSpace(out))
	}
	return strings.TrimSpace(string(out)), nil
}

// Start starts the server, at the same port as before.
func (s *Server) Start() error {
	if s.Port == 0 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		s.Port = l.Addr().(*net.TCPAddr).Port
		_ = l.Close()
	}
	args := []string{
		"-D", s.data(), "-p", strconv.Itoa(s.Port), "-c", "listen_addresses=127.0.0.1", "-c",
		"unix_socket_directories=" + s.Dir, "-c", "max_connections=200",
	}
	if s.fast {
		args = append(args, "-c", "fsync=off", "-c", "full_page_writes=off")
	}
	log, err := os.OpenFile(filepath.Join(s.Dir, "log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	s.cmd = s.command("postgres", args...)
	s.cmd.Stdout, s.cmd.Stderr = log, log
	if err := s.cmd.Start(); err != nil {
		return err
	}
	s.done = make(chan struct{})
	go func(cmd *exec.Cmd, done chan struct{}) {
		_ = cmd.Wait() // how it ended is in its log
		close(done)
	}(s.cmd, s.done)
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		select {
		case <-s.done:
			out, _ := os.ReadFile(log.Name())
			return fmt.Errorf("the server ended: %s", out)
		default:
		}
		if s.run("pg_isready", "-q", "-h", "127.0.0.1", "-p", strconv.Itoa(s.Port)) == nil {
			return nil
		}
	}
	return errors.New("the server does not start")
}

// Kill ends all processes of the server at once, as a crash does.
func (s *Server) Kill() error {
	children := s.children()
	err := s.cmd.Process.Kill()
	for _, pid := range children {
		_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended with the first
	}
	<-s.done
	for _, pid := range children { // the next server waits for none of them: it does not start while one lives
		for end := time.Now().Add(patience); time.Now().Before(end) && syscall.Kill(pid, 0) == nil; {
			time.Sleep(10 * time.Millisecond)
		}
	}
	return err
}

// children are the processes that the server's first one started. Each is the leader of a group of its own.
func (s *Server) children() (pids []int) {
	pid := strconv.Itoa(s.cmd.Process.Pid)
	out, _ := os.ReadFile("/proc/" + pid + "/task/" + pid + "/children")
	for field := range strings.FieldsSeq(string(out)) {
		if pid, err := strconv.Atoi(field); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// PIDs are the processes of the server.
func (s *Server) PIDs() []int { return append(s.children(), s.cmd.Process.Pid) }

// Stop ends the server in order.
func (s *Server) Stop() error {
	if err := s.cmd.Process.Signal(syscall.SIGINT); err != nil {
		return err
	}
	select {
	case <-s.done:
		return nil
	case <-time.After(patience):
		return errors.Join(errors.New("the server does not end"), s.Kill())
	}
}

// Remove stops the server and removes its data.
func (s *Server) Remove() error { return errors.Join(s.Stop(), os.RemoveAll(s.Dir)) }
