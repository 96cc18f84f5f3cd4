// What lies around a memory or a name: a picture, and the same as lists.
import { useMemo } from "preact/hooks";
import { get, project } from "../lib/api";
import { command } from "../lib/command";
import { percent, words } from "../lib/format";
import { useRows } from "../lib/keys";
import type { StatusResponse } from "../lib/model";
import type { Graph as Data, GraphNode } from "../lib/model_upkeep";
import { useResource } from "../lib/resource";
import { query, setQuery } from "../lib/router";
import { gr } from "../strings/places";
import { Ago, Empty, Facet, Head, Kind, Loaded, Table } from "../ui/parts";

const least = 30;

export default function Graph() {
  const id = query.value.get("id") ?? "", depth = query.value.get("depth") === "2" ? 2 : 1;
  const params = { project: project.value, id, depth };
  const status = useResource((a) => get<StatusResponse>("status", { project: project.value }, a), []);
  const graph = useResource((a) => get<Data>("related", params, a), [id, depth], (e) => e.type === "changed");
  const center = graph.data?.nodes.find((n) => n.id === graph.data?.center);
  const few = !id && (status.data?.stats.memories ?? 0) < least;
  return (
    <>
      <Head title={center ? gr.around(center.name) : gr.title} name={gr.title} command={id ? command("show", id) : command("stats", "--by", "kind")} json="related" params={params}>
        {(graph.data?.nodes.length ?? 0) > 0 && !few && <Facet title={gr.depth} values={[{ value: "1" }, { value: "2" }]} chosen={String(depth)} choose={(d) => setQuery({ depth: d === "2" ? "2" : "" })} />}
      </Head>
      <Loaded of={status}>{(s) => few ? <Empty title={gr.few(s.stats.memories, least)}><p class="muted">{gr.fewNote}</p><p><a href="/memories">{gr.fewList}</a></p></Empty> : (
        <Loaded of={graph}>{(d) => d.nodes.length === 0 ? <Empty title={gr.none}><p class="muted">{gr.noneNote}</p></Empty> : <Full of={d} />}</Loaded>
      )}</Loaded>
    </>
  );
}

const at = (n: GraphNode): string => `/map?id=${encodeURIComponent(n.id)}`;

function Full({ of: d }: { of: Data }) {
  const rows = useRows();
  const name = new Map(d.nodes.map((n) => [n.id, n]));
  const links = (id: string): number => d.edges.filter((e) => e.from === id || e.to === id).length;
  return (
    <div ref={rows}>
      {!d.center && <p class="muted">{gr.center}</p>}
      <div class="beside">
      <div><Picture of={d} />{d.cut && <p class="muted">{gr.cut}</p>}</div>
      <div class="scroll" tabIndex={0} role="region" aria-label={gr.list} id="nodes">
        <Table caption={gr.nodes} of={d.nodes} id={(n) => n.id} columns={[
          { head: gr.heads.name, wide: true, cell: (n) => <a href={at(n)} aria-current={n.id === d.center ? "true" : undefined}>{n.name}</a> },
          { head: gr.heads.kind, cell: (n) => n.type === "memory" ? <Kind of={n.kind} /> : <span class="muted">{words(n.kind)}</span> },
          { head: gr.heads.links, num: true, cell: (n) => links(n.id) },
          { head: gr.heads.at, num: true, spare: true, cell: (n) => <Ago at={n.at} /> },
          { head: <span class="sr">{gr.open}</span>, cell: (n) => n.type === "memory" && <a href={"/m/" + n.id}>{gr.open}<span class="sr"> {n.name}</span></a> },
        ]} />
      </div>
      </div>
      <details class="readPath section" id="edges"><summary>{gr.edges}</summary>
        <Table caption={gr.edges} of={d.edges} id={(e) => `${e.from} ${e.kind} ${e.to}`} columns={[
          { head: gr.heads.from, wide: true, cell: (e) => name.get(e.from)?.name ?? e.from },
          { head: gr.heads.how, cell: (e) => words(e.kind) },
          { head: gr.heads.to, wide: true, cell: (e) => name.get(e.to)?.name ?? e.to },
          { head: gr.heads.sure, num: true, spare: true, cell: (e) => percent(e.confidence) },
        ]} />
      </details>
    </div>
  );
}

const width = 760, height = 520;

interface Spot { x: number; y: number }

