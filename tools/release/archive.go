package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// file is one file of an archive.
type file struct {
	name string // with slashes
	mode int64
	data []byte
}

// tarball packs files in the order given, all with one time and one owner.
func tarball(files []file, at time.Time) ([]byte, error) {
	var b bytes.Buffer
	gz, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	w := tar.NewWriter(gz)
	for _, f := range files {
		h := &tar.Header{
			Typeflag: tar.TypeReg, Name: f.name, Mode: f.mode, Size: int64(len(f.data)), ModTime: at, Format: tar.FormatUSTAR,
		}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	err = gz.Close()
	return b.Bytes(), err
}

// zipped is tarball in the form that Windows unpacks by itself.
func zipped(files []file, at time.Time) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: at.UTC()}
		h.SetMode(os.FileMode(f.mode))
		part, err := w.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := part.Write(f.data); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}

// compressed is one file in gzip's form without a name and a time.
func compressed(data []byte) ([]byte, error) {
	var b bytes.Buffer
	gz, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := gz.Write(data); err != nil {
		return nil, err
	}
	err = gz.Close()
	return b.Bytes(), err
}

// debPaths says where a Debian system looks for the files of an archive, by the start of their names.
var debPaths = [][2]string{
	{"completions/remanence.bash", "usr/share/bash-completion/completions/remanence"},
	{"completions/_remanence", "usr/share/zsh/vendor-completions/_remanence"},
	{"completions/remanence.fish", "usr/share/fish/vendor_completions.d/remanence.fish"},
	{"man/", "usr/share/man/"},
	{"LICENSE", "usr/share/doc/remanence/copyright"},
	{"THIRD_PARTY_LICENSES.txt", "usr/share/doc/remanence/THIRD_PARTY_LICENSES.txt"},
}

// deb builds the package for Debian and its relatives with dpkg-deb. Its name has no version, so that one address
// always leads to the newest.
func (r *release) deb(work, arch string, exe []byte) error {
	tree := filepath.Join(work, "deb-"+arch)
	control := "Package: remanence\nVersion: " + r.version + "\nArchitecture: " + arch +
		"\nMaintainer: The Remanence authors\nSection: devel\nPriority: optional\nHomepage: " + r.repository +
		"\nDescription: memory for coding agents\n Remanence keeps what happens in a coding agent's sessions and injects\n" +
		" the relevant part into later ones.\n"
	files := []file{{"DEBIAN/control", 0o644, []byte(control)}, {"usr/bin/remanence", 0o755, exe}}
	for _, f := range r.common {
		for _, to := range debPaths {
			rest, ok := strings.CutPrefix(f.name, to[0])
			if !ok {
				continue
			}
			f.name = to[1] + rest
			if strings.HasPrefix(to[0], "man/") {
				var err error
				if f.data, err = compressed(f.data); err != nil {
					return err
				}
				f.name += ".gz"
			}
			files = append(files, f)
			break
		}
	}
	for _, f := range files {
		path := filepath.Join(tree, f.name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, f.data, os.FileMode(f.mode)); err != nil {
			return err
		}
		if err := os.Chmod(path, os.FileMode(f.mode)); err != nil { // whatever the umask
			return err
		}
	}
	return r.pack(tree, "remanence_"+arch+".deb")
}

// pack runs dpkg-deb with all times set to that of the commit.
func (r *release) pack(tree, name string) error {
	err := filepath.WalkDir(tree, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if err := os.Chmod(path, 0o755); err != nil {
				return err
			}
		}
		return os.Chtimes(path, r.date, r.date)
	})
	if err != nil {
		return err
	}
	_, err = output("env", "SOURCE_DATE_EPOCH="+strconv.FormatInt(r.date.Unix(), 10), "dpkg-deb", "--root-owner-group",
		"-Zgzip", "--build", tree, filepath.Join(r.out, name))
	return err
}
