// Package backends tests the built program on a database server.
package backends
