// Package extract finds what is worth keeping in the words and tool calls of a
// turn: decisions, picks, fixes with their cause, instructions, open work. It is
// pure: text and values in, candidates out. Start with Statements.
package extract
