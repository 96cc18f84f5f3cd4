package egress

import (
	"errors"
	"net/http"
	"strings"
	"testing"
)

func TestWhereTextMayGo(t *testing.T) {
	secret := func() string { return "k" }
	for _, c := range []struct {
		url    string
		remote bool
		key    func() string
		want   error
	}{
		{"http://127.0.0.1:11434", false, secret, nil},
		{"http://127.9.9.9", false, nil, nil},
		{"http://localhost:11434/v1", false, secret, nil},
		{"http://LOCALHOST.", false, nil, nil},
		{"http://[::1]:11434", false, nil, nil},
		{"https://api.example.com", false, nil, ErrRemote},
		{"https://api.example.com", true, secret, nil},
		{"http://gpu.lan:11434", true, nil, nil},
		{"http://gpu.lan:11434", true, secret, ErrKey},
		{"http://0.0.0.0:11434", false, nil, ErrRemote},
		{"http://localhost.example.com", false, nil, ErrRemote},
		{"http://127.0.0.1.example.com", false, nil, ErrRemote},
		{"http://localhost@example.com", false, nil, ErrURL},
		{"http://user:pass@127.0.0.1", false, nil, ErrURL},
		{"ftp://127.0.0.1", false, nil, ErrURL},
		{"127.0.0.1:11434", false, nil, ErrURL},
		{"http://", false, nil, ErrURL},
		{"http://127.0.0.1/?key=x", false, nil, ErrURL},
		{"http://127.0.0.1/v1?", false, nil, ErrURL},
		{"http://127.0.0.1/\x7f", false, nil, ErrURL},
		{"", false, nil, ErrURL},
	} {
		_, err := New(Config{URL: c.url, Remote: c.remote, Key: c.key})
		if !errors.Is(err, c.want) {
			t.Errorf("%q, remote %v: %v, want %v", c.url, c.remote, err, c.want)
		}
		if err != nil && strings.Contains(err.Error(), "pass") && strings.Contains(err.Error(), "user:") {
			t.Errorf("%v names the password", err)
		}
	}
}

func TestANameThatLeadsAwayIsNotLocal(t *testing.T) {
	for addr, want := range map[string]error{
		"127.0.0.1:80": nil, "[::1]:80": nil, "192.0.2.1:80": ErrAway,
		"[2001:db8::1]:80": ErrAway, "nonsense": ErrAway,
	} {
		if err := onlyHere("tcp", addr, nil); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", addr, err, want)
		}
	}
	if newClient(true).Transport.(*http.Transport).Proxy != nil {
		t.Error("a local server is asked by a proxy")
	}
	if err := dialer(true).Control("tcp", "192.0.2.1:80", nil); !errors.Is(err, ErrAway) {
		t.Errorf("a local client goes away: %v, want %v", err, ErrAway)
	}
}
