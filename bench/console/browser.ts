import { readFile } from "node:fs/promises";
import { chromium, type Browser, type BrowserContext, type CDPSession, type Page } from "playwright-core";
import { binary } from "../../tests/support/binaries.ts";

/** A computer on a fast line, or a phone of the middle class on a mobile network. */
export type Device = "desktop" | "phone";

/** What Lighthouse simulates as "slow 4G": 1.6 Mbit/s down, 0.75 up, 150 ms there and back; the processor at a quarter of its speed. */
const slowNetwork = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 };
const slowProcessor = 4;

export const startBrowser = async (): Promise<Browser> =>
  await chromium.launch({ executablePath: binary("chromium-headless-shell"), args: ["--no-sandbox"] });

export interface Opened {
  context: BrowserContext;
  page: Page;
  protocol: CDPSession;
}

/** Opens a page in a profile of its own, with observers that collect what `paints` and `interactions` return. */
export async function openPage(browser: Browser, device: Device): Promise<Opened> {
  const viewport = device === "phone" ? { width: 390, height: 844 } : { width: 1440, height: 900 };
  const context = await browser.newContext({ viewport, locale: "en-US" });
  await context.addInitScript(() => {
    const seen = { paint: 0, row: 0, interactions: new Map<number, number>() };
    Object.assign(globalThis, { seen });
    new MutationObserver((_, observer) => {
      if (!document.querySelector("[role=gridcell][id]")) return;
      observer.disconnect();
      // The frame that has it is painted before the next one begins.
      requestAnimationFrame(() => requestAnimationFrame((time) => (seen.row = time)));
    }).observe(document, { childList: true, subtree: true });
    new PerformanceObserver((list) => {
      for (const { startTime } of list.getEntries()) seen.paint = startTime;
    }).observe({ type: "largest-contentful-paint", buffered: true });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & { interactionId?: number })[]) {
        if (!entry.interactionId) continue;
        const longest = Math.max(entry.duration, seen.interactions.get(entry.interactionId) ?? 0);
        seen.interactions.set(entry.interactionId, longest);
      }
    }).observe({ type: "event", durationThreshold: 16, buffered: true } as PerformanceObserverInit);
  });
  const page = await context.newPage();
  const protocol = await context.newCDPSession(page);
  if (device === "phone") await throttle(protocol);
  return { context, page, protocol };
}

async function throttle(protocol: CDPSession): Promise<void> {
  await protocol.send("Network.enable");
  await protocol.send("Network.emulateNetworkConditions", slowNetwork);
  await protocol.send("Emulation.setCPUThrottlingRate", { rate: slowProcessor });
}

/** Signs in by the form, and waits for the list of domains. */
export async function signIn(page: Page, url: string, password: string): Promise<void> {
  await page.goto(url);
  await page.getByLabel("Username").fill("admin");
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("heading", { name: "Domains", exact: true }).waitFor({ timeout: 60_000 });
}

interface Seen {
  seen: { paint: number; row: number; interactions: Map<number, number> };
}

/** Returns the milliseconds from the navigation to the largest contentful paint. */
export async function largestPaint(page: Page): Promise<number> {
  return await page.evaluate(() => (globalThis as unknown as Seen).seen.paint);
}

/** Returns the milliseconds from the navigation until the first record of a zone is painted. */
export async function firstRow(page: Page): Promise<number> {
  return await page.evaluate(() => (globalThis as unknown as Seen).seen.row);
}

/** Returns the milliseconds of each interaction that took 16 ms or longer to the next paint. */
export async function interactions(page: Page): Promise<number[]> {
  return await page.evaluate(() => [...(globalThis as unknown as Seen).seen.interactions.values()]);
}

/** Scrolls a grid by 400 pixels in each frame. @returns the milliseconds between the frames */
export async function scrollFrames(page: Page, frames: number): Promise<number[]> {
  return await page.evaluate(async (count) => {
    let scroller: Element = document.querySelector('[role="grid"]') ?? document.documentElement;
    for (; scroller.parentElement; scroller = scroller.parentElement) {
      const { overflowY } = getComputedStyle(scroller);
      if (scroller.scrollHeight > scroller.clientHeight + 1 && /auto|scroll/.test(overflowY)) break;
    }
    const taken: number[] = [];
    let last = await new Promise<number>(requestAnimationFrame);
    for (let frame = 0; frame < count; frame++) {
      scroller.scrollBy(0, 400);
      const now = await new Promise<number>(requestAnimationFrame);
      taken.push(now - last);
      last = now;
    }
    if (scroller.scrollTop < count * 200) throw new Error(`Scrolled only to ${scroller.scrollTop}.`);
    return taken;
  }, frames);
}

/** Returns the private memory of the page's process in MB, after a garbage collection. */
export async function privateMegabytes(browser: Browser, { protocol }: Opened): Promise<number> {
  await protocol.send("HeapProfiler.collectGarbage");
  const whole = await browser.newBrowserCDPSession();
  const { processInfo } = await whole.send("SystemInfo.getProcessInfo");
  const sizes = await Promise.all(
    processInfo.filter(({ type }) => type === "renderer").map(async ({ id }) => await privateKilobytes(id)),
  );
  return Math.max(...sizes) / 1_024;
}

async function privateKilobytes(pid: number): Promise<number> {
  const map = await readFile(`/proc/${pid}/smaps_rollup`, "utf8");
  return [...map.matchAll(/^Private_(?:Clean|Dirty):\s+(\d+)/gm)].reduce((sum, [, size]) => sum + Number(size), 0);
}
