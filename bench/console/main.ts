import type { Browser, Page } from "playwright-core";
import type { Environment } from "../support/environment.ts";
import { median, percentile, timed } from "../support/measure.ts";
import { underLimit, type Figure } from "../support/report.ts";
import {
  firstRow,
  interactions,
  largestPaint,
  openPage,
  privateMegabytes,
  scrollFrames,
  signIn,
  startBrowser,
  type Device,
} from "./browser.ts";

const rounds = 5;
const frames = 600;
const largeZone = "large.example";
const smallZone = "small.example";

const limits = {
  desktop: { paint: 800, interaction: 100, label: "desktop" },
  phone: { paint: 2_500, interaction: 200, label: "phone: slow 4G, processor at a quarter" },
} as const;

const milliseconds = (value: number) => `${Math.round(value)} ms`;
const inMilliseconds = (value: number, most: number) => ({ value, most, unit: "ms" });

/** Measures the web console in Chromium: how soon pages appear, how soon they answer, and a zone of 100,000 records. */
export async function measureConsole({ url, password, importZone }: Environment): Promise<Figure[]> {
  await importZone(smallZone, 40);
  await importZone(largeZone, 100_000);
  const browser = await startBrowser();
  try {
    const site = { browser, url, password };
    const figures: Figure[] = [];
    for (const device of ["desktop", "phone"] as const) {
      figures.push(...(await measurePaints(site, device)), await measureInteractions(site, device));
    }
    return [...figures, ...(await measureLargeZone(site))];
  } finally {
    await browser.close();
  }
}

interface Site {
  browser: Browser;
  url: string;
  password: string;
}

/**
 * What people wait for, with an empty cache: the sign-in, by its largest contentful paint, and the first record of a zone for somebody who is
 * signed in. There, the largest paint is the zone's name, which is on the page long before.
 */
async function measurePaints({ browser, url, password }: Site, device: Device): Promise<Figure[]> {
  const first: number[] = [];
  const zone: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const opened = await openPage(browser, device);
    const { page, protocol } = opened;
    await page.goto(url);
    await page.getByLabel("Username").waitFor();
    await settled(page);
    first.push(await largestPaint(page));
    await signIn(page, url, password);
    await protocol.send("Network.clearBrowserCache");
    await page.goto(`${url}/d/${smallZone}/records`);
    await page.getByRole("row").nth(5).waitFor({ timeout: 60_000 });
    await settled(page);
    zone.push(await firstRow(page));
    await opened.context.close();
  }
  const { paint, label } = limits[device];
  return [
    ["largest contentful paint: sign-in page", first] as const,
    ["first row: a zone of 40 records, signed in", zone] as const,
  ].map(([what, taken]) =>
    underLimit(
      `console, empty cache, ${label}: ${what}`,
      `${milliseconds(median(taken))}, slowest of ${rounds} ${milliseconds(Math.max(...taken))}`,
      inMilliseconds(median(taken), paint),
    ),
  );
}

/** Interaction to next paint over an edit by keyboard and mouse in a zone. */
async function measureInteractions({ browser, url, password }: Site, device: Device): Promise<Figure> {
  const { context, page } = await openPage(browser, device);
  await signIn(page, url, password);
  await page.goto(`${url}/d/${smallZone}/records`);
  await page.getByRole("row").nth(5).waitFor({ timeout: 60_000 });
  await settled(page);
  const search = page.getByRole("searchbox").first();
  await search.click();
  await page.keyboard.type("h1", { delay: 120 });
  await page.keyboard.press("Backspace");
  await page.keyboard.press("Backspace");
  await page.getByRole("button", { name: "Add record" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("");
  await page.keyboard.type("measured", { delay: 120 });
  const value = page.getByRole("textbox", { name: "Value", exact: true });
  await value.click();
  await page.keyboard.type("192.0.2.77", { delay: 120 });
  await page.getByRole("button", { name: "Done" }).click();
  await settled(page);
  const taken = await interactions(page);
  await context.close();
  const { interaction, label } = limits[device];
  const slowest = Math.max(0, ...taken);
  return underLimit(
    `console, interaction to next paint, search and a new record in a zone of 40, ${label}`,
    `slowest ${milliseconds(slowest)} (${taken.length} took 16 ms or longer)`,
    inMilliseconds(slowest, interaction),
  );
}

/** First rows, scrolling and memory of a zone of 100,000 records. */
async function measureLargeZone({ browser, url, password }: Site): Promise<Figure[]> {
  const opened = await openPage(browser, "desktop");
  const { page } = opened;
  await signIn(page, url, password);
  const first: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await page.goto(url);
    await page.getByRole("heading", { name: "Domains", exact: true }).waitFor();
    await settled(page);
    first.push(
      await timed(async () => {
        await page.getByRole("link", { name: largeZone }).first().click();
        await page.getByRole("row").nth(5).waitFor();
      }),
    );
  }
  await settled(page);
  const taken = await scrollFrames(page, frames);
  const megabytes = await privateMegabytes(browser, opened);
  await opened.context.close();
  const what = "console, zone of 100,000 records, desktop";
  return [
    underLimit(
      `${what}: from the click to the first rows`,
      milliseconds(median(first)),
      inMilliseconds(median(first), 700),
    ),
    underLimit(
      `${what}: frame while 400 pixels are scrolled in each of ${frames}, p95`,
      milliseconds(percentile(taken, 0.95)),
      inMilliseconds(percentile(taken, 0.95), 20),
    ),
    underLimit(
      `${what}: longest of these frames`,
      milliseconds(Math.max(...taken)),
      inMilliseconds(Math.max(...taken), 50),
    ),
    underLimit(`${what}: private memory of the tab's process after it`, `${Math.round(megabytes)} MB`, {
      value: megabytes,
      most: 200,
      unit: "MB",
    }),
  ];
}

/** Waits until the page has asked for nothing for half a second; its streams stay open. */
async function settled(page: Page): Promise<void> {
  let last = Date.now();
  const note = () => {
    last = Date.now();
  };
  page.on("request", note);
  page.on("requestfinished", note);
  while (Date.now() - last < 500) await page.waitForTimeout(100);
  page.off("request", note);
  page.off("requestfinished", note);
}
