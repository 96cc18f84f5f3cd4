// Package chars bounds, folds and measures text: it clips to a length, returns
// first lines, counts tokens, and makes short ids. It knows nothing of memories.
package chars
