// Package inject writes what is told to a model: one marked block of recorded
// history, within a budget, that no text inside it can forge, close or leave.
// It is pure: it decides how memories look, and which trust lets them be seen,
// but not which are worth telling.
package inject
