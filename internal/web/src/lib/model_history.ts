// What the API answers to the pages on the past of a project.
import type { Project, TimelineEntry } from "./model";

export interface Handoff {
  project: Project; at: string; goal: string; asked?: string; phase?: string; status?: string; next?: string; active: string[]; blockers: string[];
  sessions: { id: string; agent: string; at: string; outcome: string }[];
  decisions: TimelineEntry[]; open: TimelineEntry[]; dead_ends: TimelineEntry[]; lessons: TimelineEntry[]; commands: string[]; files: string[];
}

export interface RecapItem { id: string; title: string; session?: string; state?: string }
export interface RecapFailure { id: string; command: string; times: number; resolved: boolean; fixed_after_s?: number; fix?: string; works_as?: string }
export interface RecapDay {
  day: string; project: string; project_name: string; sessions: number; outcomes: RecapItem[]; decisions: RecapItem[]; open: RecapItem[];
  failures: RecapFailure[]; files: string[]; commits: { hash: string; subject: string; session: string }[];
}
export interface Recap { since: string; until: string; days: RecapDay[]; text?: string; cut?: boolean }

export interface BlameOrigin {
  session: string; agent?: string; at: string; prompt?: string; evidence: "edit" | "commit" | "made" | "trailer";
  memory?: { id: string; kind: string; title: string; trust: string; at: string };
}
export interface BlameRow {
  from: number; to: number; commit?: string; author?: string; subject?: string; committed?: string; text: string; origin?: BlameOrigin;
}
export interface Blame { project: Project; file: string; lines: number; known: number; rows: BlameRow[]; from: number; total: number; text?: string[] }

export interface ProposedLine {
  text: string; note: string; basis: "said" | "used"; id: string; kind: string; trust: string; said: number; injected: number; used: number;
  sessions: string[]; memories: string[]; first: string; last: string;
}
export interface Proposed {
  project: Project; file: string; sessions: number; lines: ProposedLine[]; known: number; diff: string; apart?: string;
  left_out: { id: string; title: string; why: string; by?: string }[];
  contradicted: { line: number; text: string; committed?: string; id: string; kind: string; title: string; at: string }[];
}

export interface EffectGroup { sessions: number; part: number; of: number; value: number }
export interface EffectMeasure { name: string; what: string; share: boolean; used: EffectGroup; others: EffectGroup; verdict: string; low: number; high: number }
export interface Effect {
  project: Project; days: number; sessions: { used: number; given: number; none: number; past: number }; measures: EffectMeasure[]; method: string[]; limits: string[]; cut?: boolean;
}
