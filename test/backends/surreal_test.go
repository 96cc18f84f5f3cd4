//go:build backends && linux

package backends

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"remanence/test/surrealserver"
	"remanence/test/world"
)

// onSurreal returns a person whose memory is on a server of their own. The password is in a file.
func onSurreal(t *testing.T) (*world.Person, *surrealserver.Server) {
	t.Helper()
	server, err := surrealserver.New(false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Remove(); err != nil {
			t.Error(err)
		}
	})
	p := newClient(t, program)
	file := filepath.Join(p.Home, "surreal-password")
	if err := os.WriteFile(file, []byte(server.Password+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.Env = append(p.Env, "SURREAL_PASSFILE="+file)
	return p, server
}

func TestMemoryIsOnSurrealDBAlone(t *testing.T) {
	t.Parallel()
	p, server := onSurreal(t)
	p.Run("config", "set", "store.dsn", server.DSN("team", "memory"))
	p.Run("add", "the till rounds to five cents", "--kind", "decision")
	for _, args := range [][]string{{"search", "rounding till"}, {"--no-daemon", "search", "tills"}} {
		if args[0] == "--no-daemon" {
			p.StopWorker()
		}
		if out := p.Run(args...); !strings.Contains(out, "the till rounds to five cents") {
			t.Errorf("%v: %s", args, out)
		}
	}
	if _, err := os.Stat(filepath.Join(p.Data(), "remanence.db")); !os.IsNotExist(err) {
		t.Errorf("a file was made beside: %v", err)
	}
	if out := p.Run("db", "info"); !strings.Contains(out, "SurrealDB 3.") || !strings.Contains(out, "team/memory") {
		t.Errorf("db info: %s", out)
	}
	out, err := p.Command("db", "backup").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "REM-S021") {
		t.Errorf("db backup: %v, %s", err, out)
	}
	doctor, _ := p.Command("doctor").CombinedOutput() // what else it finds is not of interest
	if !strings.Contains(string(doctor), "SurrealDB 3.") || !strings.Contains(string(doctor), "DEFINE USER") {
		t.Errorf("doctor: %s", doctor)
	}
	if out := p.Traces(server.Password); len(out) != 1 || !strings.Contains(out[0], "surreal-password:") {
		t.Errorf("the password is in %v, want its file alone", out)
	}
	if out := p.Run("purge", "m_1", "--dry-run"); !strings.Contains(out, "not reached") {
		t.Errorf("preview of a purge: %s", out)
	}
	p.Run("purge", "m_1", "--yes")
	erasesWords(t, p)
	if out := p.Run("search", "till"); strings.Contains(out, "five cents") {
		t.Errorf("after the purge: %s", out)
	}
	if out, err := server.SQL("team", "memory", "SELECT * FROM memory"); err != nil || strings.Contains(out, "till") {
		t.Errorf("the server has %s, %v", out, err)
	}
}

// selfSigned writes a certificate for 127.0.0.1 and its key into a directory.
func selfSigned(t *testing.T, dir string) (certificate, key string) {
	t.Helper()
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "memories"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore:   time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	signed, err := x509.CreateCertificate(rand.Reader, about, about, &secret.PublicKey, secret)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalECPrivateKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]pem.Block{
		"certificate": {Type: "CERTIFICATE", Bytes: signed}, "key": {Type: "EC PRIVATE KEY", Bytes: private},
	} {
		if err := os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(&block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "certificate"), filepath.Join(dir, "key")
}

