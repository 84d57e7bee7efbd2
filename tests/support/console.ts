import { mkdir } from "node:fs/promises";
import { AxeBuilder } from "@axe-core/playwright";
import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { binary } from "./binaries.ts";
import { freePorts } from "./programs.ts";
import { adminPassword, onceStarted, startZonewright, type Options, type Zonewright } from "./zonewright.ts";

/** Where screenshots go; not committed. */
const screenshots = new URL("../../coverage/screenshots/", import.meta.url).pathname;

interface PageOptions {
  dark?: boolean;
  width?: number;
  height?: number;
  /** The time zone of the browser; that of the machine by default. */
  timezoneId?: string;
}

/** A running service with its console, and a browser that watches for anything wrong on its pages. */
export interface ConsoleUnderTest {
  readonly zonewright: Zonewright;
  /** The console's address, at which passkeys work. */
  readonly url: string;
  /** Opens a page in a browser profile of its own, not signed in. */
  open(options?: PageOptions): Promise<Page>;
  /** Opens a page and signs in by the form. */
  signedIn(options?: PageOptions & { username?: string; password?: string; path?: string }): Promise<Page>;
  /** Failed answers that the test provokes: the browser logs them. Each entry is part of a message. */
  readonly expected: string[];
}

/**
 * Starts the service and Chromium before the tests of a file. After each test, a page that logged an error, broke the content security
 * policy or threw fails it.
 */
export function useConsole(options: Options = {}): ConsoleUnderTest {
  let zonewright: (Zonewright & { stop(): Promise<void> }) | undefined;
  let browser: Browser | undefined;
  let url = "";
  const contexts = new Set<BrowserContext>();
  const faults: string[] = [];
  const expected: string[] = [];

  beforeAll(async () => {
    const [port = 0] = await freePorts(1);
    url = `http://localhost:${port}`;
    zonewright = await startZonewright({ ...options, env: { PORT: String(port), SITE_URL: url, ...options.env } });
    browser = await chromium.launch({ executablePath: binary("chromium-headless-shell"), args: ["--no-sandbox"] });
  });
  afterEach(async () => {
    for (const context of contexts) await context.close();
    contexts.clear();
    const unexpected = faults.splice(0).filter((fault) => !expected.some((part) => fault.includes(part)));
    expected.length = 0;
    expect(unexpected).toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
    await zonewright?.stop();
  });

  const open = async ({ dark = false, width = 1280, height = 800, timezoneId }: PageOptions = {}) => {
    if (!browser) throw new Error("The browser is not running yet.");
    const context = await browser.newContext({
      viewport: { width, height },
      colorScheme: dark ? "dark" : "light",
      locale: "en-US",
      ...(timezoneId === undefined ? {} : { timezoneId }),
    });
    contexts.add(context);
    // The browser reports violations of the policy only to the page.
    await context.addInitScript(() => {
      addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) => {
        console.error(`Content security policy: ${violatedDirective} ${blockedURI}`);
      });
    });
    context.setDefaultTimeout(10_000);
    // Every tab, also those that a test opens itself.
    context.on("page", (tab) => {
      tab.on("console", (message) => {
        if (message.type() === "error" || message.type() === "warning") faults.push(message.text());
      });
      tab.on("pageerror", (error) => faults.push(`${error.message}\n${error.stack}`));
    });
    const page = await context.newPage();
    return page;
  };
  return {
    zonewright: onceStarted(() => zonewright),
    get url() {
      return url;
    },
    expected,
    open,
    async signedIn({ username = "admin", password = adminPassword, path = "/", ...rest } = {}) {
      const page = await open(rest);
      await page.goto(url + path);
      await page.getByLabel("Username").fill(username);
      await page.getByLabel("Password").fill(password);
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await page.getByRole("navigation", { name: "Main" }).waitFor();
      return page;
    },
  };
}

/** Expects that axe finds nothing on the page. */
export async function expectAccessible(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" · ")}`)).toEqual([]);
}

/** Takes a screenshot of the page in both themes and on a phone, for people to judge. */
export async function photograph(page: Page, name: string): Promise<void> {
  await mkdir(screenshots, { recursive: true });
  const size = page.viewportSize() ?? { width: 1280, height: 800 };
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: `${screenshots}${name}-${colorScheme}.png` });
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 400, height: 800 });
  await page.screenshot({ path: `${screenshots}${name}-narrow.png` });
  await page.setViewportSize(size);
}
