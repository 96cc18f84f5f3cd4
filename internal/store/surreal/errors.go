//go:build surreal || backends

package surreal

import "remanence/internal/store/surreal/surql"

// translate adds the sentinel of package mem that applies to an error.
func translate(err error) error { return surql.Translate(err) }

// AtFault reports whether the store is the cause of an error, not the caller's data: the same call may succeed later.
func AtFault(err error) bool { return surql.AtFault(err) }

// wrap translates an error and says what was being done; nil stays nil.
func wrap(doing string, err error) error { return surql.Wrap(doing, err) }
