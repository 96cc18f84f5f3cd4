//go:build surreal || backends

package surql

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"runtime"
	"strings"

	"remanence/internal/mem"
)

// Place is where a database is, and who may use it.
type Place struct {
	scheme, host        string // ws or wss
	Namespace, Database string
	user, password      string
}

var (
	// errDSN hides the reason why a DSN cannot be read: it may quote a password.
	errDSN = errors.New("the address of the database cannot be read; it looks like " +
		"surreal://user@host:8000/namespace/database")
	errNoUser = fmt.Errorf("%w: SurrealDB asks who you are: give the user in the address (surreal://user@host:8000) or "+
		"in SURREAL_USER, and the password in SURREAL_PASS or in a file that SURREAL_PASSFILE names", mem.ErrAway)
)

// Names of the namespace and of the database that are used unless others are configured.
const (
	DefaultNamespace = "claude_memory"
	DefaultDatabase  = "memories"
)

// defaultHost is where a server is that no address names.
const defaultHost = "127.0.0.1:8000"

// PlaceOf returns the place that an address names. What it leaves out comes from the environment.
func PlaceOf(dsn string, getenv func(string) string) (p Place, err error) {
	u, err := url.Parse(dsn)
	if err != nil || u.Scheme != "surreal" && u.Scheme != "surreals" {
		return p, errDSN
	}
	p.scheme = map[string]string{"surreal": "ws", "surreals": "wss"}[u.Scheme]
	if p.host = u.Host; p.host == "" {
		if p.scheme, p.host, err = fromEnvironment(getenv("SURREAL_URL"), p.scheme); err != nil {
			return p, err
		}
	}
	if u.Port() == "" && p.host == u.Host {
		p.host = net.JoinHostPort(u.Hostname(), "8000")
	}
	names := strings.Split(strings.Trim(u.Path, "/"), "/")
	if len(names) > 2 {
		return p, errDSN
	}
	p.Namespace = cmp.Or(names[0], getenv("SURREAL_NS"), DefaultNamespace)
	if len(names) == 2 {
		p.Database = names[1]
	}
	p.Database = cmp.Or(p.Database, getenv("SURREAL_DB"), DefaultDatabase)
	p.user = cmp.Or(u.User.Username(), getenv("SURREAL_USER"))
	file := cmp.Or(u.Query().Get("passfile"), getenv("SURREAL_PASSFILE"))
	if p.password = getenv("SURREAL_PASS"); file != "" && p.password == "" {
		p.password, err = passwordIn(file)
	}
	return p, err
}

// fromEnvironment returns the place of SURREAL_URL: an address as SurrealDB has it, of HTTP or WebSocket.
func fromEnvironment(text, scheme string) (string, string, error) {
	if text == "" {
		return scheme, defaultHost, nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return "", "", errors.New("the variable SURREAL_URL cannot be read; it looks like http://127.0.0.1:8000")
	}
	to := map[string]string{"http": "ws", "ws": "ws", "https": "wss", "wss": "wss"}[u.Scheme]
	if to == "" {
		return "", "", errors.New("the variable SURREAL_URL must begin with http, https, ws or wss")
	}
	return to, u.Host, nil
}

// passwordIn returns the password in a file that nobody else can read.
func passwordIn(file string) (string, error) {
	info, err := os.Stat(file)
	if err != nil {
		return "", fmt.Errorf("%w: the file with the password: %w", mem.ErrUnsafe, err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("%w: others can read the file with the password, %s: chmod 600 it", mem.ErrUnsafe, file)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("%w: the file with the password: %w", mem.ErrUnsafe, err)
	}
	return strings.TrimSpace(string(text)), nil
}

// Address is the place without the password.
func (p Place) Address() string {
	u := url.URL{Scheme: "surreal", Host: p.host, Path: "/" + p.Namespace + "/" + p.Database}
	if p.scheme == "wss" {
		u.Scheme = "surreals"
	}
	if p.user != "" {
		u.User = url.User(p.user)
	}
	return u.String()
}

// Encrypted reports whether the connection uses TLS.
func (p Place) Encrypted() bool { return p.scheme == "wss" }

// IsLocal reports whether the server is on this machine, by its name alone.
func (p Place) IsLocal() bool {
	host, _, err := net.SplitHostPort(p.host)
	if err != nil {
		host = p.host
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// name quotes the name of a namespace or a database.
func name(s string) string {
	return "`" + strings.NewReplacer("\\", "\\\\", "`", "\\`").Replace(s) + "`"
}
