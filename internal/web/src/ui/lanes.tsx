// A session's swim-lanes: what happened, in order, one lane for each sort.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { StoryEntry } from "../lib/model";
import { p } from "../strings/pages";

const t = p.session;
export const lanes = ["prompt", "tool", "edit", "test", "compaction", "injection", "checkpoint", "memory"];

const ROW = 20, LABEL = 92, SMALL = 11, LARGE = 30; // pixels; an event is SMALL to LARGE wide

/** A window of events around a point. The arrow keys walk it. */
export function Lanes({ entries, at, choose }: { entries: StoryEntry[]; at: number; choose: (i: number) => void }) {
  const box = useRef<HTMLDivElement>(null);
  const width = useSignal(800);
  useEffect(() => {
    const el = box.current;
    if (!el) return;
    const watch = new ResizeObserver(() => (width.value = el.clientWidth));
    watch.observe(el);
    return () => watch.disconnect();
  }, []);
  const used = lanes.filter((l) => entries.some((b) => b.lane === l));
  const wide = width.value - LABEL - 4;
  const cell = Math.min(LARGE, Math.max(SMALL, wide / Math.max(1, entries.length)));
  const room = Math.max(8, Math.floor(wide / cell + 1e-6));
  const from = Math.min(Math.max(0, at - Math.floor(room * 0.7)), Math.max(0, entries.length - room));
  const shown = entries.slice(from, from + room);
  const height = used.length * ROW + 4;
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
        <line class="lane-at" x1={LABEL + (at - from + 0.5) * cell} x2={LABEL + (at - from + 0.5) * cell} y1={0} y2={height} />
        {shown.map((b, i) => {
          const row = used.indexOf(b.lane), x = LABEL + i * cell, mid = x + cell / 2, y = row * ROW;
          return (
            <g key={b.lane + b.id + i} class={"beat l-" + b.lane + (b.failed ? " failed" : "")} onClick={() => choose(from + i)}>
              <rect x={x} y={0} width={cell} height={height} class="beat-room"><title>{b.title}</title></rect>
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
