// The same as a page, on the command line.
import { project } from "./api";
import type { Typed } from "./syntax";

// What a shell would act on, and what a terminal would: text of memories stands in these lines.
const quoted = (s: string): string => {
  const plain = s.replace(/\p{Cc}/gu, " ");
  return /^[\w@%+=:,./-]+$/.test(plain) ? plain : `'${plain.replaceAll("'", `'\\''`)}'`;
};

/** A line that a shell takes as it is meant. */
export const command = (...words: string[]): string => ["remanence", ...words].map(quoted).join(" ");

/** The same about the project that is chosen. */
export const commandHere = (...words: string[]): string => command(...words, "--project", project.value || "all");

const FLAGS: Record<string, string> = { kind: "--kind", file: "--file", tag: "--tag", agent: "--agent", branch: "--branch", after: "--since", before: "--until" };

/** A search with its filters, as far as the command line has them. */
export function searchCommand(t: Typed): string {
  const own = t.filters.find((f) => f.key === "project")?.value;
  const flags = t.filters.flatMap((f) => (FLAGS[f.key] ? [FLAGS[f.key]!, f.value] : []));
  return command("search", ...flags, "--project", own ?? (project.value || "all"), ...(t.text ? ["--", t.text] : []));
}
