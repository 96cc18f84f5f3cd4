package setup

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"

	"remanence/internal/setup/section"
)

// Skills are the plugin's skills for agents that do not have the plugin. All of those in Clients read one directory of
// the person, so its files are shared: the first agent brings them, and they go with the last.

// skillPrefix begins the names of our skills, which stand beside those of others there. In a plugin its name does that.
const skillPrefix = "remanence-"

// SkillsDir is the directory of the skills that agents share.
func (c Config) SkillsDir() string { return filepath.Join(c.Home, ".agents", "skills") }

// skill is one of ours under the name that it has beside others.
type skill struct {
	name string
	text []byte
}

// skillsOf are the skills of the plugin's files.
func skillsOf(plugin fs.FS) ([]skill, error) {
	files, err := fs.Glob(plugin, "skills/*/SKILL.md")
	var list []skill
	for _, file := range files {
		text, readErr := fs.ReadFile(plugin, file)
		err = errors.Join(err, readErr)
		name := path.Base(path.Dir(file))
		text = bytes.Replace(text, nameLine(name), nameLine(skillPrefix+name), 1)
		list = append(list, skill{skillPrefix + name, text})
	}
	return list, err
}

// targetsFor are all files that an installation for the client edits or makes.
func (cl Client) targetsFor(c Config) []target {
	list := slices.Clone(cl.targets)
	if cl.instructions != nil {
		list = append(list, instructionsTarget(cl.instructions))
	}
	if c.Plugin == nil {
		return list
	}
	skills, _ := skillsOf(c.Plugin) // they are part of this program, whose tests read them
	for _, s := range skills {
		list = append(list, skillTarget(filepath.Join(c.SkillsDir(), s.name, "SKILL.md"), s.text))
	}
	return list
}

// instructionsTarget is the person's own file of instructions for an agent.
func instructionsTarget(path func(c Config) string) target {
	return target{
		path: path, instructs: true,
		put: func(src []byte, in input) ([]byte, error) {
			if !in.parts.Instructions {
				return src, nil
			}
			return section.Put(src)
		},
		cut: func(src []byte, _ input) ([]byte, error) { return section.Cut(src), nil },
	}
}

// skillTarget is the file of one skill.
func skillTarget(file string, text []byte) target {
	return target{
		path: func(Config) string { return file }, whole: true, shared: true,
		put: func(src []byte, in input) ([]byte, error) {
			switch {
			case !in.parts.Skills:
				return src, nil
			case len(src) > 0 && !ourSkill(file, src):
				return nil, ErrForeign
			}
			return text, nil
		},
	}
}

func nameLine(skill string) []byte { return []byte("\nname: " + skill + "\n") }

// ourSkill reports whether a text is the skill that we put into a file. A skill is called as its folder.
func ourSkill(file string, text []byte) bool {
	return bytes.Contains(text, nameLine(filepath.Base(filepath.Dir(file))))
}

// formerSkills are the skills that records name and this version does not have.
func formerSkills(c Config, targets []target, records []Record) []target {
	var list []target
	for _, r := range records {
		known := func(t target) bool { return t.path(c) == r.File }
		if filepath.Dir(filepath.Dir(r.File)) == c.SkillsDir() && !slices.ContainsFunc(targets, known) &&
			!slices.ContainsFunc(list, known) {
			list = append(list, skillTarget(r.File, nil))
		}
	}
	return list
}

// inherit gives the record of a shared file what older records of it know: that it was made for us, and where.
func (r *Record) inherit(all []Record) {
	for _, old := range all {
		if old.File != r.File {
			continue
		}
		r.Created = r.Created || old.Created
		for _, dir := range old.Dirs {
			if !slices.Contains(r.Dirs, dir) {
				r.Dirs = append(r.Dirs, dir)
			}
		}
	}
	slices.Sort(r.Dirs) // a directory comes before what is in it
}

// removeSkill decides what becomes of a skill when an agent goes. Others are the records of other agents that stay.
func (s *Step) removeSkill(others []Record, earlier []Step) {
	held := slices.ContainsFunc(others, func(r Record) bool { return r.File == s.File })
	gone := slices.ContainsFunc(earlier, func(e Step) bool { return e.File == s.File && e.Action == Delete })
	if s.Action = Keep; s.was.exists() && !held && !gone && ourSkill(s.File, s.was.data) {
		s.Action = Delete
	}
}

// CheckSkills compares the skills that were put there with those of this version; ok is false if there are none.
func CheckSkills(c Config) (found Finding, ok bool) {
	files := map[string][]byte{}
	if c.Plugin == nil {
		return found, false
	}
	skills, _ := skillsOf(c.Plugin) // they are part of this program, whose tests read them
	for _, s := range skills {
		files[filepath.Join(c.SkillsDir(), s.name, "SKILL.md")] = s.text
	}
	fix := "remanence install"
	records, _ := allRecords(c) // a damaged one is reported by its own check
	for _, cl := range Clients() {
		if !slices.ContainsFunc(ofAgent(records, cl.ID), func(r Record) bool { return files[r.File] != nil }) {
			continue
		}
		ok = true
		if fix += " " + cl.ID; cl.Experimental {
			fix += " --experimental"
		}
	}
	differ, foreign := 0, ""
	for _, file := range slices.Sorted(maps.Keys(files)) {
		f, err := read(file)
		switch {
		case len(f.data) > 0 && !ourSkill(file, f.data):
			foreign = file
		case err != nil || !bytes.Equal(f.data, files[file]):
			differ++
		}
	}
	found = Finding{ID: "skills", State: OK, What: "the skills of agents are those of this version"}
	switch {
	case differ > 0:
		found.State, found.Fix = Warn, []string{fix}
		found.What = fmt.Sprintf("skills that are missing or of another version: %d", differ)
		found.Why = c.SkillsDir() + " differs from what this version installs"
	case foreign != "":
		found.State, found.Fix = Info, []string{"move " + foreign + " elsewhere", fix}
		found.What = "another skill has the place of one of ours"
		found.Why = foreign + " is not ours, so it stays"
	}
	return found, ok
}
