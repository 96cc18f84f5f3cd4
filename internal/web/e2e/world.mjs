// A home of its own with the built program in it, and a browser that is let in.
import { execFile, spawn } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { chromium } from "playwright-core";

const run = promisify(execFile);
const root = resolve(import.meta.dirname, "../../..");
export const program = process.env.REMANENCE ?? join(root, "bin/remanence");

/** Where a browser is, "" if there is none. The one without windows takes a third less of the machine's time. */
export const browserPath = ["/usr/lib/chromium/chromium-headless-shell", "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((p) => existsSync(p)) ?? "";

export class World {
  /** Makes an empty home. */
  static async make() {
    const w = new World();
    w.home = await mkdtemp(join(tmpdir(), "remanence-e2e-web-"));
    w.project = join(w.home, "work", "ledger");
    for (const dir of ["objects", "refs"]) await mkdir(join(w.project, ".git", dir), { recursive: true });
    await writeFile(join(w.project, ".git/HEAD"), "ref: refs/heads/main\n");
    await writeFile(join(w.project, ".git/config"), "[core]\n");
    w.env = {
      PATH: process.env.PATH, HOME: w.home, XDG_CONFIG_HOME: join(w.home, "config"), XDG_DATA_HOME: join(w.home, "data"),
      XDG_STATE_HOME: join(w.home, "state"), XDG_CACHE_HOME: join(w.home, "cache"), XDG_RUNTIME_DIR: join(w.home, "run"),
      REMANENCE_WORKER_IDLE_EXIT: "10m", TZ: "UTC", LANG: "C.UTF-8",
    };
    await mkdir(w.env.XDG_RUNTIME_DIR, { mode: 0o700 });
    return w;
  }

  dir(name) {
    return join(this.home, name);
  }

  /** Runs our command line and returns what it printed. */
  async cli(...args) {
    const { stdout } = await run(program, args, { env: this.env, cwd: this.project, maxBuffer: 1 << 26 });
    return stdout;
  }

  /** Runs a line as it is copied from a page, and returns what it printed. */
  async shell(line) {
    const { stdout } = await run("sh", ["-c", `remanence() { "${program}" "$@"; }; ${line}`], { env: this.env, cwd: this.home });
    return stdout;
  }

  async json(...args) {
    return JSON.parse(await this.cli(...args, "--json"));
  }

  /** Calls the hook as the agent does. */
  hook(event) {
    return new Promise((done, fail) => {
      const p = spawn(program, ["hook", "claude-code"], { env: this.env, cwd: this.project, stdio: ["pipe", "pipe", "inherit"] });
      let out = "";
      p.stdout.on("data", (d) => (out += d));
      p.on("error", fail);
      p.on("close", (code) => (code === 0 ? done(out) : fail(new Error("hook: exit " + code))));
      p.stdin.end(JSON.stringify({ cwd: this.project, transcript_path: join(this.home, "t.jsonl"), ...event }));
    });
  }

  /** Plays recorded sessions of a folder through the hook. */
  async play(folder, ...names) {
    for (const name of names) {
      const lines = (await readFile(join(root, folder, name + ".jsonl"), "utf8")).trim().split("\n");
      const events = lines.map((line) => JSON.parse(line.replaceAll("@PROJECT@", this.project).replaceAll("@HOME@", this.home)));
      for (const at of new Set(events.map((e) => e.transcript_path).filter(Boolean))) { // the agent has it from the beginning
        await mkdir(dirname(at), { recursive: true });
        await writeFile(at, "", { flag: "a" });
      }
      for (const e of events) await this.hook(e);
    }
  }

  /** Plays two recorded sessions, and keeps some statements. */
  async demo() {
    await this.play("internal/web/e2e/sessions", "first", "second");
    await this.cli("add", "retries of the webhook sender back off with jitter, never a fixed five seconds", "-k", "decision", "--file", "internal/webhook/sender.go");
    await this.cli("add", "the gateway sends 429 without Retry-After", "-k", "gotcha");
    await this.cli("add", "write a test for the refund desk", "-k", "todo");
  }

  /** Takes what a person may find in a memory and a page must not act on. */
  async hostile() {
    for (const text of hostile) await this.cli("add", text, "-k", "gotcha");
    await this.hook({ session_id: "hostile-1", hook_event_name: "SessionStart", source: "startup" });
    await this.hook({ session_id: "hostile-1", hook_event_name: "UserPromptSubmit", prompt_id: "h1", prompt: "<img src=x onerror=document.title='owned'> please \u202egnp.exe\u202c look" });
  }

  /** The address of a page with a code in it that lets a browser in once. */
  async open(page = "") {
    return (await this.cli("open", "--print", ...(page ? [page] : []))).trim().split(/\s+/).find((w) => w.startsWith("http"));
  }

  /** Writes a store of n memories before anything else runs here; more are further arguments of test/fill. */
  async fill(n, ...more) {
    await run(process.env.FILL ?? join(root, "bin/fill"), ["-database", join(this.env.XDG_DATA_HOME, "remanence/remanence.db"), "-project", this.project, "-memories", String(n), ...more], { env: this.env });
  }

  /** Writes a month of work in three projects, which ends now. */
  async month() {
    const more = [];
    for (const name of ["till", "storefront"]) {
      const dir = join(this.home, "work", name);
      await cp(join(this.project, ".git"), join(dir, ".git"), { recursive: true });
      more.push("-project", dir);
    }
    await this.fill(240, ...more, "-days", "30", "-session", "4");
  }

  /** Sets the clock of program and browser to the afternoon, so that today has hours in it. */
  afternoon() {
    const ahead = Math.max(-12, Math.min(14, 17 - new Date().getUTCHours()));
    this.env.TZ = `Etc/GMT${ahead > 0 ? "-" : "+"}${Math.abs(ahead)}`; // these names have the opposite sign
  }

  /** Kilobytes of memory that the daemon takes. */
  async rss() {
    const { pid } = JSON.parse(await readFile(join(this.env.XDG_STATE_HOME, "remanence/run/runtime.json"), "utf8"));
    return Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, "utf8"))[1]);
  }

  async end() {
    await this.cli("daemon", "stop").catch(() => undefined);
    await rm(this.home, { recursive: true, force: true, maxRetries: 10 }); // a process that has not ended yet may write something
  }
}

