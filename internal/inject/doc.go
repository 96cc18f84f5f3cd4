// Package inject renders the text that is injected into a model's context: one marked block of recorded history,
// within a budget. No text inside the block can forge, close or leave it. The package is pure. It decides how
// memories look and which trust they need to be shown, but not which memories are relevant. Start reading at
// [Render].
package inject
