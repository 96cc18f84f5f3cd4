package setup

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"remanence/internal/fsx"
)

// RecordSchema names the shape of an install record.
const RecordSchema = "remanence.install/v1"

// Record is what one installation did, and all that is needed to undo it. It is the backup of the settings: it holds
// them as they were, secrets included, and so is readable for its owner only.
type Record struct {
	Schema       string    `json:"schema"`
	ID           string    `json:"id"` // i_01, i_02 …
	When         time.Time `json:"when"`
	Agent        string    `json:"agent"`
	Scope        Scope     `json:"scope"`
	Project      string    `json:"project,omitempty"` // its root, in ScopeProject
	Profile      Profile   `json:"profile"`
	Binary       string    `json:"binary"`
	File         string    `json:"file"`    // the settings as the agent names them
	Target       string    `json:"target"`  // the same with symbolic links followed
	Created      bool      `json:"created"` // the file was not there before
	Dirs         []string  `json:"dirs"`    // directories made for it, the outermost first
	SHA256Before string    `json:"sha256_before"`
	SHA256After  string    `json:"sha256_after"`
	Before       []byte    `json:"before"`           // base64 of the exact bytes; null if there was no file
	Entries      []Entry   `json:"entries"`          // all of ours that are in the file since, or in the plugin
	Plugin       string    `json:"plugin,omitempty"` // where the plugin was written; "" if the hooks are in the file
	// the file is the agent's configuration, and what is ours in it the server; Before is not kept
	Server bool `json:"server,omitempty"`
}

// ofPlugin reports whether a record is of a plugin, not of hooks in settings. The agent's changes to its settings are
// not known beforehand, so such a record has no SHA256After.
func (r Record) ofPlugin() bool { return r.Plugin != "" }

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Records lists the install records of Claude Code, the oldest first. Those that cannot be read are left out and named
// in the error; the rest is valid nevertheless.
func Records(c Config) ([]Record, error) { return clientRecords(c, AgentID) }

// allRecords is Records for all agents.
func allRecords(c Config) ([]Record, error) {
	ids, err := recordIDs(c.RecordDir)
	if err != nil {
		return nil, err
	}
	var list []Record
	var errs []error
	for _, id := range ids {
		r, err := readRecord(recordFile(c.RecordDir, id))
		if err != nil {
			errs = append(errs, err)
			continue
		}
		list = append(list, r)
	}
	return list, errors.Join(errs...)
}

// sorted parts the records of hooks in settings from those of the plugin. Those of
// the server are neither.
func sorted(records []Record) (hooks, plugin []Record) {
	for _, r := range records {
		switch {
		case r.Server:
		case r.ofPlugin():
			plugin = append(plugin, r)
		default:
			hooks = append(hooks, r)
		}
	}
	return hooks, plugin
}

func recordFile(dir string, id int) string {
	return filepath.Join(dir, recordName(id)+".json")
}

func recordName(id int) string { return fmt.Sprintf("i_%02d", id) }

// recordIDs lists the numbers of the records of all agents in ascending order.
func recordIDs(dir string) ([]int, error) {
	files, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list install records: %w", err)
	}
	var ids []int
	for _, f := range files {
		name, ok := strings.CutSuffix(f.Name(), ".json")
		number, ours := strings.CutPrefix(name, "i_")
		id, err := strconv.Atoi(number)
		if ok && ours && err == nil && recordName(id) == name {
			ids = append(ids, id)
		}
	}
	slices.SortStableFunc(ids, cmp.Compare[int])
	return ids, nil
}

func readRecord(path string) (Record, error) {
	data, err := readBounded(path)
	if err != nil {
		return Record{}, err
	}
	var r Record
	if err := json.Unmarshal(data, &r); err != nil {
		return Record{}, fmt.Errorf("read install record %s: %w", path, err)
	}
	if r.Schema != RecordSchema {
		return Record{}, fmt.Errorf("read install record %s: its schema is %q, not %s", path, r.Schema, RecordSchema)
	}
	if id := strings.TrimSuffix(filepath.Base(path), ".json"); r.ID != id {
		return Record{}, fmt.Errorf("read install record %s: it says it is %q", path, r.ID)
	}
	return r, nil
}

// save writes the record durably under the next free number, which it returns in the record.
func (r Record) save(dir string) (Record, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return r, fmt.Errorf("make directory of install records: %w", err)
	}
	ids, err := recordIDs(dir)
	if err != nil {
		return r, err
	}
	next := 1
	if len(ids) > 0 {
		next = ids[len(ids)-1] + 1
	}
	for ; ; next++ {
		r.ID = recordName(next)
		err := r.write(recordFile(dir, next))
		if !errors.Is(err, fs.ErrExist) {
			return r, err
		}
	}
}

func (r Record) write(path string) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("write install record: %w", err)
	}
	err = fsx.WriteNew(fsx.Host{}, path, append(data, '\n'), fsx.Replacement{
		Prepare: func(f *os.File) error { return f.Chmod(0o600) }, // whatever the umask
	})
	if err != nil {
		return fmt.Errorf("write install record: %w", err)
	}
	return nil
}

// forget removes records, and their directory with the last of them.
func forget(dir string, ids []string) error {
	var errs []error
	for _, id := range ids {
		errs = append(errs, ignoreMissing(os.Remove(filepath.Join(dir, id+".json"))))
	}
	removeEmpty([]string{dir})
	return errors.Join(errs...)
}

// removeEmpty removes directories, the innermost (last) first; one that holds anything stays, and so does a link.
func removeEmpty(dirs []string) {
	for _, dir := range slices.Backward(dirs) {
		if info, err := os.Lstat(dir); err == nil && info.IsDir() {
			_ = os.Remove(dir) // refuses what is not empty, which is meant
		}
	}
}
