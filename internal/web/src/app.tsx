// The viewer starts here.
import { render } from "preact";
import "./styles/viewer.css";
import { loggedOut, login, project, readAhead } from "./lib/api";
import { startFeed } from "./lib/feed";
import { startKeys } from "./lib/keys";
import { followLinks } from "./lib/router";
import { startPalette } from "./ui/palette";
import { markCodeUsed, fetchPage, Shell } from "./ui/shell";

async function start(): Promise<void> {
  fetchPage(location.pathname);
  if (location.hash.startsWith("#code=") && !(await login())) markCodeUsed();
  if (location.pathname === "/") readAhead("now", { project: project.value });
  // A code may come to a page that is open already.
  addEventListener("hashchange", () => void login().then((ok) => { if (!ok && loggedOut.value) markCodeUsed(); }));
  followLinks();
  startKeys();
  startPalette();
  startFeed();
  const root = document.getElementById("app");
  if (root) render(<Shell />, root);
}

void start();
