import { mkdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type Axe from "axe-core";
import { chromium, type Browser, type Locator, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { freePorts } from "./programs.ts";
import { adminPassword, onceStarted, startZonewright, type Options, type Zonewright } from "./zonewright.ts";

/** Where screenshots go, if anybody wants to see them. */
const screenshots = process.env["SCREENSHOTS"];

/**
 * Milliseconds that each answer takes longer to reach the browser, if anybody wants to see which tests depend on a fast machine:
 * `SLOW_ANSWERS=300 npm run test:services -- tests/services/console`.
 */
const slowAnswers = Number(process.env["SLOW_ANSWERS"] ?? 0);

/** A name that leads to this machine in the browser. Pages there are no secure context, as in a LAN without TLS. */
export const lanName = "zonewright.lan";

interface ConsoleOptions extends Options {
  /** The host name of the console's address: `lanName`, or by default `localhost`. */
  host?: string;
}

interface PageOptions {
  dark?: boolean;
  width?: number;
  height?: number;
  /** The time zone of the browser; that of the machine by default. */
  timezoneId?: string;
  /** The browser's language; American English by default. */
  locale?: string;
}

interface SignedInOptions extends PageOptions {
  username?: string;
  password?: string;
  path?: string;
}

/** A running service with its console, and a browser that watches for anything wrong on its pages. */
export interface ConsoleUnderTest {
  readonly zonewright: Zonewright;
  /** The console's address, at which passkeys work. */
  readonly url: string;
  /** Opens a page in a browser profile of its own, not signed in. */
  open(options?: PageOptions): Promise<Page>;
  /** Opens a page for a user who is signed in, as the form leaves the browser. */
  signedIn(options?: SignedInOptions): Promise<Page>;
  /** Opens a page and signs in by the form. */
  signedInByForm(options?: SignedInOptions): Promise<Page>;
  /** Failed answers that the test provokes: the browser logs them. Each entry is part of a message. */
  readonly expected: string[];
}

/**
 * Starts the service before the tests of a file, and uses the browser that all files share. After each test, a page that logged an error, broke the content security
 * policy or threw fails it.
 */
export function useConsole({ host = "localhost", ...options }: ConsoleOptions = {}): ConsoleUnderTest {
  let zonewright: (Zonewright & { stop(): Promise<void> }) | undefined;
  let port = 0;
  let url = "";
  let userAgent = "";
  const tabs = new Set<Tab>();
  const faults: string[] = [];
  const expected: string[] = [];

  beforeAll(async () => {
    port = usedPorts.pop() ?? (await freePorts(1))[0] ?? 0;
    url = `http://${host}:${port}`;
    zonewright = await startZonewright({ ...options, env: { PORT: String(port), SITE_URL: url, ...options.env } });
    browser ??= await chromium.connect(process.env["TEST_BROWSER"] ?? "");
    const page = await browser.newPage();
    userAgent = await page.evaluate(() => navigator.userAgent);
    await page.context().close();
  });
  afterEach(async () => {
    for (const tab of tabs) {
      tab.watch.on = false;
      if (await isEmptied(tab, url)) kept.push(tab);
      else await tab.page.context().close();
    }
    tabs.clear();
    const unexpected = faults.splice(0).filter((fault) => !expected.some((part) => fault.includes(part)));
    expected.length = 0;
    expect(unexpected).toEqual([]);
  });
  afterAll(async () => {
    await zonewright?.stop();
    if (zonewright) usedPorts.push(port);
  });

  const open = async (
    { dark = false, width = 1280, height = 800, timezoneId, locale = "en-US" }: PageOptions = {},
    state?: Awaited<ReturnType<typeof sessionOf>>,
  ) => {
    if (!browser) throw new Error("The browser is not running yet.");
    const profile = `${url} ${locale} ${timezoneId}`;
    const again = kept.findIndex((tab) => tab.profile === profile);
    const [known] = again < 0 ? [] : kept.splice(again, 1);
    if (known) {
      tabs.add(known);
      known.watch.on = true;
      await known.page.setViewportSize({ width, height });
      await known.page.emulateMedia({ ...asUsual, colorScheme: dark ? "dark" : "light" });
      if (state) await restore(known.page, state);
      return known.page;
    }
    const context = await browser.newContext({
      viewport: { width, height },
      colorScheme: dark ? "dark" : "light",
      locale,
      ...(timezoneId === undefined ? {} : { timezoneId }),
      ...(state && { storageState: state }),
    });
    const watch = { on: true };
    // The browser reports violations of the policy only to the page.
    await context.addInitScript(() => {
      addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) => {
        console.error(`Content security policy: ${violatedDirective} ${blockedURI}`);
      });
    });
    // Ends a test that hangs: a busy machine takes its time.
    context.setDefaultTimeout(60_000);
    // Every tab, also those that a test opens itself.
    context.on("page", (opened) => {
      opened.on("console", (message) => {
        if (watch.on && (message.type() === "error" || message.type() === "warning") && !isSlow(message.text()))
          faults.push(message.text());
      });
      opened.on("pageerror", (error) => watch.on && faults.push(`${error.message}\n${error.stack}`));
    });
    const page = await context.newPage();
    if (slowAnswers > 0) await delayAnswers(page);
    tabs.add({ page, profile, watch, isAsBefore: noticeChanges(page) });
    return page;
  };
  return {
    zonewright: onceStarted(() => zonewright),
    get url() {
      return url;
    },
    expected,
    open: (options) => open(options),
    async signedIn({ username = "admin", password = adminPassword, path = "/", ...rest } = {}) {
      const page = await open(rest, await sessionOf(url, { username, password, userAgent }));
      await page.goto(url + path);
      await page.getByRole("navigation", { name: /^(?:Main|Hauptmenü)$/ }).waitFor();
      return page;
    },
    async signedInByForm({ username = "admin", password = adminPassword, path = "/", ...rest } = {}) {
      const page = await open(rest);
      await page.goto(url + path);
      await page.getByLabel("Username").fill(username);
      await page.getByLabel("Password").fill(password);
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await page.getByRole("navigation", { name: /^(?:Main|Hauptmenü)$/ }).waitFor();
      return page;
    },
  };
}

