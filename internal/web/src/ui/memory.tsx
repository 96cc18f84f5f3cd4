// How a memory is shown wherever it stands.
import type { ComponentChildren } from "preact";
import type { Memory } from "../lib/model";
import { p } from "../strings/pages";
import { Tag } from "./parts";

/** The words on how a memory stands: pinned, stale, from tool output … */
export function States({ of: m, stale }: { of: Memory; stale?: string | undefined }) {
  return (
    <>
      {m.pinned && <Tag>{p.memory.pinned}</Tag>}
      {m.kind === "todo" && !m.resolved && <Tag tone="warn">{p.memory.open}</Tag>}
      {stale && <Tag tone="warn">{p.memory.stale[stale] ?? stale}</Tag>}
      {m.trust < "L2" && <Tag tone={m.trust === "L0" ? "warn" : "plain"}>{p.search.trust[m.trust]}</Tag>}
      {m.status === "forgotten" && <Tag tone="bad">{p.memory.forgottenTag}</Tag>}
      {m.status !== "active" && m.status !== "forgotten" && <Tag>{m.status === "superseded" ? p.memory.supersededTag : m.status}</Tag>}
    </>
  );
}

/** A text with parts of it marked; spans are from and to in UTF-16 units, ascending. */
export function Marked({ text, spans }: { text: string; spans: [number, number][] | undefined }) {
  const out: ComponentChildren[] = [];
  let at = 0;
  for (const [from, to] of spans ?? []) {
    if (from < at || to > text.length || to <= from) continue;
    out.push(text.slice(at, from), <mark>{text.slice(from, to)}</mark>);
    at = to;
  }
  out.push(text.slice(at));
  return <>{out}</>;
}
