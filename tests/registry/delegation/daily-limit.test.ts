import { afterAll, beforeAll, expect, test } from "vitest";
import { lastingAdmin, NoticeLog } from "../expiry/notice-log.ts";
import { Clock, day } from "../../support/clock.ts";
import type { RestClient } from "../../support/rest-client.ts";
import { startZonewright, type Zonewright } from "../../support/zonewright.ts";
import { manualConfig } from "../../support/zones.ts";
import { startPrivateRoot, type PrivateRoot } from "./private-root.ts";

const clock = new Clock();
const log = new NoticeLog();
let world: PrivateRoot;
let zw: Zonewright & { stop(): Promise<void> };
let admin: RestClient;

beforeAll(async () => {
  world = await startPrivateRoot();
  zw = await startZonewright({
    env: { RESOLVER_ROOTS: world.roots, EGRESS_ALLOW: "127.53.0.0/16", JOBS: "off" },
    now: clock.now,
    logTo: log,
  });
  admin = await lastingAdmin(zw);
});
afterAll(async () => {
  await zw.stop();
  await world.internet.stop();
});

test("at most 50 domains with dangling records are reported within 24 hours, and the others on a later day", async () => {
  const providerConfigId = await manualConfig(zw);
  const names = Array.from({ length: 53 }, (_, index) => `d${index}.tld`);
  const ids: string[] = [];
  for (const name of names) {
    const { id } = (await zw.admin.post("/api/domains", { name, providerConfigId })).body;
    await zw.admin.post(`/api/domains/${id}/records`, { recordType: "CNAME", name: "x", value: "gone.tld" });
    ids.push(id);
  }
  const reported = async (checked: readonly string[]): Promise<string[]> => {
    for (const name of checked) await admin.post(`/api/domains/${ids[names.indexOf(name)]}/delegation/check`);
    return names.filter((name) => log.next(name).includes("domain.dangling"));
  };
  const first = await reported(names);
  expect(first).toHaveLength(50);
  const late = names.filter((name) => !first.includes(name));
  const { findings } = (await admin.get(`/api/domains/${ids[names.indexOf(late[0] ?? "")]}/delegation`)).body;
  expect(findings.map(({ code }: { code: string }) => code)).toContain("dangling");
  const some = [...late, ...first.slice(0, 2)];
  expect(await reported(some)).toEqual([]);
  clock.advance(day);
  expect(await reported(some)).toEqual(late);
});
