package views

import "slices"

// Each response that lists rows implements api.List: Head returns its first rows, for a reader who takes no more.

// Rows returns the number of sessions.
func (r SessionsResponse) Rows() int { return len(r.Sessions) }

// Head returns the first n sessions. Total says that there are more.
func (r SessionsResponse) Head(n int) any {
	r.Sessions = r.Sessions[:n]
	return r
}

// Rows returns the number of receipts.
func (r ReceiptsResponse) Rows() int { return len(r.Receipts) }

// Head returns the first n receipts.
func (r ReceiptsResponse) Head(n int) any {
	r.Receipts, r.More = r.Receipts[:n], true
	return r
}

// Rows returns the number of prompts.
func (r PromptsResponse) Rows() int { return len(r.Prompts) }

// Head returns the first n prompts.
func (r PromptsResponse) Head(n int) any {
	r.Prompts, r.More = r.Prompts[:n], true
	return r
}

// Rows returns the number of files.
func (r FileTree) Rows() int { return len(r.Files) }

// Head returns the first n files. Total says that there are more.
func (r FileTree) Head(n int) any {
	r.Files = r.Files[:n]
	return r
}

// Rows returns the number of entries.
func (r FeedResponse) Rows() int { return len(r.Entries) }

// Head returns the first n entries.
func (r FeedResponse) Head(n int) any {
	r.Entries, r.More = r.Entries[:n], true
	return r
}

// Rows returns the number of entries.
func (r TimelineResponse) Rows() int { return len(r.Entries) }

// Head returns n entries around the anchor, or around the middle if it is none of them. Those beside them are read with
// the first or the last one as the anchor.
func (r TimelineResponse) Head(n int) any {
	at := slices.IndexFunc(r.Entries, func(e TimelineEntry) bool { return e.ID == r.Anchor })
	if at < 0 {
		at = len(r.Entries) / 2
	}
	from := min(max(0, at-n/2), len(r.Entries)-n)
	r.Entries, r.More = r.Entries[from:from+n], true
	return r
}

// Rows returns the number of sessions.
func (r SessionUsesResponse) Rows() int { return len(r.Sessions) }

// Head returns the newest n sessions, and the uses among them.
func (r SessionUsesResponse) Head(n int) any {
	from := len(r.Sessions) - n
	r.Sessions, r.Cut, r.Next = r.Sessions[from:], true, r.Sessions[from].offset+1
	known := make(map[string]bool, n)
	for _, s := range r.Sessions {
		known[s.ID] = true
	}
	r.Uses = slices.DeleteFunc(slices.Clone(r.Uses), func(u SessionUse) bool { return !known[u.From] || !known[u.To] })
	return r
}

// Rows returns the number of days, each of one project.
func (r RecapResponse) Rows() int { return len(r.Days) }

// Head returns the newest n days, without a day of which projects would be missing unless it is the only one. Those
// before them are read with the first one as Until.
func (r RecapResponse) Head(n int) any {
	from := len(r.Days) - n
	for i := max(1, from); i < len(r.Days); i++ {
		if r.Days[i].Day != r.Days[i-1].Day {
			from = i
			break
		}
	}
	r.Days, r.Cut = r.Days[from:], true
	return r
}

// Rows returns the number of entries.
func (r SessionStory) Rows() int { return len(r.Entries) }

// Head returns the newest n entries. All are read by POST.
func (r SessionStory) Head(n int) any {
	r.Entries, r.Cut = r.Entries[len(r.Entries)-n:], r.Cut+len(r.Entries)-n
	return r
}

// Rows returns the number of memories.
func (r FilePage) Rows() int { return len(r.Memories) }

// Head returns the newest n memories, and as many sessions. All are read by POST.
func (r FilePage) Head(n int) any {
	r.Memories, r.Sessions, r.More = r.Memories[:n], r.Sessions[:min(n, len(r.Sessions))], true
	return r
}

// Rows returns the number of memories.
func (r ShowResponse) Rows() int { return len(r.Memories) }

// Head returns the first n memories that were asked for. All are read by POST.
func (r ShowResponse) Head(n int) any {
	r.Memories, r.More = r.Memories[:n], true
	return r
}
