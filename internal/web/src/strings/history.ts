// The texts of the pages on what was done, who wrote a line, and what belongs into AGENTS.md.
import { count, many } from "../lib/format";

export const rc = {
  title: "Recap",
  period: "Since",
  since: { yesterday: "yesterday", "7d": "7 days", "30d": "30 days" } as Record<string, string>,
  none: "Nothing was done since then.",
  noneNote: "A recap lists what came of sessions, what was decided, what is open, what failed, and commits and files.",
  cut: "The period holds more than one recap reads: choose fewer days.",
  copy: "Copy as Markdown",
  save: "Save as page",
  file: (day: string) => `recap-${day}.html`,
  sessions: (n: number) => many(n, "session"),
  parts: { outcomes: "Done", decisions: "Decided", open: "Open", failures: "Failed", commits: "Commits", files: "Files" },
  times: (n: number) => `${count(n)} times`,
  fixedAfter: (s: number, fix: string) => s >= 60 ? `fixed after ${Math.floor(s / 60)} min: ${fix}` : `fixed: ${fix}`,
  worksNow: "works now",
  stillFails: "did not work later that day",
  more: (n: number) => `${count(n)} more`,
};

export const bl = {
  title: "Lines",
  choose: "Choose a project: lines belong to a file of one project.",
  noFile: "No file is named.",
  noFileNote: "Open a file in the list of files, and there its lines.",
  known: (n: number, of: number) => `${count(n)} of ${many(of, "line")} were written in a known session.`,
  file: "What is remembered of the file",
  files: "All files",
  next: (from: number) => `Lines from ${count(from)} on`,
  first: "From the first line",
  uncommitted: "not committed",
  git: "before Remanence, or outside of an agent",
  prompt: "prompt",
  byCommit: "made the commit",
  byTrailer: "named by the commit",
  hidden: "These lines are not shown: something that spans several of them was redacted.",
  lines: (from: number, to: number) => from === to ? `Line ${count(from)}` : `Lines ${count(from)} to ${count(to)}`,
  show: "Who wrote which lines",
};

export const pr = {
  title: "Propose",
  choose: "Choose a project: lines are proposed for the file of one project.",
  lead: (n: number, file: string) => `${many(n, "line")} for ${file}`,
  none: (file: string) => `Nothing to propose for ${file}.`,
  noneNote: (sessions: number) => `A line is proposed if you said it, or if it was injected and used, in ${many(sessions, "session")} or more.`,
  known: (n: number) => `${many(n, "statement")} with enough evidence stand in the file already.`,
  said: (n: number) => `said ${many(n, "time")}`,
  injected: (n: number) => `injected ${many(n, "time")}`,
  used: (n: number) => `used ${many(n, "time")}`,
  in: "in",
  memories: "Memories",
  contradicted: "Contradicted lines",
  contradictedNote: "You said otherwise later. The file is not changed for it.",
  line: (n: number) => `Line ${count(n)}`,
  diff: "The change",
  diffNote: "Nothing is written by this page. To apply it, run this in the project; it asks before it writes:",
  leftOut: "Left out",
  why: {
    secret: "it holds a secret or private text", long: "it is too long for a line", contradicted: "you said otherwise later",
    disputed: "an agent reported it as wrong",
  } as Record<string, string>,
  apart: (other: string, file: string) => `${other} does not import ${file}, so an agent that reads only one of them misses the other.`,
};

export const ef = {
  title: "Does it help?",
  aside: "Sessions with and without a use of memory, 90 days",
  sessions: (used: number, given: number, none: number) => `${many(used, "session")} used memory, ${count(given)} were given some without a use that was seen, ${count(none)} were given none.`,
  none: "No session with a prompt began in these days.",
  table: "Sessions with and without a use of memory",
  heads: { what: "measure", used: "memory used", others: "others", says: "what the numbers carry" },
  verdict: {
    too_few: "too few sessions to compare (20 on each side)", chance: "no difference that these sessions show", less: "less where memory was used", more: "more where memory was used",
  } as Record<string, string>,
  between: (low: string, high: string) => `${low} to ${high}, 95 %`,
  of: (part: number, of: number) => `${count(part)} of ${count(of)}`,
  mean: (n: number) => `mean of ${many(n, "session")}`,
  method: "How it is counted",
  limits: "What it does not show",
};