// The owner of one database, who is nothing else on the server, uses it over TLS. A certificate that the machine does
// not trust is refused.
func TestTheOwnerOfOneDatabaseUsesItOverTLS(t *testing.T) {
	t.Parallel()
	p, server := onSurreal(t)
	for database, password := range map[string]string{"memory": server.Password, "other": "another-" + server.Password} {
		if _, err := server.SQL("team", database, "DEFINE NAMESPACE IF NOT EXISTS team; USE NS team; DEFINE DATABASE IF NOT "+
			"EXISTS "+database+"; USE DB "+database+"; DEFINE USER remanence ON DATABASE PASSWORD '"+password+
			"' ROLES OWNER"); err != nil {
			t.Fatal(err)
		}
	}
	if err := server.Stop(); err != nil {
		t.Fatal(err)
	}
	server.Certificate, server.Key = selfSigned(t, server.Dir)
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	at := func(scheme, database string) string {
		return fmt.Sprintf("%s://remanence@127.0.0.1:%d/team/%s", scheme, server.Port, database)
	}
	refused := func(address, why string) {
		t.Helper()
		p.StopWorker()
		p.Run("config", "set", "store.dsn", address)
		out, err := p.Command("status").CombinedOutput()
		if err == nil || !strings.Contains(string(out), why) {
			t.Errorf("%s: %v, %s, want %q", address, err, out, why)
		}
	}
	refused(at("surreals", "memory"), "certificate")
	p.Env = append(p.Env, "SSL_CERT_FILE="+server.Certificate)
	refused(at("surreals", "other"), "REM-S020") // the owner of another database has another password
	refused(at("surreal", "memory"), "REM-S020")
	p.Run("config", "set", "store.dsn", at("surreals", "memory"))
	p.StartWorker()
	p.Run("add", "the till rounds to five cents", "--kind", "decision")
	send(t, p, 1)
	if out := p.Run("search", "rounding till"); !strings.Contains(out, "five cents") {
		t.Errorf("search: %s", out)
	}
	if !p.Spool().Empty() {
		t.Error("an event waits in the spool")
	}
	p.Run("purge", "m_1", "--yes")
	doctor, _ := p.Command("doctor").CombinedOutput() // what else it finds is not of interest
	if !strings.Contains(string(doctor), "SurrealDB 3.") || strings.Contains(string(doctor), "DEFINE USER") ||
		strings.Contains(string(doctor), "unencrypted") {
		t.Errorf("doctor: %s", doctor)
	}
}

// A server that is killed loses nothing: hooks spool, exit well, and the daemon takes all of it in when it is back.
func TestEventsWaitInTheSpoolWhileSurrealDBIsAway(t *testing.T) {
	t.Parallel()
	p, server := onSurreal(t)
	p.Run("config", "set", "store.dsn", server.DSN("team", "memory"))
	p.StartWorker()
	var marks []string
	for i := range 5 {
		marks = append(marks, send(t, p, i))
	}
	if err := server.Kill(); err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		marks = append(marks, send(t, p, 100+i))
	}
	if p.Spool().Empty() {
		t.Error("nothing is in the spool while the server is away")
	}
	p.StopWorker() // and a daemon that starts without the server
	marks = append(marks, send(t, p, 200))
	out, err := p.Command("status").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "REM-S020") {
		t.Errorf("status without a server: %v, %s", err, out)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	if !p.Eventually(func() bool {
		_ = p.Command("daemon", "start").Run()
		return p.Spool().Empty()
	}) {
		t.Fatalf("the spool is not taken in: %s", p.Run("status"))
	}
	for _, mark := range marks {
		if got, err := countMarks(server, mark); err != nil || got != "1" {
			t.Errorf("%s: stored %s, %v, want once", mark, got, err)
		}
	}
}

// countMarks returns how many events of a server contain a mark.
func countMarks(server *surrealserver.Server, mark string) (string, error) {
	got, err := server.SQL("team", "memory", fmt.Sprintf("RETURN 'found ' + <string> array::len((SELECT VALUE seq "+
		"FROM event WHERE payload CONTAINS 'make %s'))", mark))
	_, n, _ := strings.Cut(got, "found ")
	n, _, _ = strings.Cut(n, `"`)
	return n, err
}

func TestAMoveToSurrealDBAndBackLosesNothing(t *testing.T) {
	t.Parallel()
	p, server := onSurreal(t)
	for i := range 20 {
		p.Run("add", fmt.Sprintf("lock %d of the canal has a key of brass", i), "--kind", "decision")
	}
	send(t, p, 1)
	before := p.Run("search", "brass key lock 7", "--json")
	dsn := server.DSN("team", "memory")
	for _, to := range []string{dsn, "sqlite:"} {
		p.Run("db", "move", "--to", to, "--yes")
		if out := p.Run("search", "lock 7 brass"); !strings.Contains(out, "lock 7 of the canal") {
			t.Errorf("search in %s: %s", to, out)
		}
	}
	if !strings.Contains(before, "lock 7 of the canal") {
		t.Errorf("before: %s", before)
	}
}
