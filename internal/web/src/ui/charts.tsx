// Charts, drawn as SVG. Series differ by pattern as well as by colour, and
// stands beside a table of the same figures.
import { useId } from "preact/hooks";
import { count } from "../lib/format";
import { useWidth } from "../lib/width";

export interface Series {
  name: string;
  values: readonly number[]; // one for each label
}

const height = 180, left = 46, bottom = 20, top = 8;
const labelWidth = 60; // pixels for the label of a column

/** A round figure at or above n, and how the axis is divided. */
function ceiling(n: number): number {
  if (n <= 4) return 4;
  const unit = 10 ** Math.floor(Math.log10(n));
  return [1, 2, 4, 5, 10].map((f) => f * unit).find((f) => f >= n) ?? n;
}

/** Stacked columns by label, with a dashed line for what is only estimated. */
export function Stacked({ caption, labels, series, line }: { caption: string; labels: readonly string[]; series: readonly Series[]; line?: Series | undefined }) {
  const id = useId();
  const [box, { value: width }] = useWidth<HTMLElement>(900); // drawn pixel for pixel: labels keep their size
  const sums = labels.map((_, i) => series.reduce((n, x) => n + (x.values[i] ?? 0), 0));
  const most = ceiling(Math.max(1, ...sums, ...(line?.values ?? [])));
  const y = (v: number): number => top + (height - top - bottom) * (1 - v / most);
  const step = (width - left) / Math.max(1, labels.length);
  const w = Math.max(1, Math.min(26, step * 0.72));
  const x = (i: number): number => left + step * (i + 0.5);
  const every = Math.ceil((labels.length * labelWidth) / (width - left));
  return (
    <figure class="chart" ref={box}>
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={caption}>
        <defs>{series.map((_, n) => <Pattern key={n} id={id + n} n={n} />)}</defs>
        {[0, 0.5, 1].map((part) => (
          <g key={part}>
            <line class="grid" x1={left} x2={width} y1={y(part * most)} y2={y(part * most)} />
            <text class="tick" x={left - 6} y={y(part * most) + 4} text-anchor="end">{count(part * most)}</text>
          </g>
        ))}
        {labels.map((label, i) => {
          let base = 0;
          return (
            <g key={label}>
              {series.map((one, n) => {
                const v = one.values[i] ?? 0;
                if (!v) return null;
                const rect = <rect key={n} x={x(i) - w / 2} width={w} y={y(base + v)} height={Math.max(0.75, y(base) - y(base + v))} fill={`url(#${id + n})`}><title>{`${label} · ${one.name}: ${count(v)}`}</title></rect>;
                base += v;
                return rect;
              })}
              {i % every === 0 && <text class="tick" x={x(i)} y={height - 5} text-anchor="middle">{label}</text>}
            </g>
          );
        })}
        {line && line.values.some((v) => v > 0) && (
          <polyline class="estimate" points={line.values.map((v, i) => `${x(i).toFixed(1)},${y(v).toFixed(1)}`).join(" ")} />
        )}
      </svg>
      <figcaption class="legend">
        {series.map((one, n) => <span key={one.name}><svg viewBox="0 0 12 12" aria-hidden="true"><rect width="12" height="12" fill={`url(#${id + n})`} /></svg>{one.name}</span>)}
        {line && <span><svg viewBox="0 0 20 12" aria-hidden="true"><line class="estimate" x1="0" x2="20" y1="6" y2="6" /></svg>{line.name}</span>}
      </figcaption>
    </figure>
  );
}

/** One of several fills: a colour, and lines or dots in it from the second on. */
function Pattern({ id, n }: { id: string; n: number }) {
  const kind = n % 4;
  return (
    <pattern id={id} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform={kind === 1 ? "rotate(45)" : kind === 3 ? "rotate(-45)" : undefined}>
      <rect width="6" height="6" class={"fill-" + (n % 8)} />
      {(kind === 1 || kind === 3) && <rect width="1.5" height="6" class="hatch" />}
      {kind === 2 && <circle cx="3" cy="3" r="1" class="hatch" />}
    </pattern>
  );
}

/** Values in their order, as a line without axes. */
export function Sparkline({ caption, values }: { caption: string; values: readonly number[] }) {
  const most = Math.max(...values, 1e-9), w = 240, h = 36;
  const points = values.map((v, i) => `${((w * i) / Math.max(1, values.length - 1)).toFixed(1)},${(h - 2 - (h - 4) * (v / most)).toFixed(1)}`);
  return <svg class="spark" viewBox={`0 0 ${w} ${h}`} preserveAspectRatio="none" role="img" aria-label={caption}><polyline points={points.join(" ")} /></svg>;
}
