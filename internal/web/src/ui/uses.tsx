// The picture of sessions along time: below each what it learned, above it arcs to the sessions that used it.
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { post, project } from "../lib/api";
import type { SessionUse, SessionUses, UseKind, UseSession } from "../lib/model";
import { download } from "../lib/download";
import { useResource } from "../lib/resource";
import { useWidth } from "../lib/width";
import { p } from "../strings/pages";
import { ID, Kind, Section } from "./parts";

/** What shows that a memory was used, and in which session. */
export function Evidence({ of: u }: { of: { how?: UseKind | undefined; file?: string | undefined; session?: string | undefined } }) {
  const t = p.uses.how;
  const how = !u.how ? p.uses.used : u.how === "edited" ? t.edited(u.file ?? "") : t[u.how];
  return <>{how}{u.session && <> {p.uses.in} <ID of={u.session} /></>}</>;
}

const flat = 24, below = 56, foot = 22, margin = 14;
const colours = 8; // classes fill-0 … fill-7 of the style sheet
const few = 60, many = 300;

/** Shown once there are two sessions. */
export function Uses() {
  const limit = useSignal(few);
  const of = useResource((a) => post<SessionUses>("session_uses", { project: project.value, limit: limit.value }, a), [limit.value]);
  const svg = useRef<SVGSVGElement | null>(null);
  const d = of.data;
  if (!d || d.sessions.length < 2) return null;
  const t = p.uses;
  const save = (make: (el: SVGSVGElement) => Promise<Blob>, name: string) => () => {
    if (svg.current) void make(svg.current).then((blob) => download(blob, name));
  };
  return (
    <Section id="uses" title={t.title} aside={
      <>
        {d.sessions.length >= few && <button type="button" class="quiet" onClick={() => (limit.value = limit.value === few ? many : few)}>{limit.value === few ? t.more(many) : t.fewer(few)}</button>}
        <button type="button" class="quiet" onClick={save(svgFile, "remanence-sessions.svg")}>SVG</button>
        <button type="button" class="quiet" onClick={save(pngFile, "remanence-sessions.png")}>PNG</button>
      </>
    }>
      <p class="muted">{d.uses.length ? t.note(d.uses.length, new Set(d.uses.map((u) => u.to)).size) : t.none}</p>
      <Picture of={d} hold={(el) => { svg.current = el; }} />
      {d.uses.length > 0 && (
        <details>
          <summary>{t.list}</summary>
          <ul class="uses">{listed(d).map(({ to, of: uses }) => (
            <li key={to.id}>
              <a class="plain" dir="auto" href={"/sessions/" + to.short}>{to.title || t.untitled}</a> <span class="muted">{t.used}</span>
              <ul>{uses.map((u) => <li key={u.memory}><Kind of={u.kind} /> <a class="plain" dir="auto" href={"/m/" + u.memory}>{u.title}</a> <span class="muted"><Evidence of={u} /></span></li>)}</ul>
            </li>
          ))}</ul>
        </details>
      )}
    </Section>
  );
}

/** The sessions that used something, newest first, with what they used. */
function listed(d: SessionUses): { to: UseSession; of: SessionUse[] }[] {
  return d.sessions.map((to) => ({ to, of: d.uses.filter((u) => u.to === to.id) })).filter((x) => x.of.length > 0).reverse();
}

interface Arc { from: number; to: number; titles: string[] }

/** One arc for each pair of sessions. */
function arcsOf(d: SessionUses): Arc[] {
  const at = new Map(d.sessions.map((s, i) => [s.id, i]));
  const arcs = new Map<string, Arc>();
  for (const u of d.uses) {
    const from = at.get(u.from), to = at.get(u.to);
    if (from === undefined || to === undefined) continue;
    const key = `${from}-${to}`, arc = arcs.get(key) ?? { from, to, titles: [] };
    arc.titles.push(u.title);
    arcs.set(key, arc);
  }
  return [...arcs.values()];
}

