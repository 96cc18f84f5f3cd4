package config

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"remanence/internal/fsx"
)

// IsDir reports whether a path is a directory.
func IsDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// LogBytes is the size of the database's log.
func (p Paths) LogBytes() int64 { return SizeOfFile(p.Database() + "-wal") }

// ReplaceFile writes a file for its owner only, whole or not at all.
func ReplaceFile(file string, data []byte) error { return ReplaceAs(file, data, 0o600) }

// ReplaceAs writes a file, whole or not at all. One that is there keeps its mode.
func ReplaceAs(file string, data []byte, mode fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return fmt.Errorf("write %s: %w", file, err)
	}
	if info, err := os.Stat(file); err == nil {
		mode = info.Mode().Perm()
	}
	err := fsx.Replace(fsx.Host{}, file, data, fsx.Replacement{
		Prepare: func(f *os.File) error { return f.Chmod(mode) }, // whatever the umask
	})
	if err != nil {
		return fmt.Errorf("write %s: %w", file, err)
	}
	return nil
}

// ShortDuration is "30m" rather than "30m0s", and "7d".
func ShortDuration(d time.Duration) string {
	if day := 24 * time.Hour; d > 0 && d%day == 0 {
		return fmt.Sprintf("%dd", d/day)
	}
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// Setting is one setting as JSON shows it.
type Setting struct {
	Key     string `json:"key"`
	Value   any    `json:"value"`
	Default any    `json:"default"`
	Origin  string `json:"origin"` // default, file or a variable's name
	Doc     string `json:"doc"`
	Accepts string `json:"accepts"` // the accepted values, in a few words
}

// SettingOf returns the JSON form of a setting.
func SettingOf(v Value) Setting {
	return Setting{v.Key, jsonValue(v.Value), jsonValue(v.Def), v.Origin, v.Doc, v.Accepts()}
}

// jsonValue is a setting's value in JSON's types.
func jsonValue(v any) any {
	if d, ok := v.(time.Duration); ok {
		return ShortDuration(d)
	}
	return v
}

// ValueText returns the value as the command config set takes it.
func (s Setting) ValueText() string {
	if list, ok := s.Value.([]string); ok {
		return strings.Join(list, ",")
	}
	return fmt.Sprint(s.Value)
}

// Schema returns the JSON schema of the option.
func (o Option) Schema() map[string]any {
	s := map[string]any{"description": o.Doc, "default": jsonValue(o.Def)}
	switch o.Def.(type) {
	case bool:
		s["type"] = "boolean"
	case int:
		s["type"], s["minimum"] = "integer", 0
	case float64:
		s["type"] = "number"
	case []string:
		s["type"], s["items"] = "array", map[string]any{"type": "string"}
	case time.Duration:
		s["type"], s["pattern"] = "string", `^([0-9]+(d|w|min)|([0-9]+(\.[0-9]+)?(ns|us|ms|s|m|h))+)$`
	default:
		s["type"] = "string"
	}
	if len(o.One) > 0 {
		s["enum"] = o.One
	}
	return s
}

// LogTail bounds how much of the log's end is looked at, in bytes.
const LogTail = 256 << 10

// LastLines returns the last n lines of the end of a file, with their ends, and
// where it ends.
func LastLines(file string, n int) ([][]byte, int64, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, 0, err
	}
	from := max(0, end-LogTail)
	b, err := io.ReadAll(io.NewSectionReader(f, from, end-from))
	if err != nil {
		return nil, 0, err
	}
	lines := bytes.SplitAfter(bytes.TrimSuffix(b, []byte("\n")), []byte("\n"))
	if from > 0 {
		lines = lines[1:] // cut in the middle
	}
	return lines[max(0, len(lines)-n):], end, nil
}

// DatabaseBytes is the size of the database with its log.
func (p Paths) DatabaseBytes() int64 {
	return SizeOfFile(p.Database()) + p.LogBytes()
}

// Upkeep is the path of the record of maintenance.
func (p Paths) Upkeep() string { return filepath.Join(p.Work, "upkeep.json") }

// SizeOfFile returns the size of a file in bytes, 0 if it cannot be read.
func SizeOfFile(file string) int64 {
	info, err := os.Stat(file)
	if err != nil {
		return 0
	}
	return info.Size()
}

// Stamp is the path of a time stamp.
func (p Paths) Stamp(name string) string { return filepath.Join(filepath.Dir(p.Runtime()), name) }

// Exists reports whether there is anything at a path.
func Exists(file string) bool {
	_, err := os.Lstat(file)
	return err == nil
}

// Older reports whether a worker of build a has to make room for one of build b.
// Builds of one version compare by the time their file was made. A development build is older than any release, and a
// build that does not say its version older than all others.
func Older(a, b string) bool {
	va, ta, _ := cutBuild(a)
	vb, tb, _ := cutBuild(b)
	if va != vb {
		return va == "" || vb != "" && lessVersion(va, vb)
	}
	return len(ta) < len(tb) || len(ta) == len(tb) && ta < tb
}
