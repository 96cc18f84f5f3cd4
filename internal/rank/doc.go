// Package rank decides what is worth injecting: it turns text into search terms,
// orders what the store found, cuts what does not belong to the question, and
// picks the rest so that none says the same twice. It is pure: it knows no store, no clock and no
// file, and the same input gives the same output.
package rank
