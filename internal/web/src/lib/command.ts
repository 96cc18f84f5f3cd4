// The command line that shows the same as a page.
import { project } from "./api";
import type { Typed } from "./syntax";

// Quotes for a shell and removes control characters: these lines contain text of memories.
const quoted = (s: string): string => {
  const plain = s.replace(/\p{Cc}/gu, " ");
  return /^[\w@%+=:,./-]+$/.test(plain) ? plain : `'${plain.replaceAll("'", `'\\''`)}'`;
};

/** A command line, quoted for a shell. */
export const command = (...words: string[]): string => ["remanence", ...words].map(quoted).join(" ");

/** The same, for the chosen project. */
export const commandHere = (...words: string[]): string => command(...words, "--project", project.value || "all");

const FLAGS: Record<string, string> = { kind: "--kind", file: "--file", tag: "--tag", agent: "--agent", branch: "--branch", after: "--since", before: "--until" };

/** The command for a search, with the filters that the command line has. */
export function searchCommand(t: Typed): string {
  const own = t.filters.find((f) => f.key === "project")?.value;
  const flags = t.filters.flatMap((f) => (FLAGS[f.key] ? [FLAGS[f.key]!, f.value] : []));
  return command("search", ...flags, "--project", own ?? (project.value || "all"), ...(t.text ? ["--", t.text] : []));
}
