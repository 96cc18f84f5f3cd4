// Command release builds the files of a release: an archive for each platform, packages for npm and Debian, an install
// script, a Homebrew formula, a Scoop manifest, an SBOM for each program, and the checksums of them all. It publishes
// nothing. The same commit, version, repository and Go give the same bytes.
//
//	go run ./tools/release -version 1.2.3 -repository https://github.com/owner/remanence
package main

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"remanence/internal/setup"
	"remanence/plugin"
)

// platforms are those that a release is for, as GOOS/GOARCH.
var platforms = []string{
	"darwin/amd64", "darwin/arm64", "linux/amd64", "linux/arm64", "windows/amd64", "windows/arm64",
}

// release is one run.
type release struct {
	version    string // such as 1.2.3
	repository string // its address, without a slash at the end
	out        string // directory of the files
	sbom       string // the program cyclonedx-gomod; "" means no SBOM
	commit     string
	date       time.Time // of the commit; every file in an archive has it
	notices    []byte    // the licences of everything that is linked in
	common     []file    // in every archive
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run() error {
	var r release
	var list string
	var try bool
	flag.StringVar(&r.version, "version", "", "number of the release, such as 1.2.3")
	flag.StringVar(&r.repository, "repository", "", "address under which it is published")
	flag.StringVar(&r.out, "out", "dist/release", "directory of the files; it is emptied")
	flag.StringVar(&r.sbom, "sbom", "", "the program cyclonedx-gomod (default: no SBOM)")
	flag.StringVar(&list, "platforms", strings.Join(platforms, ","), "what to build for")
	flag.BoolVar(&try, "try", false, "build although files differ from the commit, and say so in the program")
	plugin := flag.String("plugin", "", "only write the plugin, with this program in it, into claude-code\n"+
		"below -out, and the Gemini extension into gemini; both are emptied")
	flag.Parse()
	if *plugin != "" {
		return writePlugin(*plugin, cmp.Or(r.version, "0.0.0-dev"), r.out)
	}
	if !regexp.MustCompile(`^\d+\.\d+\.\d+$`).MatchString(r.version) {
		return fmt.Errorf("version %q is not of the form 1.2.3 (make release VERSION=1.2.3)", r.version)
	}
	r.repository = strings.TrimSuffix(r.repository, "/")
	if !strings.HasPrefix(r.repository, "https://") {
		return fmt.Errorf("repository %q is not an https address (make release OWNER=name)", r.repository)
	}
	if err := r.source(try); err != nil {
		return err
	}
	wanted := strings.Split(list, ",")
	for _, p := range wanted {
		if !slices.Contains(platforms, p) {
			return fmt.Errorf("platform %q is none of %s", p, strings.Join(platforms, ", "))
		}
	}
	return r.build(wanted)
}

// source reads the commit that is built.
func (r *release) source(try bool) error {
	head, err := output("git", "log", "-1", "--format=%H %cI")
	if err != nil {
		return err
	}
	commit, date, _ := strings.Cut(strings.TrimSpace(head), " ")
	if r.date, err = time.Parse(time.RFC3339, date); err != nil {
		return err
	}
	r.commit, r.date = commit, r.date.UTC()
	status, err := output("git", "status", "--porcelain")
	if err != nil {
		return err
	}
	if status != "" {
		if !try {
			return errors.New("files differ from the commit: commit them first, or try with -try")
		}
		r.commit += "-modified"
	}
	tags, err := output("git", "tag", "--points-at", "HEAD")
	if err == nil && !slices.Contains(strings.Fields(tags), "v"+r.version) {
		fmt.Fprintf(os.Stderr, "release: the commit has no tag v%s yet; tag it before you publish\n", r.version)
	}
	return err
}

// build writes all files.
func (r *release) build(wanted []string) error {
	if err := os.RemoveAll(r.out); err != nil {
		return err
	}
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "remanence-release-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()
	if r.notices, err = notices(wanted); err != nil {
		return err
	}
	if err := r.documents(work); err != nil {
		return err
	}
	var built []program
	for _, p := range wanted {
		b, err := r.platform(work, p)
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		built = append(built, b)
	}
	return errors.Join(r.npmMain(built), r.render(built), r.plugin(), r.checksums())
}

// program is one built program and its archive.
type program struct {
	OS, Arch string
	Archive  string // name of the archive; its top directory is the same without the ending
	SHA256   string // of the archive
	file     string
}

// Dir is the top directory in the archive.
func (p program) Dir() string {
	return strings.TrimSuffix(strings.TrimSuffix(p.Archive, ".zip"), ".tar.gz")
}

// CPU is Homebrew's name of the architecture.
func (p program) CPU() string {
	if p.Arch == "amd64" {
		return "intel"
	}
	return "arm"
}

func (p program) exe() string {
	if p.OS == "windows" {
		return "remanence.exe"
	}
	return "remanence"
}

// compile builds the program for a platform.
func (r *release) compile(goos, arch, to string) error {
	const in = " -X remanence/internal/config."
	flags := "-s -w -buildid=" + in + "Version=" + r.version + in + "Repository=" + r.repository +
		in + "commit=" + r.commit + in + "date=" + r.date.Format(time.RFC3339)
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", flags, "-o", to, "./cmd/remanence")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+arch, "GOFLAGS=", "GOAMD64=v1", "GOARM64=v8.0")
	cmd.Stderr = os.Stderr
	return cmd.Run()
}

// executable is where the program of a platform is built.
func executable(work, goos, arch string) string {
	return filepath.Join(work, "remanence-"+goos+"-"+arch)
}

// documents makes what is in every archive: manual pages and completions come from the program itself.
func (r *release) documents(work string) error {
	host := executable(work, runtime.GOOS, runtime.GOARCH)
	if err := r.compile(runtime.GOOS, runtime.GOARCH, host); err != nil {
		return err
	}
	man := filepath.Join(work, "man1")
	if err := os.Mkdir(man, 0o755); err != nil {
		return err
	}
	if _, err := output(host, "man", man); err != nil {
		return err
	}
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md", "SECURITY.md"} {
		if err := r.add(name, name); err != nil {
			return err
		}
	}
	r.common = append(r.common, file{"THIRD_PARTY_LICENSES.txt", 0o644, r.notices})
	pages, err := filepath.Glob(filepath.Join(man, "*.1"))
	if err != nil {
		return err
	}
	for _, page := range pages {
		if err := r.add("man/man1/"+filepath.Base(page), page); err != nil {
			return err
		}
	}
	for _, c := range [][2]string{
		{"bash", "remanence.bash"}, {"zsh", "_remanence"}, {"fish", "remanence.fish"}, {"powershell", "remanence.ps1"},
	} {
		script, err := output(host, "completion", c[0])
		if err != nil {
			return err
		}
		r.common = append(r.common, file{"completions/" + c[1], 0o644, []byte(script)})
	}
	return nil
}

