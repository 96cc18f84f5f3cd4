// Package daemon is the process behind the socket. It builds store, core and routes,
// runs them in package worker, and connects commands to them.
package daemon
