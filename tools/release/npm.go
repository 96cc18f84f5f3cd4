package main

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// npmNames translates the names of Go into those of Node.
var npmNames = map[string]string{
	"darwin": "darwin", "linux": "linux", "windows": "win32", "amd64": "x64", "arm64": "arm64",
}

// manifest is a package.json.
type manifest struct {
	Name         string            `json:"name"`
	Version      string            `json:"version"`
	Description  string            `json:"description"`
	License      string            `json:"license"`
	Homepage     string            `json:"homepage"`
	Repository   map[string]string `json:"repository"`
	OS           []string          `json:"os,omitempty"`
	CPU          []string          `json:"cpu,omitempty"`
	Bin          map[string]string `json:"bin,omitempty"`
	Optional     map[string]string `json:"optionalDependencies,omitempty"`
	Engines      map[string]string `json:"engines,omitempty"`
	PreferUnplug bool              `json:"preferUnplugged,omitempty"` // keeps the program a file under Yarn
}

func (r *release) manifest(name, description string) manifest {
	return manifest{
		Name: name, Version: r.version, Description: description, License: "Apache-2.0", Homepage: r.repository,
		Repository: map[string]string{"type": "git", "url": "git+" + r.repository + ".git"},
	}
}

// npmPlatform packs the program of one platform. npm installs it only where os and cpu fit.
func (r *release) npmPlatform(p program, exe []byte) error {
	os, cpu := npmNames[p.OS], npmNames[p.Arch]
	m := r.manifest("remanence-"+os+"-"+cpu, "The program of the package remanence for "+os+" "+cpu)
	m.OS, m.CPU, m.PreferUnplug = []string{os}, []string{cpu}, true
	return r.npmPackage(m, []file{{"bin/" + p.exe(), 0o755, exe}})
}

// npmMain packs the package that people install. Its dependencies carry the program: nothing is downloaded at install.
func (r *release) npmMain(built []program) error {
	m := r.manifest("remanence", "A memory for coding agents")
	m.Bin = map[string]string{"remanence": "bin/remanence.js"}
	m.Engines = map[string]string{"node": ">=18"}
	m.Optional = map[string]string{}
	for _, p := range built {
		m.Optional["remanence-"+npmNames[p.OS]+"-"+npmNames[p.Arch]] = r.version
	}
	launcher, err := templates.ReadFile("templates/remanence.js")
	if err != nil {
		return err
	}
	files := []file{{"bin/remanence.js", 0o755, launcher}}
	for _, f := range r.common {
		if f.name == "README.md" {
			files = append(files, f)
		}
	}
	return r.npmPackage(m, files)
}

// npmPackage writes a package in the form of "npm pack".
func (r *release) npmPackage(m manifest, files []file) error {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(m); err != nil {
		return err
	}
	for _, f := range r.common {
		if f.name == "LICENSE" || f.name == "THIRD_PARTY_LICENSES.txt" {
			files = append(files, f)
		}
	}
	files = append([]file{{"package.json", 0o644, text.Bytes()}}, files...)
	for i := range files {
		files[i].name = "package/" + files[i].name
	}
	data, err := tarball(files, r.date)
	if err != nil {
		return err
	}
	return r.write(fmt.Sprintf("npm-%s-%s.tgz", m.Name, r.version), data, 0o644)
}