func (r *release) add(name, from string) error {
	data, err := os.ReadFile(from)
	r.common = append(r.common, file{name, 0o644, data})
	return err
}

// platform builds the program of one platform with its archive, packages and SBOM.
func (r *release) platform(work, name string) (program, error) {
	goos, arch, _ := strings.Cut(name, "/")
	p := program{OS: goos, Arch: arch, file: executable(work, goos, arch)}
	if goos != runtime.GOOS || arch != runtime.GOARCH { // else documents has built it
		if err := r.compile(goos, arch, p.file); err != nil {
			return p, err
		}
	}
	data, err := os.ReadFile(p.file)
	if err != nil {
		return p, err
	}
	dir := fmt.Sprintf("remanence_%s_%s_%s", r.version, goos, arch)
	files := append([]file{{p.exe(), 0o755, data}}, r.common...)
	for i := range files {
		files[i].name = dir + "/" + files[i].name
	}
	p.Archive = dir + ".tar.gz"
	pack := tarball
	if goos == "windows" {
		p.Archive, pack = dir+".zip", zipped
	}
	archive, err := pack(files, r.date)
	if err != nil {
		return p, err
	}
	p.SHA256 = fmt.Sprintf("%x", sha256.Sum256(archive))
	if err := r.write(p.Archive, archive, 0o644); err != nil {
		return p, err
	}
	if goos == "linux" {
		err = r.deb(work, arch, data)
	}
	return p, errors.Join(err, r.npmPlatform(p, data), r.bill(p, dir))
}

