package config

import "path/filepath"

// Aside is the path of the record of a database that was set aside.
func (p Paths) Aside() string { return filepath.Join(filepath.Dir(p.Runtime()), "aside.json") }
