// A session's swim-lanes: what happened, along time, one lane for each sort. Long silences are cut short and say so.
import type { StoryEntry } from "../lib/model";
import { exact, span } from "../lib/format";
import { useWidth } from "../lib/width";
import { p } from "../strings/pages";

const t = p.session;
export const lanes = ["prompt", "tool", "edit", "test", "compaction", "injection", "checkpoint", "memory"];

const ROW = 20, LABEL = 92, AXIS = 18, SMALL = 11; // pixels; two events are at least SMALL apart
const SILENCE = 30 * 60_000, BREAK = 34; // a silence of that many milliseconds is drawn that many pixels wide

/** Where events stand, in pixels from the first one: by their time, but far enough apart to be seen as two. */
export function placed(times: readonly number[], room: number): { x: number[]; breaks: { x: number; ms: number }[] } {
  const gaps = times.slice(1).map((t, i) => t - times[i]!);
  const work = gaps.reduce((n, g) => n + (g < SILENCE ? g : 0), 0), silent = gaps.filter((g) => g >= SILENCE).length;
  const free = Math.max(0, room - silent * BREAK - (gaps.length - silent) * SMALL);
  const x = [0], breaks: { x: number; ms: number }[] = [];
  for (const g of gaps) {
    const at = x.at(-1)!;
    if (g >= SILENCE) breaks.push({ x: at + BREAK / 2, ms: g });
    x.push(at + (g >= SILENCE ? BREAK : SMALL + (work > 0 ? (free * g) / work : free / Math.max(1, gaps.length - silent))));
  }
  return { x, breaks };
}

/** A window of events around a point. The arrow keys walk it. */
export function Lanes({ entries, at, choose }: { entries: StoryEntry[]; at: number; choose: (i: number) => void }) {
  const [box, width] = useWidth<HTMLDivElement>(800);
  const used = lanes.filter((l) => entries.some((b) => b.lane === l));
  const wide = Math.max(8 * SMALL, width.value - LABEL - 2 * SMALL);
  const all = placed(entries.map((b) => Date.parse(b.at)), wide), end = all.x.at(-1) ?? 0;
  const shift = Math.min(Math.max(0, (all.x[at] ?? 0) - wide * 0.7), Math.max(0, end - wide)); // what is left of the window
  const x = (i: number): number => LABEL + SMALL + (all.x[i] ?? 0) - shift;
  const inside = (px: number): boolean => px >= LABEL && px <= width.value;
  const height = used.length * ROW + AXIS;
  const short = Date.parse(entries.at(-1)?.at ?? "") - Date.parse(entries[0]?.at ?? "") < 600_000; // the axis shows seconds
  let labelled = -Infinity, last = "";
  const step = (by: number) => choose(Math.min(Math.max(0, at + by), entries.length - 1));
  return (
    <div ref={box} class="lanes" role="slider" tabIndex={0} aria-label={t.lanesLabel} aria-valuemin={1} aria-valuemax={entries.length} aria-valuenow={at + 1}
      aria-valuetext={entries[at] ? `${t.lane[entries[at].lane]}: ${entries[at].title}` : ""} data-testid="lanes"
      onKeyDown={(e) => {
        const by = { ArrowRight: 1, ArrowLeft: -1, ArrowUp: 1, ArrowDown: -1, PageUp: 20, PageDown: -20, Home: -entries.length, End: entries.length }[e.key];
        if (by) { e.preventDefault(); step(by); }
      }}>
      <svg width={width.value} height={height} aria-hidden="true">
        {used.map((l, row) => (
          <g key={l}>
            <text x={0} y={row * ROW + 14} class="lane-label">{t.lane[l]}</text>
            <line x1={LABEL} x2={width.value} y1={row * ROW + 10.5} y2={row * ROW + 10.5} class="lane-line" />
          </g>
        ))}
        {all.breaks.filter((b) => inside(LABEL + SMALL + b.x - shift)).map((b) => {
          const mid = LABEL + SMALL + b.x - shift;
          return (
            <g key={b.x} class="lane-break"><rect x={mid - 8} y={0} width={16} height={height - AXIS}><title>{t.silent(span(b.ms))}</title></rect>
              <text x={mid} y={height - 4} text-anchor="middle" class="lane-label">{span(b.ms)}</text></g>
          );
        })}
        <line class="lane-at" x1={x(at)} x2={x(at)} y1={0} y2={height - AXIS} />
        {entries.map((b, i) => {
          const row = used.indexOf(b.lane), mid = x(i), y = row * ROW;
          if (!inside(mid)) return null;
          const near = all.breaks.some((g) => Math.abs(LABEL + SMALL + g.x - shift - mid) < 48);
          const time = exact(b.at).slice(11, short ? 19 : 16), tick = mid - labelled > 84 && mid < width.value - 30 && !near && time !== last ? time : "";
          if (tick) { labelled = mid; last = time; }
          return (
            <g key={b.lane + b.id + i} class={"beat l-" + b.lane + (b.failed ? " failed" : "")} onClick={() => choose(i)}>
              <rect x={mid - SMALL / 2} y={0} width={SMALL} height={height - AXIS} class="beat-room"><title>{b.title}</title></rect>
              {tick && <text x={mid} y={height - 4} text-anchor="middle" class="lane-label">{tick}</text>}
              {b.failed ? <path d={`M${mid - 3.5} ${y + 6}l7 9m0 -9l-7 9`} class="beat-cross" />
                : <rect x={mid - 3.5} y={y + (b.lane === "prompt" ? 3 : 6)} width={7} height={b.lane === "prompt" ? 15 : 9} class="beat-mark" />}
            </g>
          );
        })}
      </svg>
    </div>
  );
}

/** All of the session in one strip, with the point in it. */
export function EntryOverview({ entries, at }: { entries: StoryEntry[]; at: number }) {
  const used = lanes.filter((l) => entries.some((b) => b.lane === l));
  const n = Math.max(1, entries.length);
  return (
    <svg class="minimap" viewBox={`0 0 ${n} ${used.length}`} preserveAspectRatio="none" role="img" aria-label={t.overview}>
      {entries.map((b, i) => <rect key={i} class={"beat-mark l-" + b.lane} x={i} y={used.indexOf(b.lane)} width={Math.max(1, n / 600)} height={1} />)}
      <rect class="minimap-at" x={at} y={0} width={Math.max(1, n / 300)} height={used.length} />
    </svg>
  );
}
