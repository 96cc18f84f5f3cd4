package filesync

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"remanence/internal/curate"
	"remanence/internal/event"
	"remanence/internal/mem"
	"remanence/internal/vaultfile"
)

// Errors of Share.
var (
	ErrNotShareable = errors.New("this memory cannot be shared")
	ErrNoRepository = errors.New("memories are shared in a directory of a repository: there is none here")
)

// The operations of a ShareRequest.
const (
	ShareStatus = "status" // lists shared memories, and differences between files and memories
	ShareWrite  = "write"  // writes the files of memories
	ShareRemove = "remove" // deletes the files of memories; the memories stay
)

// ShareRequest asks for the shared memories of a repository, or writes or removes some.
type ShareRequest struct {
	mem.ProjectRef
	Op     string     `json:"op"`
	IDs    []string   `json:"ids,omitempty"`
	Kinds  []mem.Kind `json:"kinds,omitempty"` // all memories of these kinds that can be shared
	DryRun bool       `json:"dry_run,omitempty"`
	Agent  string     `json:"agent,omitempty"` // session of the agent that asks; empty means the person
}

// The states of a SharedItem.
const (
	SharedSame        = "same"        // file and memory agree
	SharedWritten     = "written"     // the file was written, or would be by a dry run
	SharedRemoved     = "removed"     // the file was deleted, or would be
	SharedChangedHere = "changed"     // the memory was changed since; share it again to write it
	SharedForgotten   = "forgotten"   // the memory was forgotten; its file remains
	SharedUncommitted = "uncommitted" // the file was changed and not committed, so it is not read
	SharedUnread      = "unread"      // no memory was made of the file
	SharedMissing     = "missing"     // this branch has no such file
	SharedUnreadable  = "unreadable"  // the file cannot be read; Bad says why
	SharedWaiting     = "waiting"     // the team's server does not have it, or its change, yet
	SharedWithdrawn   = "withdrawn"   // its text on the team's server is to be deleted
)

// SharedItem is one shared memory.
type SharedItem struct {
	ID     string   `json:"id,omitempty"`
	File   string   `json:"file"` // relative to the repository
	Kind   mem.Kind `json:"kind,omitempty"`
	Title  string   `json:"title"`
	Author string   `json:"author,omitempty"` // of the file, if its text is the team's
	State  string   `json:"state"`
	Diff   []string `json:"diff,omitempty"` // lines with "- " as in the file, with "+ " as in the memory
}

// NotShared is a memory that was left out, and why.
type NotShared struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Why   string `json:"why"`
}

// ShareResponse lists shared memories.
type ShareResponse struct {
	Dir     string              `json:"dir"`
	Trusted bool                `json:"trusted"` // whether files of others are read
	DryRun  bool                `json:"dry_run,omitempty"`
	Items   []SharedItem        `json:"items"`
	LeftOut []NotShared         `json:"left_out"`
	Bad     []vaultfile.BadFile `json:"bad"`
	Team    *TeamShares         `json:"team,omitempty"` // on a team's server; nil if none is configured
}

// Share lists the shared memories of a repository, or writes or removes files of memories. Only a person may write
// or remove. If a memory named by its ID cannot be shared, nothing is written.
func (s *Service) Share(ctx context.Context, req ShareRequest) (ShareResponse, error) {
	out := ShareResponse{Items: []SharedItem{}, LeftOut: []NotShared{}, Bad: []vaultfile.BadFile{}, DryRun: req.DryRun}
	p, err := s.Event.Place(ctx, req.ProjectRef)
	if err != nil {
		return out, err
	}
	if s.Shared == nil || p.Key == "" || p.Root == "" {
		return out, ErrNoRepository
	}
	if req.Op != ShareStatus && req.Op != "" && req.Agent != "" {
		return out, fmt.Errorf("write into the repository: %w", curate.ErrNotPerson)
	}
	if err := s.SyncShared(ctx, p, true); err != nil {
		return out, err
	}
	s.sharing.Lock()
	defer s.sharing.Unlock()
	var folder SharedFolder
	folder, out.Trusted = s.Shared(p)
	out.Dir = mem.SharedDir + "memory"
	sh := sharing{s: s, p: p, folder: folder, place: folder.Place(), trusted: out.Trusted, dryRun: req.DryRun}
	if err := sh.load(ctx); err != nil {
		return out, err
	}
	switch req.Op {
	case "", ShareStatus:
		if folder.There() {
			bad, err := folder.Bad()
			if err != nil {
				return out, fmt.Errorf("shared files: %w", err)
			}
			out.Bad = append(out.Bad, bad...)
		}
		out.Items, err = sh.status(ctx, out.Bad)
	case ShareWrite:
		err = sh.write(ctx, req, &out)
	case ShareRemove:
		err = sh.remove(ctx, req, &out)
	default:
		err = fmt.Errorf("%q: %w", req.Op, ErrNoOp)
	}
	return out, err
}

