package vault

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"remanence/internal/chars"
	"remanence/internal/mem"
	"remanence/internal/vaultfile"
)

// HandoffFile is where the handoff of a project is, below the vault's folder.
// Projects of one name have one each.
func HandoffFile(p mem.Project) string {
	return path.Join(handoffDir, short(p.Name, "project")+keyPart(p.Key), handoffFile)
}

// keyPart distinguishes projects of the same name.
func keyPart(key string) string {
	_, digits, _ := strings.Cut(key, "_")
	if digits == "" {
		return ""
	}
	return "-" + short(digits[:min(len(digits), 6)], "x")
}

// short is a name that any file system takes: lower case letters, digits and
// hyphens of s, or of other where nothing is left.
func short(s, other string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(s) {
		switch {
		case b.Len() >= maxShort:
		case unicode.IsLetter(r), unicode.IsDigit(r):
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	if out := strings.Trim(b.String(), "-"); out != "" {
		return out
	}
	return other
}

// maxShort bounds a short name, in bytes.
const maxShort = 48

// ReadHandoff reads the handoff of a project: rich, what the agent or the person
// wrote, and tail, what happened since by rule. Both are empty where there is
// none. at, if it is not zero, is when the file was last written.
func (v *Vault) ReadHandoff(p mem.Project) (vaultfile.Handoff, error) {
	root, err := v.open()
	if errors.Is(err, ErrNone) {
		return vaultfile.Handoff{}, nil
	}
	if err != nil {
		return vaultfile.Handoff{}, err
	}
	defer root.Close()
	name := HandoffFile(p)
	b, info, err := readFile(root, name)
	if errors.Is(err, fs.ErrNotExist) {
		return vaultfile.Handoff{}, nil
	}
	if err != nil {
		return vaultfile.Handoff{}, fmt.Errorf("read %s: %w", name, err)
	}
	rich, tail := vaultfile.SplitHandoff(string(b))
	return vaultfile.Handoff{
		Rich: strings.TrimSpace(rich), Appendix: strings.TrimSpace(tail), At: info.ModTime().UTC(),
		Changed: changedAt(info),
	}, nil
}

// WriteHandoff writes the rich part of a project's handoff anew. The tail goes:
// it was about what happened since the old one. ErrNone without a vault.
func (v *Vault) WriteHandoff(p mem.Project, rich string) error {
	return v.changeHandoff(p, func(string) string {
		rich, _ := vaultfile.SplitHandoff(rich) // that heading is ours
		return strings.TrimSpace(rich) + "\n"
	})
}

// WriteAppendix puts tail at the end of a project's handoff, in the place of the one
// that was there. What stands before it is left as it is. ErrNone without a vault.
func (v *Vault) WriteAppendix(p mem.Project, tail string) error {
	return v.changeHandoff(p, func(was string) string {
		rich, _ := vaultfile.SplitHandoff(was)
		if rich != "" && !strings.HasSuffix(rich, "\n\n") {
			rich = strings.TrimSuffix(rich, "\n") + "\n\n"
		}
		body := lowered(strings.TrimSpace(tail))
		if body == "" {
			return rich
		}
		return rich + vaultfile.AppendixHeading + "\n\n" + body + "\n"
	})
}

// EraseHandoff takes out of a project's handoff what is erased elsewhere: the
// tail, which is made anew, and if what stands before it holds one of some folded
// lines the whole file. One that is not there is gone already.
func (v *Vault) EraseHandoff(p mem.Project, lines []string) error {
	root, err := v.open()
	if errors.Is(err, ErrNone) {
		return nil
	}
	if err != nil {
		return err
	}
	defer root.Close()
	v.mu.Lock()
	defer v.mu.Unlock()
	name := HandoffFile(p)
	b, _, err := readFile(root, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	rich, _ := vaultfile.SplitHandoff(string(b))
	folded := chars.Fold(rich)
	if strings.TrimSpace(rich) != "" && !slices.ContainsFunc(lines, func(l string) bool {
		return strings.Contains(folded, l)
	}) {
		if err := replaceFile(root, name, b, []byte(rich)); err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
		return nil
	}
	if err := root.Remove(filepath.FromSlash(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove %s: %w", name, err)
	}
	_ = root.Remove(path.Dir(name)) // if nothing of the person's is in it
	return nil
}

// tries is how often a change is repeated after a change by another process.
const tries = 3

func (v *Vault) changeHandoff(p mem.Project, change func(was string) string) error {
	root, err := v.open()
	if err != nil {
		return err
	}
	defer root.Close()
	v.mu.Lock()
	defer v.mu.Unlock()
	return changeFile(root, HandoffFile(p), change)
}

// changeFile changes a file, and repeats the change if another process changed the file meanwhile.
func changeFile(root *os.Root, name string, change func(was string) string) (err error) {
	for range tries {
		if err = changeOnce(root, name, change); !errors.Is(err, errChanged) {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

func changeOnce(root *os.Root, name string, change func(was string) string) error {
	was, _, err := readFile(root, name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err != nil {
		was = nil
	} else if was == nil {
		was = []byte{}
	}
	return replaceFile(root, name, was, []byte(change(string(was))))
}

// lowered is a text whose headings do not end the section that it stands in.
func lowered(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if rest := strings.TrimLeft(l, "#"); len(l)-len(rest) == 1 || len(l)-len(rest) == 2 {
			lines[i] = "###" + rest
		}
	}
	return strings.Join(lines, "\n")
}
