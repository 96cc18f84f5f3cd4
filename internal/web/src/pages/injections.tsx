// The injections of a session, including those that injected nothing.
import { useSignal } from "@preact/signals";
import { get, project } from "../lib/api";
import { commandHere } from "../lib/command";
import { reason, showMessage } from "../lib/act";
import { count, ms } from "../lib/format";
import { useRows } from "../lib/keys";
import type { ReceiptRow, ReceiptsResponse } from "../lib/model_upkeep";
import { useResource } from "../lib/resource";
import { query, setQuery } from "../lib/router";
import { outcomes, r, trigger, triggers } from "../strings/recalls";
import { Ago, Empty, Facet, Head, Loaded, Stored, Table, Tag } from "../ui/parts";

const page = 50;

export default function Recalls() {
  const q = query.value;
  const params = {
    project: project.value, trigger: q.get("trigger") ?? "", outcome: q.get("outcome") ?? "", session: q.get("session") ?? "", memory: q.get("memory") ?? "",
  };
  const filtered = !!(params.trigger || params.outcome || params.session || params.memory);
  const list = useResource((a) => get<ReceiptsResponse>("receipts", { ...params, limit: page }, a), Object.values(params), (e) => e.type === "changed");
  const seen = useSignal<{ of: string; rows: ReceiptRow[]; more: boolean }>({ of: "", rows: [], more: false }); // all rows there were when older ones came
  const rows = useRows();
  const of = Object.values(params).join(" ");
  // What is older than the first page, which moves on: nothing, if its end was never seen.
  const below = (first: ReceiptsResponse): { rows: ReceiptRow[]; more: boolean } => {
    const at = seen.value.of === of ? seen.value.rows.findIndex((x) => x.id === first.receipts.at(-1)?.id) : -1;
    return at < 0 ? { rows: [], more: first.more } : { rows: seen.value.rows.slice(at + 1), more: seen.value.more };
  };

  const more = async (): Promise<void> => {
    const base = list.data;
    if (!base) return;
    const had = [...base.receipts, ...below(base).rows], ids = new Set(had.map((x) => x.id));
    try {
      const next = await get<ReceiptsResponse>("receipts", { ...params, limit: page, offset: had.length });
      seen.value = { of, rows: [...had, ...next.receipts.filter((x) => !ids.has(x.id))], more: next.more };
    } catch (e) {
      showMessage(reason(e), { bad: true });
    }
  };

  return (
    <>
      <Head title={r.title} command={commandHere("why")} json="receipts" params={params} />
      <div class="facets">
        <Facet title={r.outcomes} values={Object.entries(outcomes).slice(0, 3).map(([value, o]) => ({ value, label: o.word }))} chosen={params.outcome} choose={(v) => setQuery({ outcome: v })} />
        <Facet title={r.triggers} values={Object.entries(triggers).map(([value, label]) => ({ value, label }))} chosen={params.trigger} choose={(v) => setQuery({ trigger: v })} />
      </div>
      <Loaded of={list}>{(data) => {
        const older = below(data);
        if (data.receipts.length === 0) return filtered ? <None /> : <Nothing />;
        return (
          <div ref={rows}>
            <List of={[...data.receipts, ...older.rows]} />
            {older.more && <p><button type="button" onClick={() => void more()}>{r.older}</button></p>}
          </div>
        );
      }}</Loaded>
    </>
  );
}

const None = () => (
  <Empty title={r.noneFor}>
    <button type="button" onClick={() => setQuery({ trigger: "", outcome: "", session: "", memory: "" })}>{r.clear}</button>
  </Empty>
);

const Nothing = () => (
  <Empty title={r.none}>
    <p>{r.explain}</p>
    <ul class="bullets">{Object.values(triggers).map((t) => <li key={t}>{t}</li>)}</ul>
  </Empty>
);

function List({ of }: { of: readonly ReceiptRow[] }) {
  return (
    <Table caption={r.list} of={of} id={(x) => x.id} columns={[
      { head: r.head.when, cell: (x) => <Ago at={x.at} /> },
      { head: r.head.query, wide: true, cell: (x) => (
        <span class="title-cell"><a href={"/injections/" + x.id}>{x.query ? <Stored of={x.query} /> : trigger(x.trigger)}</a>{x.query && <span class="sub">{trigger(x.trigger)}</span>}</span>
      ) },
      { head: r.head.outcome, cell: (x) => {
        const o = outcomes[x.outcome];
        return <Tag tone={o?.tone ?? "plain"}>{o?.word ?? x.outcome}</Tag>;
      } },
      { head: r.head.injected, num: true, spare: true, cell: (x) => <span title={`${count(x.injected)} / ${count(x.candidates)}`}>{count(x.injected)} <span class="muted">/ {count(x.candidates)}</span></span> },
      { head: r.head.tokens, num: true, cell: (x) => count(x.tokens) },
      { head: r.head.took, num: true, spare: true, cell: (x) => ms(x.took_ms) },
      { head: r.head.session, spare: true, cell: (x) => x.session_short ? <a class="id" href={"/sessions/" + x.session_short} title={x.project_name}>{x.session_short}</a> : <span class="muted">–</span> },
    ]} />
  );
}
