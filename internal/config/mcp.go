package config

import (
	"net"
	"path/filepath"
	"strconv"

	"remanence/internal/fault"
)

// MCPToken is the path of the token that requests over HTTP must carry.
func (p Paths) MCPToken() string { return filepath.Join(p.State, "mcp-token") }

// checkLoopback finds fault with an address that would not be served on.
func checkLoopback(v any) error {
	_, err := Loopback(v.(string))
	return err
}

// Loopback completes an address of this machine, "" being any free port, and
// refuses every other.
func Loopback(address string) (string, error) {
	if address == "" {
		address = "127.0.0.1:0"
	}
	if _, err := strconv.Atoi(address); err == nil {
		address = ":" + address
	}
	host, port, err := net.SplitHostPort(address)
	if n, perr := strconv.Atoi(port); err != nil || perr != nil || n < 0 || n > 65535 {
		return "", fault.Input.WithMessage("no address: %q", address).FixedBy("remanence mcp --http 127.0.0.1:7410")
	}
	if host == "" || host == "localhost" {
		host = "127.0.0.1"
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return "", fault.Input.WithMessage("%s is not an address of this machine alone",
			host).Because("memories are served on the loopback only").
			FixedBy("remanence mcp --http 127.0.0.1:7410").WithExit(fault.ExitRefused)
	}
	return net.JoinHostPort(host, port), nil
}