// sharing holds what one Share call works with.
type sharing struct {
	s       *Service
	p       mem.Project
	folder  SharedFolder // nil for the server of a team
	place   string
	trusted bool
	dryRun  bool

	linked map[string]mem.Memory     // memories with a file, by file
	files  map[string]vaultfile.Note // readable files, by file
}

func (sh *sharing) load(ctx context.Context) error {
	ms, err := sh.s.Event.SharedOf(ctx, sh.p, sh.place)
	if err != nil {
		return err
	}
	sh.linked, sh.files = map[string]mem.Memory{}, map[string]vaultfile.Note{}
	for _, mm := range slices.Backward(ms) {
		if was, ok := sh.linked[mm.Note.File]; !ok || was.Status != mem.Active {
			sh.linked[mm.Note.File] = mm
		}
	}
	l, err := sharedChanges(ctx, sh.folder, nil)
	for _, n := range l.Notes {
		sh.files[n.File] = sh.s.cleanNote(n)
	}
	return err
}

// status returns the shared memories and the files that are no memories, by file name.
func (sh *sharing) status(ctx context.Context, bad []vaultfile.BadFile) ([]SharedItem, error) {
	var dirty map[string]bool
	if sh.trusted { // git may run programs that a repository's own configuration names
		var err error
		if dirty, err = sh.folder.Uncommitted(ctx); err != nil {
			return nil, fmt.Errorf("uncommitted shared files: %w", err)
		}
	}
	items := []SharedItem{}
	for file, mm := range sh.linked {
		n, there := sh.files[file]
		it := sh.item(mm)
		switch {
		case slices.ContainsFunc(bad, func(b vaultfile.BadFile) bool { return b.File == file }):
			it.State = SharedUnreadable
		case !there && (mm.Status != mem.Active || mm.Note.Hash == ""):
			continue
		case !there:
			it.State = SharedMissing
		case n.Hash != mm.Note.Hash && dirty[file]:
			it.State = SharedUncommitted
		case n.Hash != mm.Note.Hash:
			it.State = SharedUnread
		case mm.Status == mem.Forgotten:
			it.State = SharedForgotten
		case sharedState(mm) != mm.Note.State:
			it.State = SharedChangedHere
		}
		if there && mm.Status != mem.Forgotten {
			it.Diff = sharedDiff(sh.s.sharedMemory(sh.p, mem.Memory{}, n, ""), mm)
		}
		items = append(items, it)
	}
	for file, n := range sh.files {
		if _, ok := sh.linked[file]; !ok && n.Type != "index" {
			it := sh.item(sh.s.sharedMemory(sh.p, mem.Memory{}, n, ""))
			if it.State = SharedUnread; dirty[file] {
				it.State = SharedUncommitted
			}
			items = append(items, it)
		}
	}
	slices.SortFunc(items, func(a, b SharedItem) int { return strings.Compare(a.File, b.File) })
	return items, nil
}

func (sh *sharing) item(mm mem.Memory) SharedItem {
	it := SharedItem{ID: mm.ID, File: mm.Note.File, Kind: mm.Kind, Title: mm.Title, State: SharedSame}
	if mm.OfTeam() {
		it.Author = mm.TeamAuthor()
	}
	return it
}

// sharedDiff returns the fields in which a file and a memory differ.
func sharedDiff(file, here mem.Memory) []string {
	var out []string
	field := func(name, a, b string) {
		if a == b {
			return
		}
		for _, side := range []struct{ mark, text string }{{"- ", a}, {"+ ", b}} {
			for line := range strings.Lines(side.text) {
				out = append(out, side.mark+name+": "+strings.TrimRight(line, "\r\n"))
			}
		}
	}
	field("title", file.Title, here.Title)
	field("text", file.Body, here.Body)
	field("kind", string(file.Kind), string(here.Kind))
	field("tags", strings.Join(mem.OwnTags(file.Tags), ", "), strings.Join(mem.OwnTags(here.Tags), ", "))
	field("invariant", file.Invariant, here.Invariant)
	return out
}

