package config

import (
	"errors"
	"testing"

	"remanence/internal/fault"
)

func TestOnlyTheLoopbackIsServedOn(t *testing.T) {
	for address, want := range map[string]string{
		"": "127.0.0.1:0", "7410": "127.0.0.1:7410", ":7410": "127.0.0.1:7410", "localhost:1": "127.0.0.1:1",
		"127.0.0.9:1": "127.0.0.9:1", "[::1]:1": "[::1]:1",
		"0.0.0.0:1": "", "[::]:1": "", "10.0.0.1:1": "", "example.org:1": "", "127.0.0.1": "", "127.0.0.1:x": "",
		"127.0.0.1:99999": "", "x": "",
	} {
		got, err := Loopback(address)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: got %q, %v; want %q", address, got, err, want)
		}
		var f fault.Fault
		if err != nil && !errors.As(err, &f) {
			t.Errorf("%q: %v is no fault", address, err)
		}
	}
}
