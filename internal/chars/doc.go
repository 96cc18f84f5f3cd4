// Package chars measures, clips and folds text, and makes short ids. It counts
// tokens, characters and UTF-16 units, and finds first lines. It does not depend
// on what is stored. Start reading at [Clip] and [Tokens].
package chars
