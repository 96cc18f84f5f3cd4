// Package ui writes what commands show: for people, as JSON, in tables and colours,
// with numbers and times in the form of people.
package ui
