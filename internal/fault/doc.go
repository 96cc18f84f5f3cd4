// Package fault is the errors that are shown to a person: what happened, why, what
// to do, under a code that never changes its meaning.
package fault
