import { expect, onTestFinished, test, vi } from "vitest";
import { patience } from "../../support/patience.ts";
import { freshName, Zone, type Body } from "../../support/zones.ts";
import type { VendorCall } from "../../support/vendors/loopback-vendor.ts";
import { minute } from "../../support/clock.ts";
import { startCloudflare } from "../../support/vendors/cloudflare/server.ts";
import { difference, none, useCloudflare } from "./cloudflare.ts";

const cf = useCloudflare();

test("what Cloudflare prints as null is read as absent", async () => {
  const server = await startCloudflare();
  onTestFinished(() => server.stop());
  server.printNulls();
  server.addZone("nulls.example");
  const { token: apiToken, accountId, url: endpoint } = server;
  const id = await cf.configure({ apiToken, accountId, endpoint });
  server.addRecord("nulls.example", { type: "A", name: "www", ttl: 300, content: "192.0.2.1" });
  server.addRecord("nulls.example", { type: "MX", name: "@", ttl: 300, content: "mail.example.net", priority: 10 });
  const data = { flags: 0, tag: "issue", value: "ca.example" };
  server.addRecord("nulls.example", { type: "CAA", name: "@", ttl: 300, data });
  const { body } = await cf.zw.admin.post(`/api/provider-configs/${id}/import`, { zones: ["nulls.example"] });
  expect(body.results).toMatchObject([{ success: true, records: 3 }]);
  const zone = new Zone(cf.zw, { id: body.results[0].domainId, name: "nulls.example" });
  for (const { id: recordId } of await zone.records())
    expect((await zone.update(recordId, { ttl: 600 })).status).toBe(200);
  expect(await difference(zone)).toEqual(none);
});
const slower = {
  after: false,
  reply: {
    status: 429,
    headers: { "retry-after": "300" },
    body: JSON.stringify({
      success: false,
      errors: [{ code: 971, message: "Please wait" }],
      messages: [],
      result: null,
    }),
  },
};

/** A zone with a record, at Cloudflare. */
function zoneThere(): string {
  const name = freshName();
  cf.server.addZone(name);
  cf.server.addRecord(name, { type: "A", name: "www", ttl: 300, content: "192.0.2.1" });
  return name;
}

/** The progress once the import has ended. */
async function ended(config: string): Promise<Body> {
  return await vi.waitFor(async () => {
    const { status, body } = await cf.zw.admin.get(`/api/provider-configs/${config}/import`);
    // The session expired while the clock was advanced.
    if (status === 401) await cf.wait(0);
    expect(body.finishedAt).toEqual(expect.any(String));
    return body;
  }, patience);
}

const isOfRecords = ({ url }: VendorCall) => url.pathname.endsWith("/dns_records");

test("an import of all zones waits out a rate limit of minutes, and no zone fails", async () => {
  const config = await cf.configure();
  const names = Array.from({ length: 60 }, zoneThere);
  cf.server.vendor.failNext(slower, 3, isOfRecords);
  await cf.zw.admin.post(`/api/provider-configs/${config}/import`, { all: true });
  const { results } = await ended(config);
  const failed = results.filter(({ state }: Body) => state !== "done");
  expect([results.length >= names.length, failed]).toEqual([true, []]);
});

test("an import only reads the zone and its records", async () => {
  await cf.wait(5 * minute);
  const config = await cf.configure();
  const name = zoneThere();
  cf.server.forgetCalls();
  const { body } = await cf.zw.admin.post(`/api/provider-configs/${config}/import`, { zones: [name] });
  expect(body.results).toMatchObject([{ success: true, records: 1 }]);
  const calls = cf.server.calls.filter(({ query }) => query["page"] === "1").length;
  expect(cf.server.calls.map(({ method }) => method)).not.toContain("POST");
  // The list of all, the zone, its records.
  expect(calls).toBe(3);
});

test("a rate-limited import of named zones says when to try again", async () => {
  const config = await cf.configure();
  const [first, second] = [zoneThere(), zoneThere()];
  cf.server.vendor.failNext(slower, 1, isOfRecords);
  const { body } = await cf.zw.admin.post(`/api/provider-configs/${config}/import`, { zones: [first, second] });
  for (const { success, error } of body.results) {
    expect([success, error]).toEqual([
      false,
      expect.stringMatching(/no more calls for now. Try again in [45] minutes/),
    ]);
  }
  await cf.wait(5 * minute);
});
