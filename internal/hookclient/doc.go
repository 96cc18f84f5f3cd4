// Package hookclient is the hook's side of the daemon's socket. It hands events over,
// starts the daemon, spools what the daemon does not take, and notifies the person.
package hookclient
