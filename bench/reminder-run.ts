import { readFile } from "node:fs/promises";
import { loadConfig } from "../server/ops/config/config.ts";
import { openDatabase } from "../server/database/database.ts";
import { createLog } from "../server/platform/log.ts";
import { createServices } from "../server/composition/services.ts";

/*
 * Runs the reminders once, NOW_PLUS_DAYS ahead of today, in its own process. Prints the time it took and its peak memory.
 */
const config = loadConfig(process.env);
const database = await openDatabase(config);
await database.migrate();
const ahead = Number(process.env["NOW_PLUS_DAYS"] ?? 0) * 24 * 3_600_000;
const services = await createServices({
  config,
  database,
  log: createLog("silent"),
  now: () => new Date(Date.now() + ahead),
});
const before = await peakMegabytes();
const start = performance.now();
await services.expiryReminders.work({}, new AbortController().signal);
const seconds = (performance.now() - start) / 1_000;
process.stdout.write(`run: ${JSON.stringify({ seconds, megabytes: await peakMegabytes(), before })}\n`);
await services.close();
await database.close();

async function peakMegabytes(): Promise<number> {
  return Number(/VmHWM:\s+(\d+)/.exec(await readFile("/proc/self/status", "utf8"))?.[1]) / 1_024;
}
