package config

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"remanence/internal/mem"
)

// SQLiteDSN is the value of store.dsn for the file in the data directory.
const SQLiteDSN = "sqlite:"

// unreadableDSN takes the place of an address that cannot be read: a password may be anywhere in it.
const unreadableDSN = "(not readable)"

var (
	errDSNForm = errors.New("neither sqlite: nor an address like postgres://user@host:5432/database or " +
		"surreal://user@host:8000/namespace/database")
	errDSNPassword = errors.New("a password does not belong in it and is not used: give it in a file that only you can " +
		"read (~/.pgpass, or ?passfile=FILE in the address) or in PGPASSWORD")
	errDSNPassSurreal = errors.New("a password does not belong in it and is not used: give it in a file that only you " +
		"can read (?passfile=FILE in the address) or in SURREAL_PASS")
	errDSNPassphrase = errors.New("the passphrase of a key (sslpassword) does not belong in it and is not used: give it " +
		"in PGSSLPASSWORD, or use a key without one in a file that only you can read")
)

// ServerDSN returns the address of the database server, "" if the store is the SQLite file. An address that cannot be
// read is an error: the memory would silently begin anew in a file.
func (c Config) ServerDSN() (string, error) {
	dsn := Get[string](c, "store.dsn")
	switch {
	case dsn == "" || dsn == SQLiteDSN:
		return "", nil
	case checkDSN(dsn) != nil:
		return "", checkDSN(dsn)
	}
	return dsn, nil
}

// CheckDSN returns an error for a text that names no place of a store.
func CheckDSN(dsn string) error {
	if dsn == "" {
		return errDSNForm
	}
	return checkDSN(dsn)
}

func checkDSN(value any) error {
	dsn, _ := value.(string)
	if dsn == "" || dsn == SQLiteDSN {
		return nil
	}
	u, err := serverURL(dsn)
	if err != nil {
		return err
	}
	if _, ok := u.User.Password(); ok || u.Query().Has("password") {
		if strings.HasPrefix(u.Scheme, "surreal") {
			return errDSNPassSurreal
		}
		return errDSNPassword
	}
	if u.Query().Has("sslpassword") {
		return errDSNPassphrase
	}
	return nil
}

var (
	errTeamDSN  = errors.New("not an address like postgres://user@host:5432/database")
	errNotSent  = errors.New("messages and what belongs to one session are never shared")
	neverShared = []mem.Kind{mem.Utterance, mem.Snapshot, mem.Scratch, mem.Request}
)

// checkTeamDSN returns an error for a text that is not the address of a PostgreSQL server.
func checkTeamDSN(value any) error {
	switch dsn, _ := value.(string); {
	case dsn == "":
		return nil
	case !strings.HasPrefix(dsn, "postgres"):
		return errTeamDSN
	}
	return checkDSN(value)
}

// checkKinds returns an error for a list with something that is no kind of memory that can be shared.
func checkKinds(value any) error {
	names, _ := value.([]string)
	_, err := sharedKinds(names)
	return err
}

// SharedKinds returns the kinds of memories that go to the team.
func (c Config) SharedKinds() []mem.Kind {
	kinds, _ := sharedKinds(Get[[]string](c, "share.kinds")) // the others are among the warnings
	return kinds
}

func sharedKinds(names []string) (kinds []mem.Kind, err error) {
	for _, name := range names {
		k, wrong := mem.ParseKind(name)
		if wrong == nil && slices.Contains(neverShared, k) {
			wrong = fmt.Errorf("%s: %w", name, errNotSent)
		}
		if wrong == nil {
			kinds = append(kinds, k)
		} else if err == nil {
			err = wrong
		}
	}
	return kinds, err
}

// serverSchemes begin the address of a server.
var serverSchemes = []string{"postgres", "postgresql", "surreal", "surreals"}

// serverURL parses the address of a server. Its error does not quote it.
func serverURL(dsn string) (*url.URL, error) {
	u, err := url.Parse(dsn)
	if err != nil || !slices.Contains(serverSchemes, u.Scheme) || strings.ContainsAny(dsn, " \t\n") {
		return nil, errDSNForm
	}
	return u, nil
}

// withoutPassword returns an address without its password and the passphrase of a key.
func withoutPassword(value any) any {
	dsn, _ := value.(string)
	if dsn == "" || dsn == SQLiteDSN {
		return value
	}
	u, err := serverURL(dsn)
	if err != nil {
		return unreadableDSN
	}
	if u.User != nil {
		u.User = url.User(u.User.Username())
	}
	if q := u.Query(); q.Has("password") || q.Has("sslpassword") {
		q.Del("password")
		q.Del("sslpassword")
		u.RawQuery = q.Encode()
	}
	return u.String()
}

// credentialNames returns the variables with what the addresses of database servers leave out, and with the
// certificates that the machine trusts.
func (c Config) credentialNames() (out []string) {
	dsn, err := c.ServerDSN()
	if err != nil {
		dsn = ""
	}
	if strings.HasPrefix(dsn, "surreal") {
		out = append(out, "SURREAL_URL", "SURREAL_NS", "SURREAL_DB", "SURREAL_USER", "SURREAL_PASS", "SURREAL_PASSFILE")
	}
	if strings.HasPrefix(dsn, "postgres") || Get[string](c, "share.dsn") != "" {
		out = append(out, "PGPASSWORD", "PGPASSFILE", "PGSSLPASSWORD")
	}
	if len(out) > 0 {
		out = append(out, "SSL_CERT_FILE", "SSL_CERT_DIR")
	}
	return out
}
