import { describe, expect, test } from "vitest";
import { bothViews, manualConfig } from "../../support/zones.ts";
import { useZonewright } from "../../support/zonewright.ts";

const zw = useZonewright();

describe("comparing two domains", () => {
  test("a comparison shows the records that only one of two domains has, and those that differ", async () => {
    const [zone, internal] = await bothViews(zw, await manualConfig(zw));
    await zone.add("A", "same", "192.0.2.1", 300);
    await internal.add("A", "same", "192.0.2.1", 300);
    await zone.add("A", "ttl", "192.0.2.2", 300);
    await internal.add("A", "ttl", "192.0.2.2", 60);
    await zone.add("A", "www", "192.0.2.3");
    await internal.add("A", "db", "10.0.0.1");
    const { status, body } = await zone.post("/compare", { with: internal.id });
    expect(status).toBe(200);
    expect(body.added.map(({ name }: { name: string }) => name)).toEqual(["db"]);
    expect(body.removed.map(({ name }: { name: string }) => name)).toEqual(["www"]);
    expect(body.modified).toMatchObject([
      { before: { name: "ttl" }, after: { name: "ttl" }, changes: { ttl: [300, 60] } },
    ]);
    expect((await zone.post("/compare", { with: zone.id })).body).toEqual({ added: [], removed: [], modified: [] });
    expect((await zone.post("/compare", { with: "01a1fb0f-6204-7000-abd4-276e976be8b7" })).status).toBe(404);
  });

  test("a comparison shows a member only the hosts that they see in both domains", async () => {
    const [zone, internal] = await bothViews(zw, await manualConfig(zw));
    for (const host of ["a", "b", "c"]) await zone.add("A", host, "192.0.2.1");
    for (const host of ["b", "d"]) await internal.add("A", host, "10.0.0.1");
    const member = await zw.member("views-comparer");
    const { body: me } = await member.get("/api/auth/me");
    const assign = (domainId: string, subdomainPattern: string) =>
      zw.admin.post("/api/assignments", { userId: me.id, domainId, subdomainPattern, access: "read" });
    await assign(zone.id, "a");
    expect((await member.post(`${zone.path}/compare`, { with: internal.id })).status).toBe(404);
    await assign(zone.id, "b");
    await assign(internal.id, "b");
    await assign(internal.id, "d");
    const { body } = await member.post(`${zone.path}/compare`, { with: internal.id });
    expect([body.added, body.removed].flat().map(({ name }) => name)).toEqual(["b", "b"]);
  });
});
