// Package doctor checks an installation and repairs what is safe to repair.
package doctor
