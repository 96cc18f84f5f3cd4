// The end of the daemon's log.
import { get } from "../lib/api";
import { exact } from "../lib/format";
import { useRows } from "../lib/keys";
import type { Log as Data } from "../lib/model_upkeep";
import { useResource } from "../lib/resource";
import { query, setQuery } from "../lib/router";
import { l } from "../strings/upkeep";
import { Empty, Facet, Head, Loaded, Table, Tag } from "../ui/parts";

const tones: Record<string, "ok" | "warn" | "bad" | "plain"> = { warn: "warn", error: "bad" };

export default function Log() {
  const q = query.value, level = q.get("level") ?? "", has = q.get("has") ?? "";
  const params = { level, has, limit: 500 };
  const data = useResource((a) => get<Data>("log", params, a), [level, has]);
  const rows = useRows();
  return (
    <>
      <Head title={l.title} command="remanence daemon logs" json="log" params={params} />
      <div class="facets">
        <Facet title={l.level} values={["info", "warn", "error"].map((value) => ({ value }))} chosen={level} choose={(v) => setQuery({ level: v })} />
        <label class="check">{l.has} <input type="search" value={has} onChange={(e) => setQuery({ has: e.currentTarget.value })} /></label>
      </div>
      <Loaded of={data}>{(d) => d.lines.length === 0 ? <Empty title={level || has ? l.none : l.empty} /> : (
        <div ref={rows} class="hscroll">
          <p class="muted mono">{d.file}</p>
          <Table caption={l.list} of={d.lines.map((line, i) => ({ ...line, i }))} id={(x) => String(x.i)} columns={[
            { head: l.when, cell: (x) => x.at ? <time dateTime={x.at}>{exact(x.at)}</time> : "" },
            { head: l.level, cell: (x) => x.level && <Tag tone={tones[x.level] ?? "plain"}>{x.level}</Tag> },
            { head: l.text, wide: true, cell: (x) => <span class="title-cell">{x.text}<span class="sub mono">{x.more}</span></span> },
          ]} />
        </div>
      )}</Loaded>
    </>
  );
}
