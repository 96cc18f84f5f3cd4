// What needs a person's judgement. A decision can be taken back, or changes no memory, or asks first.
import { post, project } from "../lib/api";
import { commandHere } from "../lib/command";
import { act, reason, showMessage } from "../lib/act";
import { useKeys, useRows } from "../lib/keys";
import type { Memory } from "../lib/model";
import type { ReviewResponse, ReviewItem, Proposal, Resolved } from "../lib/model_upkeep";
import { useResource } from "../lib/resource";
import { useState } from "preact/hooks";
import { query, setQuery } from "../lib/router";
import { v } from "../strings/places";
import { Confirm } from "../ui/dialog";
import { Ago, Empty, Facet, Head, ID, Kind, Loaded, Tag } from "../ui/parts";

const ids = (i: ReviewItem): string[] => [...i.memories.map((m) => m.id), ...(i.proposal ? [i.proposal.id] : [])];
const key = (i: ReviewItem): string => i.rule + " " + ids(i).join(" ");

/** Reports whether there is no way back: what is kept as it is changes no memory, a secret that was taken out is nowhere any more. */
const final = (rule: string, action: string): boolean => action === "reject" || rule === "secret";

export default function Review() {
  const rule = query.value.get("rule") ?? "";
  const params = { project: project.value, rules: rule ? [rule] : [], limit: rule ? 50 : 15 };
  const inbox = useResource((a) => post<ReviewResponse>("review", params, a), [rule]);
  const rows = useRows();

  const [confirming, setConfirming] = useState<ReviewItem | null>(null);
  const resolve = (i: ReviewItem, action: string): void => (i.rule === "secret" && action === "accept" ? setConfirming(i) : decide(i, action));
  const decide = (i: ReviewItem, action: string): void => {
    let round = "";
    void act(v.did[action] ?? action, async () => {
      const done = await post<Resolved>("resolve", { rule: i.rule, ids: ids(i), action });
      round = done.run ?? "";
      inbox.reload();
    }, final(i.rule, action) || i.proposal ? undefined : async () => {
      if (round) await post("consolidate", { undo: round });
      inbox.reload();
    });
  };
  const chosen = (action: string) => () => {
    const at = document.activeElement?.closest<HTMLElement>("[data-row]")?.dataset["key"];
    const i = inbox.data?.items.find((x) => key(x) === at);
    if (i && i.actions.includes(action as never)) resolve(i, action);
  };
  useKeys([
    { key: "m", label: v.keys.merge, run: chosen("merge") },
    { key: "a", label: v.keys.accept, run: chosen("accept") },
    { key: "x", label: v.keys.reject, run: chosen("reject") },
  ]);
  return (
    <>
      <Head title={v.title} command={commandHere("review")} json="review" params={params} />
      <Loaded of={inbox}>{(d) => (
        <>
          <div class="facets"><Facet title={v.rule} values={Object.entries(d.counts).filter(([r, n]) => n > 0 || r === rule).map(([value, n]) => ({ value, n, label: v.rules[value] ?? value }))} chosen={rule} choose={(r) => setQuery({ rule: r })} /></div>
          {rule && (d.counts[rule] ?? 0) > 1 && <Many rule={rule} done={inbox.reload} />}
          {d.items.length === 0
            ? <Empty title={rule ? v.zeroFor : v.zero}><p>{v.zeroNote(d.examined)}</p>{rule && <button type="button" onClick={() => setQuery({ rule: "" })}>{v.all}</button>}</Empty>
            : <ul class="inbox" ref={rows}>{d.items.map((i) => <Finding key={key(i)} of={i} resolve={resolve} />)}</ul>}
          {Object.entries(d.counts).map(([r, n]) => {
            const more = n - d.items.filter((i) => i.rule === r).length;
            return more > 0 && (!rule || r === rule) ? <p key={r} class="muted">{v.rules[r] ?? r}: {v.beyond(more)}</p> : null;
          })}
        </>
      )}</Loaded>
      {confirming && <Confirm title={v.secretConfirm.title} text={v.secretConfirm.text} yes={v.deeds["secret"]!} order={() => decide(confirming, "accept")} close={() => setConfirming(null)} />}
    </>
  );
}

const ages = [0, 90, 180, 365];

