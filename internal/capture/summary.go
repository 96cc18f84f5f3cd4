package capture

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/mem"
	"remanence/internal/rank"
	"remanence/internal/shell"
)

// summarize returns the summary of a turn. While a background command runs there is
// none: the turn that reports its outcome completes it.
func (s *Service) summarize(ctx context.Context, t turn, found []mem.Memory) (sum mem.Memory, ok bool, err error) {
	asked := t.Turn
	if asked.Number == 0 {
		if asked, ok, err = s.turnLeftRunning(ctx, t.Context); err != nil || !ok {
			return sum, false, err
		}
	}
	read, commits, made, err := s.filesAndCommits(ctx, t.Context)
	if err != nil {
		return sum, false, err
	}
	if t.Background > 0 || len(t.did) == 0 && len(found)+len(commits) == 0 && extract.IsTrivial(asked.Text, t.Text) {
		return sum, false, nil
	}
	mm := t.NewMemory(mem.Summary, mem.ScopeProject)
	mm.Key = "turn:" + cmp.Or(asked.PromptID, t.PromptID, t.ID)
	mm.Summary, mm.Commits = t.summaryParts(asked, found, read, commits), made
	if t.StopActive {
		if err := s.continueSummary(ctx, t.Context, mm); err != nil {
			return sum, false, err
		}
	}
	for _, o := range t.did {
		if o.Kind == mem.Change && len(o.Files) > 0 {
			mm.Files = extract.AppendNew(mm.Files, o.Files[0], 8)
		}
	}
	mm.Modified = mm.Files
	setSummaryTexts(&mm)
	mm.Trust, mm.Origin = extract.CapTrust(min(mem.TrustAssistant, t.Turn.Trust, asked.Trust), t.did), mem.FromAssistant
	mm.Tags = []string{extract.SummaryTag}
	return mm, mm.Title != "", nil
}

// maxOutcome is the length of the title of a summary, in characters: a line of a briefing.
const maxOutcome = 120

// setSummaryTexts sets the title and the body of a summary from its parts: what came of
// the work. Where nothing is known of that, the title is empty and there is no summary.
func setSummaryTexts(mm *mem.Memory) {
	mm.Title = extract.WholeTitle(cmp.Or(mm.Summary.Completed, mm.Summary.Learned), maxOutcome)
	mm.Body = chars.Clip(mm.Summary.Completed, extract.MaxStatement)
}

// continueSummary adds the earlier summary of a turn that continued after its end.
func (s *Service) continueSummary(ctx context.Context, ec event.Context, mm mem.Memory) error {
	old, err := s.Store.List(ctx, mem.Query{
		Project: ec.Project.Key, Session: ec.Session, PromptID: ec.PromptID, Kinds: []mem.Kind{mem.Summary}, Limit: 5,
	})
	if err != nil {
		return fmt.Errorf("summary so far: %w", err)
	}
	i := slices.IndexFunc(old, func(o mem.Memory) bool { return o.Key == mm.Key && o.Summary != nil })
	if i < 0 {
		return nil
	}
	was, parts := old[i].Summary, mm.Summary
	parts.Completed = extract.JoinPart(was.Completed, parts.Completed)
	parts.Learned = extract.JoinPart(was.Learned, parts.Learned)
	parts.Investigated = cmp.Or(parts.Investigated, was.Investigated)
	parts.NextSteps = cmp.Or(parts.NextSteps, was.NextSteps)
	return nil
}

// turnLeftRunning returns the user's newest turn if a background command ran when it
// stopped. The event's turn, which no user began, reports its outcome.
func (s *Service) turnLeftRunning(ctx context.Context, ec event.Context) (mem.Turn, bool, error) {
	if ec.Turn.PromptID == "" {
		return mem.Turn{}, false, nil
	}
	turns, err := s.Store.Turns(ctx, ec.Session, 20)
	if err != nil {
		return mem.Turn{}, false, fmt.Errorf("turns: %w", err)
	}
	i := slices.IndexFunc(turns, func(t mem.Turn) bool { return t.Number > 0 })
	if i < 0 || turns[i].Private || turns[i].PromptID == ec.Turn.PromptID {
		return mem.Turn{}, false, nil
	}
	stops, err := s.Store.Events(ctx, mem.EventQuery{
		Session: ec.Session, PromptID: turns[i].PromptID, Kinds: []mem.EventKind{mem.Stop}, Limit: 1,
	})
	if err != nil {
		return mem.Turn{}, false, fmt.Errorf("end of the turn: %w", err)
	}
	return turns[i], len(stops) > 0 && stops[0].Background > 0, nil
}