export const hostile = [
  "<img src=x onerror=document.title='owned'> <script>document.title='owned'</script> in a title",
  "a [link](javascript:document.title='owned') and [one](https://example.org/a) and ![picture](https://example.org/x.png)",
  "bidi \u202egnp.exe\u202c and controls \u0007\u001b[31mred\u001b[0m and </pre></main><h1>out</h1>",
  "{{constructor.constructor('document.title=1')()}} ${7*7} <svg/onload=alert(1)> " + "wide".repeat(120),
];

/** A browser that counts what must not happen: errors, refusals by the policy, requests elsewhere. */
export class Eye {
  static async make() {
    const e = new Eye();
    e.browser = await chromium.launch({
      executablePath: browserPath,
      args: ["--disable-dev-shm-usage", "--disable-gpu", ...(process.getuid?.() === 0 ? ["--no-sandbox"] : [])],
    });
    return e;
  }

  /** A browser profile of its own, logged in to w unless told not to. */
  async enter(w, { scheme = "light", contrast, forcedColors, width = 1280, height = 900, zoom = 1, login = true } = {}) {
    const context = await this.browser.newContext({ viewport: { width: width / zoom, height: height / zoom }, deviceScaleFactor: zoom, colorScheme: scheme, contrast, forcedColors, reducedMotion: "reduce", timezoneId: w.env.TZ });
    context.setDefaultTimeout(60_000); // how long what has to come may take on a busy machine: no promise
    const faults = [];
    context.on("request", (r) => { if (!/^(https?:\/\/(127\.0\.0\.1|localhost|\[::1\])|data:|blob:)/.test(r.url())) faults.push("request to " + r.url()); });
    context.on("page", (p) => {
      p.on("pageerror", (e) => faults.push("error: " + e.message));
      p.on("console", (m) => { if (["error", "warning"].includes(m.type()) && !p.lenient) faults.push(`console ${m.type()}: ${m.text()} (${p.url()})`); });
      p.on("requestfailed", (r) => { if (!p.lenient && !r.failure()?.errorText.includes("ABORTED")) faults.push("failed: " + r.url() + " " + r.failure()?.errorText); });
    });
    await context.addInitScript(() => {
      globalThis.__policy = [];
      document.addEventListener("securitypolicyviolation", (e) => globalThis.__policy.push(e.violatedDirective + " " + e.blockedURI));
    });
    const page = await context.newPage();
    const home = await w.open();
    const base = new URL(home).origin;
    if (login) {
      await page.goto(home);
      await live(page);
    }
    return { context, page, base, faults };
  }

  async end() {
    await this.browser.close();
  }
}

/** Waits until a page hears of all that happens from now on. */
export const live = (page) => page.getByTestId("feed-state").filter({ hasText: "live" }).waitFor({ state: "attached" });

/** Presses keys one right after the other: neither waits until the page has heard of the one before. */
export const chord = (page, ...keys) => Promise.all(keys.map((k) => page.keyboard.press(k)));

/** What a page was refused by its policy. */
export const violations = (page) => page.evaluate(() => globalThis.__policy ?? []);
