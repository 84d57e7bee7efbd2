import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { jobs } from "../../server/composition/job-list.ts";
import { useZonewright } from "../support/zonewright.ts";

const zw = useZonewright({ env: { JOBS: "off", METRICS_DOMAINS: "on", SNAPSHOT_RETENTION: "365" } });

test("the page on jobs lists every job with its schedule and purpose", async () => {
  const page = await readFile(new URL("../../docs/operations/jobs.md", import.meta.url), "utf8");
  const rows = [...page.matchAll(/^\| `([a-z]+\.[a-z]+)` \| (?:`([^`]+)`|when asked) \| (.+) \|$/gm)];
  const reported = rows.map(([, name, schedule = null, description]) => ({ name, schedule, description }));
  const list = jobs({ ...zw.services, now: () => new Date() });
  expect(reported).toEqual(list.map(({ name, schedule, description }) => ({ name, schedule, description })));
});

test("the page on monitoring lists every metric of Zonewright", async () => {
  const page = await readFile(new URL("../../docs/operations/monitoring.md", import.meta.url), "utf8");
  const answer = await fetch(`${zw.url}/metrics`);
  const names = [...(await answer.text()).matchAll(/^# TYPE (zonewright_\w+)/gm)].map(([, name]) => name);
  const table = page.split("\n").filter((line) => line.startsWith("|"));
  const reported = [...table.join("\n").matchAll(/`(zonewright_\w+)`/g)].map(([, name]) => name);
  expect(new Set(reported)).toEqual(new Set(names));
  const dashboard = await readFile(new URL("../../docs/grafana-dashboard.json", import.meta.url), "utf8");
  const drawn = [...dashboard.matchAll(/zonewright_\w+?(?=_bucket\b|_count\b|_sum\b|[^\w])/g)].map(([name]) => name);
  expect(drawn.length).toBeGreaterThan(5);
  for (const name of drawn) expect(names).toContain(name);
});
