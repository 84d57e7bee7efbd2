import { beforeEach, expect, test } from "vitest";
import { useCloudflare } from "./cloud.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { fileZone, type Body, type Zone } from "../../support/zones.ts";

// Calls at the same time that would have two domains, or a domain and its own mirror, write one zone.

const zw = useZonewright({ env: { EGRESS_ALLOW: "127.0.0.1" } });
const cloud = useCloudflare(zw);

let zone: Zone;
let there: string;
beforeEach(async () => {
  zone = await fileZone(zw);
  there = cloud.server.addZone(zone.name).id;
});

/** Of this zone: mirrors of others are read meanwhile. */
const isReading = ({ method, url }: { method: string; url: URL }) =>
  method === "GET" && url.pathname.endsWith(`/zones/${there}/dns_records`);

const addMirror = () => zone.post("/mirrors", { providerConfigId: cloud.configId });
const addView = () =>
  zw.admin.post("/api/domains", { name: zone.name, view: "internal", providerConfigId: cloud.configId });

/** Makes a call, and another one while the first reads the zone at its provider. @returns both answers */
async function during(first: () => Promise<Body>, second: () => Promise<Body>): Promise<[Body, Body]> {
  const other = Promise.withResolvers<Body>();
  cloud.server.vendor.meanwhile(isReading, async () => other.resolve(await second()));
  return [await first(), await other.promise];
}

test("a domain that moves to a provider while a mirror is added there does not get itself as a mirror", async () => {
  const [mirror, move] = await during(addMirror, () => zw.admin.put(zone.path, { providerConfigId: cloud.configId }));
  expect(move.status).toBe(200);
  expect(mirror).toMatchObject({ status: 409, body: { code: "CONFLICT", message: expect.stringContaining("own") } });
  expect((await zone.get("/mirrors")).body.mirrors).toEqual([]);
});

test("two calls at the same time do not add a mirror twice", async () => {
  const [first, second] = await during(addMirror, addMirror);
  expect(second.status).toBe(200);
  expect(first).toMatchObject({ status: 409, body: { code: "CONFLICT" } });
});

test("a zone that a new domain takes while a mirror is added there does not become the mirror", async () => {
  const [mirror, view] = await during(addMirror, addView);
  expect(view.status).toBe(201);
  expect(mirror).toMatchObject({
    status: 409,
    body: { code: "CONFLICT", message: expect.stringContaining("uses the zone") },
  });
});

test("a zone that becomes a mirror while a new domain reads it is not the domain's", async () => {
  const [view, mirror] = await during(addView, addMirror);
  expect(mirror.status).toBe(200);
  expect(view).toMatchObject({
    status: 409,
    body: { code: "CONFLICT", message: expect.stringContaining("uses the zone") },
  });
});
