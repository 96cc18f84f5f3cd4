// A small and safe part of Markdown, as nodes: headings, lists, quotes, code,
// emphasis, links. No HTML and no pictures; what is not understood stays text.
// A link shows where it leads and is no link unless it is http or https.
import type { ComponentChildren, VNode } from "preact";

const INLINE = /(?<!`)(`+)(?!`)([\s\S]*?[^`])\1(?!`)|\*\*([^*\n]+)\*\*|(?<![\w*])\*([^*\n]+)\*(?!\w)|\[([^\]\n]{1,300})\]\(([^)\s]{1,2000})\)/g;

function inline(text: string): ComponentChildren[] {
  const out: ComponentChildren[] = [];
  let at = 0;
  for (const m of text.matchAll(INLINE)) {
    if (m.index > at) out.push(text.slice(at, m.index));
    at = m.index + m[0].length;
    if (m[2] !== undefined) out.push(<code>{m[2]}</code>);
    else if (m[3] !== undefined) out.push(<strong>{m[3]}</strong>);
    else if (m[4] !== undefined) out.push(<em>{m[4]}</em>);
    else out.push(<Link text={m[5] ?? ""} to={m[6] ?? ""} />);
  }
  if (at < text.length) out.push(text.slice(at));
  return out;
}

function Link({ text, to }: { text: string; to: string }) {
  if (!/^https?:\/\//i.test(to)) return <>{text} ({to})</>;
  return <><a href={to} target="_blank" rel="noreferrer noopener">{text}</a>{text !== to && <span class="muted"> ({to})</span>}</>;
}

/** Draws a text. Lines stay lines. */
export function Markdown({ text }: { text: string }) {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  const out: VNode[] = [];
  for (let i = 0; i < lines.length; ) {
    const line = lines[i]!;
    const fence = /^\s{0,3}(```+|~~~+)/.exec(line)?.[1];
    if (fence) {
      const end = lines.findIndex((l, n) => n > i && l.trim().startsWith(fence));
      const stop = end < 0 ? lines.length : end;
      out.push(<pre><code>{lines.slice(i + 1, stop).join("\n")}</code></pre>);
      i = stop + 1;
      continue;
    }
    const block = (test: RegExp): string[] => {
      const from = i;
      while (i < lines.length && test.test(lines[i]!)) i++;
      return lines.slice(from, i).map((l) => l.replace(test, ""));
    };
    const head = /^#{1,6}\s+(.*)$/.exec(line);
    if (head) {
      out.push(<p class="md-head" dir="auto">{inline(head[1]!)}</p>);
      i++;
    } else if (/^\s*[-*+]\s+/.test(line)) out.push(<ul dir="auto">{block(/^\s*[-*+]\s+/).map((l) => <li>{inline(l)}</li>)}</ul>);
    else if (/^\s*\d{1,9}[.)]\s+/.test(line)) {
      const from = i; // each keeps its number: a text may begin with the third, or a line with a year
      out.push(<ol dir="auto">{block(/^\s*\d{1,9}[.)]\s+/).map((l, n) => <li value={parseInt(lines[from + n]!)}>{inline(l)}</li>)}</ol>);
    } else if (/^\s{0,3}>\s?/.test(line)) out.push(<blockquote dir="auto">{inline(block(/^\s{0,3}>\s?/).join("\n"))}</blockquote>);
    else if (line.trim() === "") i++;
    else {
      const from = i;
      do i++; while (i < lines.length && lines[i]!.trim() !== "" && !/^\s{0,3}(#{1,6}\s|[-*+]\s|\d{1,9}[.)]\s|>|```|~~~)/.test(lines[i]!));
      out.push(<p dir="auto">{inline(lines.slice(from, i).join("\n"))}</p>);
    }
  }
  return <div class="md">{out}</div>;
}