// filesAndCommits returns the files that the turn read, the commits that it made as "abc1234: subject", or as the
// subject alone where git printed none, and those of them that it made in the project's repository, all oldest first.
func (s *Service) filesAndCommits(ctx context.Context, ec event.Context) (read, commits []string, made []mem.Commit,
	err error,
) {
	for _, of := range []struct {
		tool string
		most int
	}{{mem.ToolRead, maxReads}, {mem.ToolShell, maxCalls}} {
		events, err := s.Store.Events(ctx, mem.EventQuery{
			Session: ec.Session, PromptID: ec.PromptID, Kinds: []mem.EventKind{mem.PostToolUse}, Tool: of.tool,
			Limit: of.most,
		})
		if err != nil {
			return nil, nil, nil, fmt.Errorf("%s calls of the turn: %w", of.tool, err)
		}
		for _, ev := range slices.Backward(events) {
			c := s.Event.ReadCall(ev, ec.Project)
			read = extract.AppendNew(read, c.File, 5)
			reported := extract.Commits(c.Command, c.Output)
			for _, r := range reported {
				commits = extract.AppendNew(commits, r.Hash+": "+r.Subject, maxCommits)
			}
			if subject, ok := extract.QuietCommit(c.Command, c.Output); ok && subject != "" {
				commits = extract.AppendNew(commits, subject, maxCommits)
			}
			made = append(made, s.Event.MadeCommits(ev, reported, ec.Project)...)
		}
	}
	return extract.TrustedNames(read), commits, made, nil
}

// Bounds of a turn's summary.
const (
	maxReads   = 30  // newest reads that are looked at
	maxCalls   = 200 // newest commands that are looked at for commits
	maxCommits = 3   // commits that are named
)

// summaryParts returns the parts of a turn's summary. asked is the turn with the user's
// prompt, read are the files that the turn read, commits those that it made.
func (t turn) summaryParts(asked mem.Turn, found []mem.Memory, read, commits []string) *mem.SummaryText {
	s := &mem.SummaryText{}
	if !extract.Agrees(asked.Text) {
		s.Request = chars.Clip(extract.Request(asked.Text), extract.MaxPartOfTurn)
	}
	var done, tried, changed, learned, next []string
	for _, c := range commits {
		done = append(done, extract.CommittedPrefix+c)
	}
	opening := t.outcome(asked, found, commits)
	if opening != "" {
		done = append(done, extract.WholeTitle(opening, extract.MaxPartOfTurn))
	}
	for _, o := range t.did {
		switch o.Kind {
		case mem.Change:
			changed = extract.AppendNew(changed, extract.First(o.Files), 8)
		case mem.Command:
			tried = append(tried, chars.Clip(o.Title, 120))
			fixed := slices.ContainsFunc(t.did, func(d mem.Memory) bool {
				return d.Kind == mem.ErrorFix && d.Command == o.Command
			})
			if len(done) == 0 && o.ExitCode != 0 && o.Resolved && !fixed && !shell.UsageError(o.Body) {
				done = extract.AppendNew(done, "`"+chars.Clip(o.Command, extract.MaxFixError)+"`"+extract.WorksNowSuffix, 8)
			}
		case mem.ErrorFix:
			if shell.UsageError(o.Title) { // the fix is a memory of its own, and nothing of the work
				continue
			}
			done = extract.AppendNew(done, fixSummary(o), 8)
		}
	}
	if len(changed) > 0 {
		done = append(done, extract.ChangedPrefix+strings.Join(shortNames(changed), ", "))
	}
	if len(read) > 0 {
		tried = append([]string{"read " + strings.Join(read, ", ")}, tried...)
	}
	for _, k := range found {
		switch {
		case k.Kind == mem.Todo:
			next = append(next, chars.Clip(k.Title, 160))
		case k.Title != opening:
			learned = append(learned, chars.Clip(k.Title, 160))
		}
	}
	s.Investigated = strings.Join(tried[:min(len(tried), 3)], "; ")
	s.Completed = extract.JoinParts(done[:min(len(done), 4)])
	s.Learned = strings.Join(learned[:min(len(learned), 3)], " ")
	s.NextSteps = extract.JoinParts(next[:min(len(next), 2)])
	return s
}

// outcome returns what the answer says came of the turn's work; empty if it says nothing of it. The answer to a request
// for a commit repeats the work or speaks of git, which the commits say better.
func (t turn) outcome(asked mem.Turn, found []mem.Memory, commits []string) string {
	if extract.AsksToCommit(asked.Text) {
		return ""
	}
	opening := extract.Opening(t.Text)
	if plan := extract.PlanTitle(asked.Text); plan != "" && t.facts().Changed {
		opening = extract.PlannedPrefix + plan
		change, _ := t.change()
		if room := extract.MaxPartOfTurn - len([]rune(opening)) - 2; room >= extract.MinStatement {
			change = extract.WholeTitle(withoutFile(change), room)
			if extract.SaysEdit(change) {
				opening = extract.JoinParts([]string{opening, change})
			}
		}
	}
	i := slices.IndexFunc(found, func(f mem.Memory) bool { return f.Kind != mem.Todo })
	if opening == "" && i >= 0 {
		opening = found[i].Title
	}
	opening = cmp.Or(opening, extract.OpeningItem(t.Text))
	if len(commits) > 0 && extract.ReportsCommit(opening) {
		return ""
	}
	return t.changeOrProblem(withoutCommitted(opening, strings.Join(commits, "; ")))
}