// selected returns the memories of a request.
func (sh *sharing) selected(ctx context.Context, req ShareRequest) ([]mem.Memory, error) {
	if len(req.IDs) > 0 {
		ms, err := sh.s.Store.List(ctx, mem.Query{IDs: req.IDs, Hidden: true, Within: "*", Limit: len(req.IDs)})
		if err != nil {
			return nil, fmt.Errorf("memories to share: %w", err)
		}
		return ms, nil
	}
	if len(req.Kinds) == 0 {
		return nil, event.ErrNoText
	}
	ms, err := sh.s.Event.All(ctx, mem.Query{
		Project: sh.p.Key, Scopes: []mem.Scope{mem.ScopeProject}, Kinds: req.Kinds,
	})
	if err != nil {
		return nil, fmt.Errorf("memories to share: %w", err)
	}
	return ms, nil
}

// write writes the files of the selected memories. All are checked before the first is written.
func (sh *sharing) write(ctx context.Context, req ShareRequest, out *ShareResponse) error {
	ms, err := sh.selected(ctx, req)
	if err != nil {
		return err
	}
	var chosen []mem.Memory
	for _, mm := range ms {
		why := sh.refusal(mm)
		switch {
		case why == "":
			chosen = append(chosen, mm)
		case len(req.IDs) > 0:
			return fmt.Errorf("%s: %s: %w", mm.ID, why, ErrNotShareable)
		default:
			out.LeftOut = append(out.LeftOut, NotShared{mm.ID, mm.Title, why})
		}
	}
	if len(chosen) > 0 && !sh.dryRun {
		if err := sh.folder.Make(); err != nil {
			return fmt.Errorf("make %s: %w", out.Dir, err)
		}
	}
	for _, mm := range chosen {
		it, err := sh.writeOne(ctx, mm)
		if err != nil {
			return err
		}
		out.Items = append(out.Items, it)
	}
	return nil
}

// refusal returns why a memory may not be written into the repository, "" if it may.
func (sh *sharing) refusal(mm mem.Memory) string {
	text := strings.Join([]string{mm.Title, mm.Body, mm.Invariant, strings.Join(mem.OwnTags(mm.Tags), "\n")}, "\n")
	_, found := sh.s.Redactor.Scrub(text)
	switch {
	case found.Private > 0:
		return "it contains private text"
	case len(found.Secrets) > 0:
		return "it contains a secret by the current rules"
	case mm.Status != mem.Active && mm.Status != mem.Archived:
		return "it is " + string(mm.Status)
	case mm.Scope != mem.ScopeProject || mm.Project != sh.p.Key:
		return "it does not belong to this project"
	case event.OfStateFile(mm), event.IsField(mm):
		return "it is part of the state files, which have their own place in the repository"
	case mm.Note.File != "" && !mm.Shared():
		return "it has a file in your vault"
	case mm.Note.File != "" && !mm.SharedIn(sh.place):
		return "it is shared elsewhere already: " + mm.Note.File
	case mm.Trust == mem.TrustNone:
		return "it comes from text that you have not confirmed (remanence review)"
	case mm.Disputed():
		return "a change of it waits for your decision (remanence review)"
	}
	file := sh.fileFor(mm)
	n, there := sh.files[file]
	by, linked := sh.linked[file]
	switch {
	case !there:
	case !linked || by.Note.Hash != n.Hash:
		return file + " was changed in the repository and is not read yet (remanence share status)"
	case by.ID != mm.ID && by.Status == mem.Active:
		return file + " has another text, " + by.ID + ": decide which one holds (remanence review)"
	}
	return ""
}

// fileFor returns the file of a memory: the one that it has, the one that it had, or a new one.
func (sh *sharing) fileFor(mm mem.Memory) string {
	place := sh.place
	if mm.SharedIn(place) {
		return mm.Note.File
	}
	if key, ok := strings.CutPrefix(mm.Key, mem.KeyTeam); ok && strings.HasPrefix(key, place) {
		if file, _, ok := strings.Cut(key, ".md"); ok {
			return file + ".md"
		}
	}
	for file := range sh.files {
		if strings.HasSuffix(file, fileSuffix(mm)) {
			return file
		}
	}
	return place + "memory/" + string(mm.Kind) + "-" + slug(mm.Title) + fileSuffix(mm)
}

