package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/mem"
)

const (
	maxProjectFile = 64 << 10 // bytes
	maxProjectID   = 200      // characters
)

// ProjectFile returns the path of the configuration file of a checkout.
func ProjectFile(root string) string {
	return filepath.Join(root, filepath.FromSlash(mem.SharedDir), "config.toml")
}

// ReadProjectFile reads the configuration file of a checkout. Only few keys have an effect there: none makes an agent
// see or do more than the person allows. warnings names the other ones, and values of a wrong type. Without a file the
// error is fs.ErrNotExist. The caller has made sure that the person trusts the repository.
func ReadProjectFile(root string) (f mem.ProjectFile, warnings []string, err error) {
	file := ProjectFile(root)
	if info, err := os.Lstat(filepath.Dir(file)); err != nil {
		return f, nil, err
	} else if !info.IsDir() { // a link may lead anywhere
		return f, nil, fmt.Errorf("read %s: %w", file, fs.ErrNotExist)
	}
	if _, err := ReadUpTo(file, maxProjectFile); err != nil {
		if errors.Is(err, errors.ErrUnsupported) {
			err = fmt.Errorf("read %s: %w: it is no file of at most %d bytes", file, ErrSyntax, maxProjectFile)
		}
		return f, nil, err
	}
	set, err := ReadConfig(file)
	if err != nil {
		return f, nil, err
	}
	for _, key := range slices.Sorted(maps.Keys(set)) {
		if why := setInProject(&f, key, set[key]); why != "" {
			warnings = append(warnings, fmt.Sprintf("%s: %s", chars.Line(key), why))
		}
	}
	return f, warnings, nil
}

// setInProject sets one key and returns why it has no effect.
func setInProject(f *mem.ProjectFile, key string, value any) (why string) {
	hook, budget := strings.CutPrefix(key, "hooks.")
	hook, rest := strings.CutSuffix(hook, ".token_budget")
	text, isText := value.(string)
	text = strings.TrimSpace(text)
	switch {
	case (key == "project.id" || key == "project.name") && (!isText || text == "" || len(text) > maxProjectID):
		return fmt.Sprintf("it must be a text of at most %d characters", maxProjectID)
	case key == "project.id":
		f.ID = text
	case key == "project.name":
		f.Name = text
	case key == "privacy.exclude_paths":
		globs, ok := texts(value)
		if !ok {
			return "it must be a list of texts"
		}
		f.ExcludePaths = globs
	case budget && rest && isOption(key):
		n, ok := value.(int64)
		if !ok || n < 0 {
			return "it must be a whole number from 0"
		}
		if f.TokenBudgets == nil {
			f.TokenBudgets = map[string]int{}
		}
		f.TokenBudgets[hook] = int(min(n, 1<<30))
	default:
		return "it has no effect in a project"
	}
	return ""
}

func isOption(key string) bool {
	return slices.ContainsFunc(Options(), func(o Option) bool { return o.Key == key })
}

// texts returns a list of texts as TOML has it.
func texts(value any) (list []string, ok bool) {
	items, ok := value.([]any)
	for _, item := range items {
		text, isText := item.(string)
		ok = ok && isText
		list = append(list, text)
	}
	return list, ok
}