// bill writes the SBOM of a program, in the form CycloneDX.
func (r *release) bill(p program, dir string) error {
	if r.sbom == "" {
		return nil
	}
	to := filepath.Join(r.out, dir+".cdx.json")
	_, err := output(r.sbom, "bin", "-json", "-noserial", "-notimestamp", "-std", "-version", "v"+r.version, "-output", to,
		p.file)
	return err
}

// plugin packs the plugin whose launcher runs the installed program, with the marketplace that offers it.
func (r *release) plugin() error {
	var files []file
	for _, root := range []string{".claude-plugin", "plugin"} {
		tree, err := readTree(root, r.version)
		if err != nil {
			return err
		}
		files = append(files, tree...)
	}
	data, err := tarball(files, r.date)
	if err != nil {
		return err
	}
	if err := r.write("remanence_"+r.version+"_claude-code-plugin.tar.gz", data, 0o644); err != nil {
		return err
	}
	if files, err = extension(r.version); err != nil {
		return err
	}
	if data, err = tarball(files, r.date); err != nil {
		return err
	}
	return r.write("remanence_"+r.version+"_gemini-extension.tar.gz", data, 0o644)
}

// extension returns the files of the extension of Gemini, whose launcher runs the installed program.
func extension(version string) ([]file, error) {
	made, err := setup.GeminiExtension(plugin.Files, version)
	if err != nil {
		return nil, err
	}
	launcher, err := os.ReadFile("plugin/" + launcherFile)
	files := []file{{extensionDir + launcherFile, 0o755, launcher}}
	for _, name := range slices.Sorted(maps.Keys(made)) {
		files = append(files, file{extensionDir + name, 0o644, made[name]})
	}
	return files, err
}

const (
	launcherFile = "bin/remanence"
	extensionDir = "gemini-extension/"
)

// readTree reads the files below a directory of the repository; the manifest gets the version.
func readTree(root, version string) ([]file, error) {
	var files []file
	err := filepath.WalkDir(root, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) == ".go" {
			return err
		}
		data, err := os.ReadFile(name)
		mode := int64(0o644)
		if strings.HasPrefix(string(data), "#!") {
			mode = 0o755
		}
		if filepath.Base(name) == "plugin.json" {
			data = setup.PluginManifest(data, version)
		}
		files = append(files, file{filepath.ToSlash(name), mode, data})
		return err
	})
	return files, err
}

// writePlugin writes the plugin and the extension of Gemini into directories of their own below out, with a program
// instead of the launcher.
func writePlugin(program, version, out string) error {
	files, err := readTree("plugin", version)
	if err != nil {
		return err
	}
	if err := writeFiles(files, "plugin/", program, filepath.Join(out, "claude-code")); err != nil {
		return err
	}
	if files, err = extension(version); err != nil {
		return err
	}
	return writeFiles(files, extensionDir, program, filepath.Join(out, "gemini"))
}

// writeFiles empties a directory and writes files into it, without the root of their names and with the program.
func writeFiles(files []file, root, program, to string) error {
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	for _, f := range files {
		path := filepath.Join(to, strings.TrimPrefix(f.name, root))
		if f.name == root+launcherFile {
			data, err := os.ReadFile(program)
			if err != nil {
				return err
			}
			f.data = data
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, f.data, os.FileMode(f.mode)); err != nil {
			return err
		}
	}
	return nil
}

// checksums writes SHA256SUMS, which names every other file.
func (r *release) checksums() error {
	entries, err := os.ReadDir(r.out) // sorted by name
	if err != nil {
		return err
	}
	var sums strings.Builder
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(r.out, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(data), e.Name())
	}
	return r.write("SHA256SUMS", []byte(sums.String()), 0o644)
}

func (r *release) write(name string, data []byte, mode os.FileMode) error {
	return os.WriteFile(filepath.Join(r.out, name), data, mode)
}

// output runs a command and returns what it printed.
func output(name string, args ...string) (string, error) {
	var stderr strings.Builder
	cmd := exec.Command(name, args...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), strings.Join(args, " "), err, stderr.String())
	}
	return string(out), err
}