/** A tab in a browser profile of its own, with which a later test may go on once it is empty. */
interface Tab {
  readonly page: Page;
  /** The console's address, and what a browser profile cannot change any more. */
  readonly profile: string;
  /** Whether what the page reports is a fault of the test. */
  readonly watch: { on: boolean };
  /** Takes routes and listeners of the test away. @returns false if it has called something lasting */
  readonly isAsBefore: () => Promise<boolean>;
}

/** Of this worker, for all of its files. It ends with the worker. */
let browser: Browser | undefined;

/** Tabs of earlier tests of this worker, empty again. */
const kept: Tab[] = [];

/** Where earlier services of this worker were: a browser has the code of an address compiled already. */
const usedPorts: number[] = [];

const asUsual = { media: null, reducedMotion: null, forcedColors: null, contrast: null };

/** What leaves something in a page or its profile that cannot be taken back. */
const lasting = [
  "addInitScript",
  "exposeBinding",
  "exposeFunction",
  "grantPermissions",
  "newCDPSession",
  "routeWebSocket",
  "setDefaultTimeout",
  "setExtraHTTPHeaders",
  "setOffline",
] as const;

function noticeChanges(page: Page): () => Promise<boolean> {
  let lasts = false;
  const undo: (() => unknown)[] = [];
  for (const target of [page, page.context()]) {
    const methods = target as unknown as Record<string, (...values: unknown[]) => unknown>;
    const noticed = (name: string, notice: (values: unknown[]) => void) => {
      const method = methods[name];
      if (!method) return;
      methods[name] = (...values) => {
        notice(values);
        return method.apply(target, values);
      };
    };
    for (const name of lasting) noticed(name, () => (lasts = true));
    for (const name of ["on", "once"]) noticed(name, (values) => undo.push(() => methods["off"]?.(...values)));
    noticed("route", () => undo.push(() => target.unrouteAll({ behavior: "ignoreErrors" })));
  }
  return async () => {
    for (const step of undo.splice(0)) await step();
    return !lasts;
  };
}

/**
 * Empties a tab for a later test, as a new profile would be but for its cache: a page needs a third of the processor time if its code is compiled already.
 * @returns whether that was possible
 */
async function isEmptied({ page, isAsBefore }: Tab, url: string): Promise<boolean> {
  if (page.isClosed() || slowAnswers > 0) return false;
  const context = page.context();
  try {
    if (!(await isAsBefore())) return false;
    for (const other of context.pages()) if (other !== page) await other.close();
    // A page of the service without code: the stored data of its origin is at hand.
    await page.goto(`${url}/readyz`);
    await page.evaluate(async () => {
      localStorage.clear();
      sessionStorage.clear();
      for (const { name } of await indexedDB.databases()) if (name !== undefined) indexedDB.deleteDatabase(name);
      for (const name of await caches.keys()) await caches.delete(name);
    });
    await context.clearCookies();
    return true;
  } catch {
    return false;
  }
}