function Picture({ of: d, hold }: { of: SessionUses; hold: (el: SVGSVGElement | null) => void }) {
  const [box, { value: width }] = useWidth<HTMLElement>(900); // drawn pixel for pixel: dates keep their size
  const arch = Math.min(240, Math.max(110, 0.21 * width));
  const n = d.sessions.length, step = (width - 2 * margin) / n;
  const x = (i: number): number => margin + step * (i + 0.5);
  const arcs = arcsOf(d), longest = Math.max(1, ...arcs.map((a) => Math.abs(a.to - a.from)));
  const projects = [...new Set(d.sessions.map((s) => s.project))];
  const hue = (s: UseSession | undefined): number => Math.max(0, projects.indexOf(s?.project ?? "")) % colours;
  const most = Math.max(1, ...d.sessions.map((s) => s.learned));
  const dot = Math.min(5, Math.max(1.5, step / 3)), bar = Math.min(12, Math.max(1.5, step * 0.6));
  const days = d.sessions.map((s) => new Date(s.at).toLocaleDateString(undefined, { day: "numeric", month: "short" }));
  const every = Math.ceil(n / Math.max(2, Math.floor(width / 100)));
  const ticks = days.map((day, i) => (i % every === 0 && (i === 0 || days[i - every] !== day) ? day : ""));
  const t = p.uses, above = d.uses.length ? arch : flat; // no room for arcs that are not there
  return (
    <figure class="chart" ref={box}>
      <svg ref={hold} viewBox={`0 0 ${width} ${above + below + foot}`} role="img" aria-label={t.caption(n, d.uses.length)}>
        {arcs.map((a) => {
          const left = Math.min(a.from, a.to), right = Math.max(a.from, a.to), r = (x(right) - x(left)) / 2;
          const high = (above - 12) * Math.sqrt((right - left) / longest); // each length has a height of its own
          return (
            <path key={`${a.from}-${a.to}`} class={"arc ink-" + hue(d.sessions[a.from])} stroke-width={Math.min(5, 1 + 0.5 * a.titles.length)}
              d={`M${x(left).toFixed(1)},${above} A${r.toFixed(1)},${high.toFixed(1)} 0 0 1 ${x(right).toFixed(1)},${above}`}>
              <title>{`${d.sessions[a.to]?.title ?? ""} ${t.used} ${a.titles.join("; ")}`}</title>
            </path>
          );
        })}
        {d.sessions.map((s, i) => (
          <g key={s.id}>
            <title>{`${days[i]} · ${s.title || t.untitled} · ${t.learned(s.learned)}`}</title>
            {s.learned > 0 && <rect class={"fill-" + hue(s)} x={(x(i) - bar / 2).toFixed(1)} width={bar.toFixed(1)} y={above + dot + 2} height={Math.max(1, (below - dot - 4) * s.learned / most).toFixed(1)} />}
            <circle class={"fill-" + hue(s)} cx={x(i).toFixed(1)} cy={above} r={dot} />
            {ticks[i] && <text class="tick" x={x(i).toFixed(1)} y={above + below + foot - 6} text-anchor={i === 0 ? "start" : "middle"}>{ticks[i]}</text>}
          </g>
        ))}
      </svg>
      {projects.length > 1 && (
        <figcaption class="legend">
          {projects.map((key, i) => <span key={key}><svg viewBox="0 0 12 12" aria-hidden="true"><rect width="12" height="12" class={"fill-" + (i % colours)} /></svg>{d.sessions.find((s) => s.project === key)?.project_name || t.noProject}</span>)}
        </figcaption>
      )}
      {d.cut && <p class="muted">{t.cut}</p>}
    </figure>
  );
}

const kept = ["fill", "stroke", "stroke-opacity", "font-size", "font-family"];
const head = 36, line = 24; // height of the heading and of the legend in a file

/** The picture as a file of its own: it has a heading and its legend, and needs no style sheet. */
function standalone(el: SVGSVGElement): string {
  const copy = el.cloneNode(true) as SVGSVGElement;
  const [, , w = 0, h = 0] = (el.getAttribute("viewBox") ?? "").split(" ").map(Number);
  const old = el.querySelectorAll("*"), fresh = copy.querySelectorAll("*");
  fresh.forEach((to, i) => {
    const from = old[i];
    if (!from || to.tagName === "title") return;
    const style = getComputedStyle(from);
    for (const name of kept) to.setAttribute(name, style.getPropertyValue(name));
    to.removeAttribute("class");
  });
  const page = getComputedStyle(document.documentElement), font = page.fontFamily;
  const make = (tag: string, attributes: Record<string, string | number>, text = ""): Element => {
    const made = document.createElementNS(el.namespaceURI, tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
    made.textContent = text;
    return made;
  };
  const drawn = make("g", { transform: `translate(0,${head})` });
  drawn.append(...copy.childNodes);
  const legend = [...(el.closest("figure")?.querySelectorAll(".legend > span") ?? [])];
  const all = h + head + (legend.length ? line : 0);
  copy.append(
    make("rect", { width: w, height: all, fill: page.backgroundColor }),
    make("text", { x: margin, y: 22, "font-size": 15, "font-weight": 600, "font-family": font, fill: page.color }, p.uses.heading),
    drawn,
  );
  const room = (w - 2 * margin) / Math.max(1, legend.length), most = Math.max(3, Math.floor(room / 8) - 3); // characters of a name
  legend.forEach((entry, i) => {
    const x = margin + i * Math.min(room, 180), y = all - 12, mark = entry.querySelector("rect"), name = entry.textContent ?? "";
    copy.append(
      make("rect", { x, y: y - 10, width: 12, height: 12, fill: mark ? getComputedStyle(mark).fill : page.color }),
      make("text", { x: x + 17, y, "font-size": 12, "font-family": font, fill: page.color }, name.length > most ? name.slice(0, most) + "…" : name),
    );
  });
  copy.setAttribute("viewBox", `0 0 ${w} ${all}`);
  copy.setAttribute("width", String(w));
  copy.setAttribute("height", String(all));
  return new XMLSerializer().serializeToString(copy);
}

const svgFile = (el: SVGSVGElement): Promise<Blob> => Promise.resolve(new Blob([standalone(el)], { type: "image/svg+xml" }));

/** The picture as a PNG, twice as large as it is drawn. */
async function pngFile(el: SVGSVGElement): Promise<Blob> {
  const image = new Image();
  image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(standalone(el));
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = image.width * 2;
  canvas.height = image.height * 2;
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done, fail) => canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error(p.uses.noPng))), "image/png"));
}
