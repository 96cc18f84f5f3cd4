package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/store/sqlite"
)

func (a *app) dbBackupCommand() *cobra.Command {
	return &cobra.Command{
		Use: "backup [file]", Short: "make a copy, while all goes on",
		Long:    "The copy is consistent, checked, and only you can read it. Without a file it\ngoes beside the database, where restore finds it, and purge too: an erased\nmemory is in no copy there. A copy elsewhere is yours to look after.",
		Example: "  remanence db backup\n  remanence db backup ~/remanence-monday.db",
		Args:    atMost(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			file := ""
			if len(args) > 0 {
				file = args[0]
			}
			return a.backup(cmd.Context(), file)
		},
	}
}

// keepStore has whoever owns the database make a backup beside it. A route
// takes no path: where else it shall go is done by the caller.
var keepStore = api.Route[api.Nothing, sqlite.Copy]{Name: "keep"}

func (h *house) keep(ctx context.Context, _ api.Nothing) (sqlite.Copy, error) {
	if err := room(h.paths.Data, h.paths.dbBytes()); err != nil {
		return sqlite.Copy{}, err
	}
	return h.store.Keep(ctx)
}

func (a *app) backup(ctx context.Context, file string) error {
	to, err := backupFile(file)
	if err == nil {
		err = a.hasDatabase()
	}
	if err == nil {
		err = room(a.paths.Data, a.paths.dbBytes())
	}
	if err != nil {
		return err
	}
	made, err := ask(ctx, a, keepStore, api.Nothing{})
	if err != nil {
		return err
	}
	if to == "" {
		to = made.Path
	} else if err := moveFile(made.Path, to); err != nil {
		return errors.Join(faultStore.about("the backup cannot be written there").because("%s", err), os.Remove(made.Path))
	}
	found, err := sqlite.Inspect(ctx, to)
	if err != nil {
		return err
	}
	up := readUpkeep(a.paths)
	up.Backup = a.sys.Now().UTC()
	up.write(a.paths)
	return a.out.show(dbBackupView{File: to, Bytes: made.Bytes, Schema: found.Schema})
}

// backupFile is the absolute path of a backup, "" where none is asked for. One
// that is there is not written over.
func backupFile(file string) (string, error) {
	if file == "" {
		return "", nil
	}
	to, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	if isDir(to) {
		return "", faultInput.about("that is a directory").because("%s", to).fixedBy("name a file in it")
	}
	if _, err := os.Lstat(to); err == nil {
		return "", faultInput.about("the file is there already").because("%s", to).fixedBy("name another file")
	}
	if dir := filepath.Dir(to); !isDir(dir) {
		return "", faultNoFile.about("no such directory: %s", dir)
	}
	return to, nil
}

// moveFile gives a file another place, whole or not at all, also on another disk.
func moveFile(from, to string) error {
	if os.Rename(from, to) == nil {
		return nil
	}
	part := filepath.Join(filepath.Dir(to), fmt.Sprintf(".%s.%d.part", filepath.Base(to), os.Getpid()))
	if err := sqlite.CopyFile(from, part); err != nil {
		return err
	}
	if err := os.Rename(part, to); err != nil {
		return errors.Join(err, os.Remove(part))
	}
	return os.Remove(from)
}

// dbBackupView is a backup that was made.
type dbBackupView struct {
	File   string `json:"file"`
	Bytes  int64  `json:"bytes"`
	Schema int    `json:"schema_version"`
}

func (dbBackupView) schema() string { return "db_backup" }

func (v dbBackupView) human(p *printer) {
	p.line("Backup made and checked: %s, %s", safe(v.File), bytesText(v.Bytes))
	p.hint("back to it: remanence db restore %s", safe(v.File))
}
