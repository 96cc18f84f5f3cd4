// The pages: a path, the file that draws it, and its place in the navigation.
// A page is a component that gets the path's parts as properties.
import type { ComponentType } from "preact";

export interface Route {
  path: string; // parts that begin with ":" are handed to the page
  load: () => Promise<{ default: ComponentType<never> }>;
  nav?: {
    label: string;
    group: 1 | 2 | 3; // groups stand apart
    key?: string; // opens it after g
    also?: string[]; // beginnings of other paths that belong to it
  };
}

export const routes: Route[] = [
  { path: "/", load: () => import("./pages/now"), nav: { label: "Today", group: 1, key: "n" } },
  { path: "/sessions", load: () => import("./pages/sessions"), nav: { label: "Sessions", group: 1, key: "s" } },
  { path: "/sessions/:id", load: () => import("./pages/session") },
  { path: "/recap", load: () => import("./pages/recap"), nav: { label: "Recap", group: 1 } },
  { path: "/search", load: () => import("./pages/search"), nav: { label: "Search", group: 1, also: ["/m/"] } },
  { path: "/m/:id", load: () => import("./pages/memory") },
  { path: "/recalls", load: () => import("./pages/recalls"), nav: { label: "Recalls", group: 2, key: "r" } },
  { path: "/recalls/:id", load: () => import("./pages/recall") },
  { path: "/economy", load: () => import("./pages/economy"), nav: { label: "Economy", group: 2, key: "e" } },
  { path: "/files", load: () => import("./pages/files"), nav: { label: "Files", group: 2, key: "f", also: ["/blame"] } },
  { path: "/blame", load: () => import("./pages/blame") },
  { path: "/graph", load: () => import("./pages/graph"), nav: { label: "Graph", group: 2 } },
  { path: "/state", load: () => import("./pages/state"), nav: { label: "State", group: 2 } },
  { path: "/state/:id", load: () => import("./pages/state") },
  { path: "/review", load: () => import("./pages/review"), nav: { label: "Review", group: 3 } },
  { path: "/propose", load: () => import("./pages/propose"), nav: { label: "Propose", group: 3 } },
  { path: "/health", load: () => import("./pages/health"), nav: { label: "Health", group: 3, key: "h" } },
  { path: "/log", load: () => import("./pages/log"), nav: { label: "Log", group: 3 } },
  { path: "/settings", load: () => import("./pages/settings"), nav: { label: "Settings", group: 3 } },
];
