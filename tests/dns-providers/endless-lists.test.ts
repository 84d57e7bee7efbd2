import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startLoopbackVendor, type LoopbackVendor } from "../support/vendors/loopback-vendor.ts";
import { useZonewright } from "../support/zonewright.ts";
import { Clock } from "../support/clock.ts";
import { endlessVendors, zone, type Endlessness } from "./endless-vendors.ts";
import { configure } from "./vendor-zone.ts";

// A list without an end is reported as such, without waiting for more, and is never taken as complete.

const clock = new Clock();
const zw = useZonewright({ env: { EGRESS_ALLOW: "127.0.0.1" }, now: clock.now, pause: clock.pause });

const entryOf: Readonly<Record<Endlessness, (page: number) => number | null>> = {
  repeats: () => 1,
  circles: (page) => (page % 3) + 1,
  grows: (page) => page + 1,
  starves: (page) => (page === 0 ? 1 : null),
};
const words: Readonly<Record<Endlessness, RegExp>> = {
  repeats: /^[\w ]+ keeps returning the same page of a list\. Try again later\.$/,
  circles: /^[\w ]+ keeps returning the same page of a list\. Try again later\.$/,
  grows: /^[\w ]+ returns a list that grows faster than it can be read\. Try again later\.$/,
  starves: / changed while being read\. Try again\.$/,
};

describe.each(endlessVendors)("endless lists of $name", (vendor) => {
  let server: LoopbackVendor;
  let config: string;
  let endless: { list: "zones" | "records"; way: Endlessness };
  let pages: number;
  beforeAll(async () => {
    server = await startLoopbackVendor((call) => {
      const { list, way } = endless;
      if (vendor.listOf(call) !== list) return vendor.otherwise(call);
      const page = pages++;
      return vendor.page(list, entryOf[way](page), way === "grows" ? page + 3 : 20);
    });
    config = await configure(zw, vendor.kind, vendor.config(server.url), []);
  });
  beforeEach(() => {
    pages = 0;
  });
  afterAll(() => server.stop());

  test.each(vendor.ways)("a list of zones that %s is aborted", async (way) => {
    endless = { list: "zones", way };
    const { status, body } = await zw.admin.get(`/api/provider-configs/${config}/zones`);
    expect([status, body.message]).toEqual([502, expect.stringMatching(words[way])]);
    expect(pages).toBeLessThan(30);
  });

  test.each(vendor.ways)("a list of records that %s is aborted, and no domain is added from it", async (way) => {
    endless = { list: "records", way };
    const { status, body } = await zw.admin.post("/api/domains", { name: zone, providerConfigId: config });
    expect([status, body.message]).toEqual([502, expect.stringMatching(words[way])]);
    expect(pages).toBeLessThan(30);
    expect((await zw.admin.get("/api/domains")).body.total).toBe(0);
  });
});
