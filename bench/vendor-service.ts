import { setTimeout as sleep } from "node:timers/promises";
import { loadConfig } from "../server/ops/config/config.ts";
import { createEgress, type Egress } from "../server/platform/net/egress.ts";
import { startServer } from "../server/start.ts";

/**
 * The service, whose calls to vendors' own addresses reach simulators after a delay. Only at their own addresses do the quotas of accounts apply. Runs as its own
 * process, with the service's variables, `STAND_INS` (JSON: simulators by address) and `LATENCY` (milliseconds).
 */
const standIns = Object.entries(JSON.parse(process.env["STAND_INS"] ?? "{}") as Record<string, string>);
const latency = Number(process.env["LATENCY"] ?? 0);
const real = createEgress({ allow: ["127.0.0.1"], now: () => new Date() });
const egress: Egress = {
  ...real,
  async guardedFetch(url, request) {
    await sleep(latency);
    const [own, standIn] = standIns.find(([address]) => String(url).startsWith(address)) ?? ["", ""];
    return await real.guardedFetch(`${standIn}${String(url).slice(own.length)}`, request);
  },
};
const { url } = await startServer(loadConfig(process.env), { announce: () => undefined, egress });
process.send?.({ url });
