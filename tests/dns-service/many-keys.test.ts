import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { TsigKey } from "../../server/dns/wire/tsig.ts";
import { StandInSecondary } from "../support/name-servers/stand-in-secondary.ts";
import { patience } from "../support/patience.ts";
import { useZonewright } from "../support/zonewright.ts";

const zw = useZonewright({ env: { DNS_LISTEN: "127.0.0.1:0", JOBS: "off" } });
/** One key for each of ten secondaries, of which the last two are here. */
const keys = Array.from({ length: 10 }, (_, index): TsigKey => {
  const name = `xfr-ns${index + 1}`;
  return { name, algorithm: "hmac-sha256", secret: Buffer.from(`secret of ${name}`) };
});
const secondaries: StandInSecondary[] = [];
let notifyingId: string;
const configOf = (notify: string) => ({
  nameServers: "ns1.example.net",
  contact: "dns@example.net",
  notify,
  tsigKeys: keys.map(({ name, secret }) => `${name}:hmac-sha256:${secret.toString("base64")}`).join(","),
});
const listed = () => secondaries.map(({ port }) => `127.0.0.1:${port}`).join(",");

beforeAll(async () => {
  for (const key of keys.slice(-2)) secondaries.push(await StandInSecondary.start(key, () => new Date()));
  notifyingId = await configure("Notified", listed());
});
afterAll(() => {
  for (const secondary of secondaries) secondary.stop();
});

async function configure(name: string, notify: string): Promise<string> {
  const config = configOf(notify);
  const { status, body } = await zw.admin.post("/api/provider-configs", { kind: "primary", name, config });
  expect({ status, body }).toMatchObject({ status: 201 });
  return body.id;
}

const report = async (id: string) => (await zw.admin.get(`/api/domains/${id}/secondaries`)).body;
const inSync = [
  { inSync: true, keyName: "xfr-ns9", error: null },
  { inSync: true, keyName: "xfr-ns10", error: null },
];

test("a secondary is notified with its own key, however many others the configuration has", async () => {
  const domain = { name: "notified.example", providerConfigId: notifyingId };
  const { body } = await zw.admin.post("/api/domains", domain);
  const check = async () => expect((await report(body.id)).secondaries).toMatchObject(inSync);
  await vi.waitFor(check, patience);
  for (const secondary of secondaries) expect(secondary.notified("notified.example")).not.toEqual([]);
});

test("a secondary that was never notified is asked for its serial with its own key", async () => {
  const providerConfigId = await configure("Asked", "");
  const { body } = await zw.admin.post("/api/domains", { name: "asked.example", providerConfigId });
  // Once a later domain has been announced, so was this one: to nobody.
  await zw.admin.post("/api/domains", { name: "later.example", providerConfigId: notifyingId });
  await vi.waitFor(() => {
    for (const secondary of secondaries) expect(secondary.notified("later.example")).not.toEqual([]);
  }, patience);
  const { serial } = await report(body.id);
  for (const secondary of secondaries) secondary.serves.set("asked.example", serial);
  const path = `/api/provider-configs/${providerConfigId}`;
  expect((await zw.admin.put(path, { config: configOf(listed()) })).status).toBe(200);
  const check = async () => expect((await report(body.id)).secondaries).toMatchObject(inSync);
  await vi.waitFor(check, patience);
  for (const secondary of secondaries) expect(secondary.notified("asked.example")).toEqual([]);
});