/** Puts a session into an empty tab. */
async function restore(page: Page, { cookies, origins }: Awaited<ReturnType<typeof sessionOf>>): Promise<void> {
  await page.context().addCookies(cookies);
  await page.evaluate(
    (items) => {
      for (const { name, value } of items) localStorage.setItem(name, value);
    },
    origins.flatMap(({ localStorage: items }) => items),
  );
}

async function delayAnswers(page: Page): Promise<void> {
  const devTools = await page.context().newCDPSession(page);
  const network = { offline: false, latency: slowAnswers, downloadThroughput: -1, uploadThroughput: -1 };
  await devTools.send("Network.emulateNetworkConditions", network);
}

/** On a busy machine, the browser complains of files that a page does not use at once. first-page.test.ts checks that all are used. */
function isSlow(message: string): boolean {
  return message.includes("was preloaded using link preload but not used within a few seconds");
}

/** Signs in by the API. @returns what the form leaves in the browser */
async function sessionOf(url: string, user: { username: string; password: string; userAgent: string }) {
  const { username, password, userAgent } = user;
  const { hostname, port } = new URL(url);
  const response = await fetch(`http://localhost:${port}/api/auth/login`, {
    method: "POST",
    headers: { "content-type": "application/json", "user-agent": userAgent },
    body: JSON.stringify({ username, password }),
  });
  const [, value] = /^refresh_token=([^;]+)/.exec(response.headers.getSetCookie()[0] ?? "") ?? [];
  if (value === undefined) throw new Error(`${username} was not signed in: ${response.status}`);
  const cookie = { name: "refresh_token", value, domain: hostname, path: "/api", expires: -1, httpOnly: true };
  return {
    cookies: [{ ...cookie, secure: false, sameSite: "Lax" as const }],
    origins: [{ origin: url, localStorage: [{ name: "zonewright.session", value: "1" }] }],
  };
}

/** Waits until the keyboard is in a part of the page. Dialogs and menus take the focus a frame after they can be seen. */
export async function focusIn(part: Locator): Promise<void> {
  await part.and(part.page().locator(":focus-within")).waitFor();
}

declare global {
  /** Of a page, once it was looked at. */
  // oxlint-disable-next-line no-var -- only `var` declares a property of the global object
  var axe: typeof Axe | undefined;
}

const axeScript = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
let axeSource: Promise<string> | undefined;

/**
 * Expects that axe finds nothing on the page, by all of its rules or by some. axe runs in the page and returns what is wrong, not the thousands
 * of elements that passed: these took most of the time of a check. The console has no frames.
 */
export async function expectAccessible(page: Page, rules?: string[]): Promise<void> {
  axeSource ??= readFile(axeScript, "utf8");
  if (!(await page.evaluate(() => globalThis.axe !== undefined))) await page.evaluate(await axeSource);
  const findings = await page.evaluate(async (runOnly) => {
    if (!globalThis.axe) throw new Error("axe is not loaded.");
    if (document.querySelector("iframe, frame")) throw new Error("axe does not look into frames here.");
    // Colors on their way from one to another are no finding. What never ends, as the mark of loading, is left out.
    await new Promise(requestAnimationFrame);
    const moving = document.getAnimations().filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity);
    await Promise.allSettled(moving.map(({ finished }) => finished));
    const options = { resultTypes: ["violations" as const], ...(runOnly && { runOnly }) };
    const { violations } = await globalThis.axe.run(document, options);
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
    );
  }, rules);
  expect(findings).toEqual([]);
}

/** Takes a screenshot of the page in both themes and on a phone, for people to judge. Does nothing unless SCREENSHOTS names a folder. */
export async function photograph(page: Page, name: string): Promise<void> {
  if (!screenshots) return;
  await mkdir(screenshots, { recursive: true });
  const size = page.viewportSize() ?? { width: 1280, height: 800 };
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: `${screenshots}/${name}-${colorScheme}.png` });
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 400, height: 800 });
  await page.screenshot({ path: `${screenshots}/${name}-narrow.png` });
  await page.setViewportSize(size);
}