/** Lays nodes out: pushed apart, held together by their edges, the centre fixed. The same data give the same picture. */
export function layout(d: Data): Map<string, Spot> {
  const n = d.nodes.length, index = new Map(d.nodes.map((x, i) => [x.id, i]));
  const x = new Float64Array(n), y = new Float64Array(n);
  for (let i = 0; i < n; i++) { // a sunflower: even, and no two in one place
    const r = Math.sqrt((i + 0.5) / n) * 200, a = i * 2.399963;
    x[i] = Math.cos(a) * r * 1.8;
    y[i] = Math.sin(a) * r;
  }
  const fixed = d.center === undefined ? -1 : (index.get(d.center) ?? -1);
  const pull = d.edges.map((e) => [index.get(e.from), index.get(e.to)] as const).filter((p): p is readonly [number, number] => p[0] !== undefined && p[1] !== undefined);
  const want = Math.sqrt((width * height) / Math.max(1, n)) * 0.62, reach = (want * 2.6) ** 2;
  for (let step = 0; step < 220; step++) {
    const heat = 14 * (1 - step / 220), fx = new Float64Array(n), fy = new Float64Array(n);
    for (let i = 0; i < n; i++) for (let j = i + 1; j < n; j++) {
      const dx = x[i]! - x[j]!, dy = y[i]! - y[j]!, q = Math.max(25, dx * dx + dy * dy);
      if (q > reach) continue; // what is far away does not push, or all would stand at the border
      const f = (want * want) / q;
      fx[i]! += dx * f; fy[i]! += dy * f; fx[j]! -= dx * f; fy[j]! -= dy * f;
    }
    for (const [i, j] of pull) {
      const dx = x[i]! - x[j]!, dy = y[i]! - y[j]!, f = Math.hypot(dx, dy) / want;
      fx[i]! -= dx * f; fy[i]! -= dy * f; fx[j]! += dx * f; fy[j]! += dy * f;
    }
    for (let i = 0; i < n; i++) {
      fx[i]! -= x[i]! * 0.12; fy[i]! -= y[i]! * 0.24;
      const f = Math.hypot(fx[i]!, fy[i]!) || 1, move = Math.min(f, heat);
      if (i === fixed) { x[i] = 0; y[i] = 0; continue; }
      x[i] = Math.max(-width / 2 + 20, Math.min(width / 2 - 20, x[i]! + (fx[i]! / f) * move));
      y[i] = Math.max(-height / 2 + 16, Math.min(height / 2 - 22, y[i]! + (fy[i]! / f) * move));
    }
  }
  return new Map(d.nodes.map((node, i) => [node.id, { x: x[i]! + width / 2, y: y[i]! + height / 2 }]));
}

interface Label extends Spot { id: string; text: string }

/** Places names beside their nodes, none over another name or node. One without room is left to the tooltip and the list. */
export function labels(named: GraphNode[], spots: Map<string, Spot>, center: string | undefined): Label[] {
  const letter = 6.3, line = 13, gap = 10;
  const taken = [...spots.values()].map((p) => ({ x: p.x - 6, y: p.y - 6, w: 12, h: 12 }));
  const rank = (n: GraphNode): number => (n.id === center ? -1 : 1 - n.weight);
  return named.toSorted((a, b) => rank(a) - rank(b)).flatMap((n) => {
    const p = spots.get(n.id)!, text = cut(n.name), w = text.length * letter;
    const middle = Math.max(0, Math.min(width - w, p.x - w / 2));
    const places: [left: number, top: number][] = [[middle, p.y + gap], [middle, p.y - gap - line], [p.x + gap, p.y - line / 2], [p.x - gap - w, p.y - line / 2]];
    for (const [left, top] of places) {
      if (left < 0 || left + w > width || top < 0 || top + line > height) continue;
      if (taken.some((b) => left < b.x + b.w && b.x < left + w && top < b.y + b.h && b.y < top + line)) continue;
      taken.push({ x: left, y: top, w, h: line });
      return [{ id: n.id, text, x: left + w / 2, y: top + line - 3 }];
    }
    return [];
  });
}

const cut = (s: string): string => (s.length > 26 ? s.slice(0, 25) + "…" : s);

function Picture({ of: d }: { of: Data }) {
  const spots = useMemo(() => layout(d), [d]);
  const named = d.nodes.length <= 30 ? d.nodes : d.nodes.filter((n) => n.id === d.center || n.type === "entity");
  return (
    <figure class="chart graph" tabIndex={0}>
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={gr.picture(d.nodes.length, d.edges.length)}>
        {d.edges.map((e) => {
          const a = spots.get(e.from), b = spots.get(e.to);
          return a && b ? <line key={`${e.from} ${e.kind} ${e.to}`} class={"edge e-" + e.kind} x1={a.x} y1={a.y} x2={b.x} y2={b.y}><title>{words(e.kind)}</title></line> : null;
        })}
        {d.nodes.map((n) => {
          const p = spots.get(n.id)!, r = 4 + 5 * Math.min(1, n.weight), mine = n.id === d.center ? " center" : "";
          return n.type === "memory"
            ? <circle key={n.id} class={"node k-" + n.kind + mine} cx={p.x} cy={p.y} r={r}><title>{n.name}</title></circle>
            : <rect key={n.id} class={"node" + mine} x={p.x - r} y={p.y - r} width={2 * r} height={2 * r}><title>{`${words(n.kind)}: ${n.name}`}</title></rect>;
        })}
        {labels(named, spots, d.center).map((l) => <text key={l.id} class={"label" + (l.id === d.center ? " center" : "")} x={l.x} y={l.y} text-anchor="middle">{l.text}</text>)}
      </svg>
    </figure>
  );
}