// All findings of a rule at once: first how many that are, then the order.
function Many({ rule, done }: { rule: string; done: () => void }) {
  const [older, setOlder] = useState(0);
  const [seen, setSeen] = useState<{ action: string; of: Resolved } | null>(null);
  const ask = (action: string, dry: boolean): Promise<Resolved> => post<Resolved>("resolve", {
    rule, action, every: true, project: project.value, dry_run: dry,
    ...(older > 0 && { before: new Date(Date.now() - older * 86_400_000).toISOString() }),
  });
  const look = (action: string) => async () => {
    try {
      setSeen({ action, of: await ask(action, true) });
    } catch (e) {
      showMessage(reason(e), { bad: true });
    }
  };
  const order = (action: string): void => {
    let round = "";
    void act((d: Resolved) => `${v.many(d.decided ?? 0, d.left ?? 0)} ${v.did[action] ?? action}`, async () => {
      const d = await ask(action, false);
      round = d.run ?? "";
      setSeen(null);
      done();
      return d;
    }, final(rule, action) ? undefined : async () => {
      if (round) await post("consolidate", { undo: round });
      done();
    });
  };
  return (
    <div class="panel" data-testid="many">
      <p class="line">
        <label>{v.age} <select value={older} onChange={(e) => { setOlder(Number(e.currentTarget.value)); setSeen(null); }}>{ages.map((n) => <option key={n} value={n}>{v.ages(n)}</option>)}</select></label>
        {rule !== "proposal" && <button type="button" onClick={look("accept")}>{v.acceptAll}</button>}
        <button type="button" class="quiet" onClick={look("reject")}>{v.rejectAll}</button>
      </p>
      {seen && (
        <p class="line">
          <span>{v.many(seen.of.decided ?? 0, seen.of.left ?? 0)}</span>
          {(seen.of.decided ?? 0) > 0 && <button type="button" onClick={() => order(seen.action)}>{seen.action === "reject" ? v.rejectAll : v.acceptAll}: {v.yes}</button>}
          <button type="button" class="quiet" onClick={() => setSeen(null)}>{v.no}</button>
        </p>
      )}
    </div>
  );
}

function Finding({ of: i, resolve }: { of: ReviewItem; resolve: (i: ReviewItem, action: string) => void }) {
  const two = i.memories.length === 2 || !!i.proposal?.title;
  const roles = i.proposal ? [undefined, undefined] : i.rule === "duplicate" ? [v.keepThis, v.goes] : [v.newer, v.older];
  return (
    <li class="finding" data-row data-key={key(i)} data-testid="finding">
      <p class="line"><Tag tone={i.rule === "secret" ? "bad" : i.rule === "contradiction" ? "warn" : "plain"}>{v.rules[i.rule] ?? i.rule}</Tag><span>{i.text}</span></p>
      <div class={two ? "sides" : ""}>{i.memories.map((m, n) => <Side key={m.id} of={m} role={two ? roles[n] : undefined} />)}{i.proposal?.title && <Proposed of={i.proposal} />}</div>
      <p class="line">
        {i.actions.includes("accept") && <button type="button" onClick={() => resolve(i, "accept")}>{v.deeds[i.rule] ?? v.accept}</button>}
        {i.actions.includes("merge") && i.rule !== "duplicate" && <button type="button" onClick={() => resolve(i, "merge")}>{v.merge}</button>}
        {i.actions.includes("reject") && <button type="button" class="quiet" onClick={() => resolve(i, "reject")}>{two && !i.proposal ? v.both : v.reject}</button>}
        <span class="muted">{v.will} {i.accept}</span>
      </p>
    </li>
  );
}

function Proposed({ of: p }: { of: Proposal }) {
  return (
    <div class="panel">
      <p class="line"><span class="mono">{p.id}</span><span class="muted">{v.proposed}</span><span class="muted end"><Ago at={p.at} /></span></p>
      <p>{p.title}</p>
      {p.body && p.body !== p.title && <details class="under"><summary>{v.whole}</summary><pre>{p.body}</pre></details>}
    </div>
  );
}

function Side({ of: m, role }: { of: Memory; role?: string | undefined }) {
  return (
    <div class="panel">
      <p class="line"><ID of={m.id} /><Kind of={m.kind} />{role && <span class="muted">{role}</span>}<span class="muted end"><Ago at={m.created} /></span></p>
      <p>{m.title}</p>
      {m.body && m.body !== m.title && <details class="under"><summary>{v.whole}</summary><pre>{m.body}</pre></details>}
      {!!m.files?.length && <p class="muted mono">{m.files.slice(0, 3).join(", ")}</p>}
    </div>
  );
}