// fixSummary returns the text about a fix in the summary of a turn. The memory of the fix says how it was done.
func fixSummary(fix mem.Memory) string {
	if fix.Command == "" {
		return chars.Clip(fix.Title, 120)
	}
	return extract.FixedPrefix + "`" + chars.Clip(fix.Command, extract.MaxFixError) + "`"
}

// shortNames returns the last two elements of each path; the memory has the whole paths.
func shortNames(files []string) []string {
	out := make([]string, len(files))
	for i, f := range files {
		dir, name := path.Split(f)
		out[i] = path.Join(path.Base(dir), name)
	}
	return out
}

// byWeight orders the summaries of turns, oldest first, by what a summary of the session says of them: those that made
// commits, the turn that changed most files, or taught something if none did, and then the others, newest first.
func byWeight(turns []mem.Memory) []mem.Memory {
	weight := func(m mem.Memory) int { return 2*len(m.Files) + min(1, len(m.Summary.Learned)) }
	out := slices.Clone(turns)
	slices.Reverse(out)
	for i, m := range out {
		if weight(m) > weight(out[0]) {
			out = slices.Insert(slices.Delete(out, i, i+1), 0, m)
		}
	}
	slices.SortStableFunc(out, func(a, b mem.Memory) int { return committed(b) - committed(a) })
	return out
}

// committed is 1 for the summary of a turn that made a commit, else 0.
func committed(sum mem.Memory) int {
	if strings.HasPrefix(sum.Summary.Completed, extract.CommittedPrefix) {
		return 1
	}
	return 0
}

// worked reports whether a turn changed, committed, found or explained something, by its summary.
func worked(sum mem.Memory) bool {
	return len(sum.Files) > 0 || sum.Summary.Learned != "" || committed(sum) > 0 || extract.Explains(sum.Summary.Completed)
}

// withoutCommitted is an outcome without the title of the plan that it begins with, if commits say the same.
func withoutCommitted(outcome, commits string) string {
	plan, ok := strings.CutPrefix(outcome, extract.PlannedPrefix)
	if !ok || commits == "" {
		return outcome
	}
	title, rest, _ := strings.Cut(plan, "; ")
	if terms := rank.Terms(title); 2*extract.CountShared(terms, rank.Terms(commits)) >= len(terms) {
		return rest
	}
	return outcome
}

// SessionSummary returns a summary of the session, made from the trusted summaries of
// its turns. A session of one turn gets none.
func (s *Service) SessionSummary(ctx context.Context, ec event.Context) (event.Changes, error) {
	all, err := s.Store.List(ctx, mem.Query{
		Project: ec.Project.Key, Session: ec.Session, Kinds: []mem.Kind{mem.Summary}, MinTrust: mem.TrustAssistant,
		Within: ec.Session, Limit: 50,
	})
	if err != nil {
		return event.Changes{}, fmt.Errorf("summaries of the session: %w", err)
	}
	var turns []mem.Memory
	mm := ec.NewMemory(mem.Summary, mem.ScopeSession)
	mm.Trust, mm.Origin = mem.TrustAssistant, mem.FromAssistant
	for _, sum := range all { // newest first
		switch {
		case sum.Summary == nil:
		case strings.HasPrefix(sum.Key, extract.SessionKey):
			mm.Supersedes = cmp.Or(mm.Supersedes, sum.ID)
		default:
			turns = append(turns, sum)
		}
	}
	if len(turns) < 2 {
		return event.Changes{}, nil
	}
	slices.Reverse(turns)
	last := turns[len(turns)-1]
	parts := mem.SummaryText{Request: ec.SessionInfo.FirstPrompt} // its turn may have no summary
	anyWork := slices.ContainsFunc(turns, worked)
	for _, t := range byWeight(turns) {
		if worked(t) || !anyWork {
			parts.Completed = extract.JoinPart(parts.Completed, withoutCommitted(t.Summary.Completed, parts.Completed))
		}
		parts.Investigated = extract.JoinPart(parts.Investigated, t.Summary.Investigated)
		parts.Learned = extract.JoinPart(parts.Learned, t.Summary.Learned)
	}
	for _, t := range turns {
		mm.Confidence = max(mm.Confidence, t.Confidence)
		for _, f := range t.Files {
			mm.Files = extract.AppendNew(mm.Files, f, 8)
		}
	}
	for _, t := range turns {
		parts.Request = cmp.Or(parts.Request, t.Summary.Request)
	}
	parts.NextSteps = last.Summary.NextSteps
	mm.Modified, mm.Summary = mm.Files, &parts
	setSummaryTexts(&mm)
	mm.Tags, mm.Key = []string{extract.SummaryTag}, extract.SessionKey+last.Key
	if mm.Title == "" {
		return event.Changes{}, nil
	}
	return event.Changes{Memories: []mem.Memory{mm}}, nil
}