// fileSuffix ends the name of a memory's file. It depends on where and when the memory was made, since the IDs of
// two machines may be equal.
func fileSuffix(mm mem.Memory) string {
	sum := sha256.Sum256([]byte(mm.ID + "\x00" + mm.Created.UTC().Format(time.RFC3339Nano)))
	return "-" + hex.EncodeToString(sum[:4]) + ".md"
}

// maxSlug is the largest length of the readable part of a file name, in bytes.
const maxSlug = 40

// slug returns a title as part of a file name: lower-case letters and digits of ASCII, with dashes.
func slug(title string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(title) {
		switch {
		case r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() >= maxSlug {
			break
		}
	}
	if name := strings.Trim(b.String(), "-"); name != "" {
		return name
	}
	return "memory"
}

func (sh *sharing) writeOne(ctx context.Context, mm mem.Memory) (SharedItem, error) {
	file := sh.fileFor(mm)
	it := sh.item(mm)
	it.File, it.State = file, SharedWritten
	n, there := sh.files[file]
	if there {
		it.Diff = sharedDiff(sh.s.sharedMemory(sh.p, mem.Memory{}, n, ""), mm)
		if len(it.Diff) == 0 && mm.SharedIn(sh.place) {
			it.State = SharedSame
			return it, nil
		}
	}
	if sh.dryRun {
		return it, nil
	}
	was := mem.Note{File: file[len(sh.place):], Hash: n.Hash}
	note, err := sh.folder.Write(was, sharedChange(mm))
	if err != nil {
		return it, fmt.Errorf("write %s: %w", file, err)
	}
	note.File, note.State = file, sharedState(mm)
	b := mem.Batch{Edits: []mem.Edit{{ID: mm.ID, Note: &note}}}
	if by, ok := sh.linked[file]; ok && by.ID != mm.ID {
		b.Edits = append(b.Edits, mem.Edit{ID: by.ID, Note: &mem.Note{}})
	}
	if _, err := sh.s.Store.Apply(ctx, b); err != nil {
		return it, fmt.Errorf("store note of %s: %w", file, err)
	}
	return it, nil
}

// sharedChange returns what the file of a shared memory contains. Counters of use stay on this machine: they
// would conflict in git.
func sharedChange(mm mem.Memory) vaultfile.NoteChange {
	c := vaultfile.NoteChange{
		Whole: true, Description: &mm.Title, Type: new(string(mm.Kind)), Body: &mm.Body, Tags: mem.OwnTags(mm.Tags),
		Invariant: &mm.Invariant,
	}
	if c.Tags == nil {
		c.Tags = []string{}
	}
	return c
}

// ExportedNote returns the name and the content of a file with one memory, as in a vault.
func ExportedNote(mm mem.Memory) (file string, c vaultfile.NoteChange) {
	return "memory/" + string(mm.Kind) + "-" + slug(mm.Title) + fileSuffix(mm), noteChange(mm, true)
}

// remove deletes the files of the selected memories. A memory of the team is hidden with its file.
func (sh *sharing) remove(ctx context.Context, req ShareRequest, out *ShareResponse) error {
	if len(req.IDs) == 0 {
		return event.ErrNoText
	}
	ms, err := sh.selected(ctx, req)
	if err != nil {
		return err
	}
	for _, mm := range ms {
		if !mm.SharedIn(sh.place) || mm.Project != sh.p.Key {
			return fmt.Errorf("%s: it has no file in this repository: %w", mm.ID, ErrNotShareable)
		}
	}
	for _, mm := range ms {
		it := sh.item(mm)
		it.State = SharedRemoved
		out.Items = append(out.Items, it)
		if sh.dryRun {
			continue
		}
		if err := sh.folder.Erase(mm.Note.File[len(sh.place):]); err != nil {
			return fmt.Errorf("remove %s: %w", mm.Note.File, err)
		}
		ed := mem.Edit{ID: mm.ID, Note: &mem.Note{}}
		if mm.OfTeam() && mm.Status == mem.Active {
			ed.Status = new(mem.Forgotten)
		}
		if _, err := sh.s.Store.Apply(ctx, mem.Batch{Edits: []mem.Edit{ed}}); err != nil {
			return fmt.Errorf("store removal of %s: %w", mm.Note.File, err)
		}
	}
	return nil
}
