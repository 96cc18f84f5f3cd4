// Package daemon is the process behind the socket. It builds store, core and routes,
// owns their goroutines, and connects commands to them.
package daemon
