import { beforeEach, describe, expect, test } from "vitest";
import { assign, idOf } from "../../accounts/assignments/assigned.ts";
import { entries } from "../../notifications/audit/trail.ts";
import type { RestClient } from "../../support/rest-client.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { addZone, manualConfig, manualZone, type Zone } from "../../support/zones.ts";
import { approve, creating, readRequest, requested, verdict } from "./requested.ts";

const zw = useZonewright({ env: { JOBS: "off" } });

let count = 0;
let author: RestClient;
let zone: Zone;
beforeEach(async () => {
  count += 1;
  author = await zw.member(`author-${count}`);
  zone = await manualZone(zw);
  await assign(zw, author, zone.id, "*", "write");
});

describe("with a domain", () => {
  test("its open requests are withdrawn, every verdict is refused with that reason, and only their authors and administrators still see them", async () => {
    const other = await zw.member(`other-${count}`);
    await assign(zw, other, zone.id, "*", "write");
    const open = await requested(author, zone, creating("one"));
    const approved = await requested(author, zone, creating("two"));
    await approve(zw.admin, approved);
    const rejected = await requested(author, zone, creating("three"));
    await verdict(zw.admin, rejected, "reject");
    await zw.admin.delete(zone.path);
    for (const client of [author, zw.admin]) {
      for (const made of [open, approved])
        expect(await readRequest(client, made)).toMatchObject({
          state: "withdrawn",
          domainId: null,
          domainName: zone.name,
          reason: "The domain was deleted.",
          plan: { creates: [{ value: "192.0.2.1" }] },
        });
      expect((await readRequest(client, rejected)).state).toBe("rejected");
    }
    expect((await other.get(`/api/change-requests/${open.id}`)).status).toBe(404);
    for (const verb of ["approve", "reject", "apply"] as const)
      expect(
        await verdict(zw.admin, open, verb, verb === "approve" ? { changesHash: "read before" } : {}),
      ).toMatchObject({
        status: 409,
        body: { message: "The request is already withdrawn. The domain was deleted." },
      });
    const [entry] = await entries(zw.admin, { targetId: zone.id, action: "domain.delete" });
    expect(entry).toMatchObject({ after: { requestsWithdrawn: 2 } });
  });

  test("a request does not come back to life with a new domain of the same name", async () => {
    const made = await requested(author, zone, creating("www"));
    await approve(zw.admin, made);
    await zw.admin.delete(zone.path);
    const again = await addZone(zw, { name: zone.name, providerConfigId: await manualConfig(zw) });
    await assign(zw, author, again.id, "*", "write");
    for (const client of [author, zw.admin]) {
      expect(await verdict(client, made, "apply")).toMatchObject({ status: 409, body: { code: "CONFLICT" } });
      expect((await client.get(`/api/change-requests?domain=${again.id}`)).body.total).toBe(0);
    }
    expect(await again.records()).toEqual([]);
  });
});

describe("with a user", () => {
  test("their open requests are withdrawn, and show no author", async () => {
    const made = await requested(author, zone, creating("www"));
    await approve(zw.admin, made);
    const id = await idOf(author);
    await zw.admin.delete(`/api/users/${id}`);
    expect(await readRequest(zw.admin, made)).toMatchObject({
      state: "withdrawn",
      authorId: null,
      author: null,
      reason: "Its author was deleted.",
    });
    const [entry] = await entries(zw.admin, { targetId: id, action: "user.delete" });
    expect(entry).toMatchObject({ after: { requestsWithdrawn: 1 } });
  });

  test("what only they approved is approved no longer, and what others approved as well still is", async () => {
    const reviewer = await zw.member(`reviewer-${count}`);
    const id = await idOf(reviewer);
    await zw.admin.put(`/api/users/${id}`, { role: "admin" });
    const alone = await requested(author, zone, creating("one"));
    const both = await requested(author, zone, creating("two"));
    for (const made of [alone, both]) await approve(reviewer, made);
    await approve(zw.admin, both);
    await zw.admin.put(`/api/users/${id}`, { role: "member" });
    await zw.admin.delete(`/api/users/${id}`);
    expect((await readRequest(author, alone)).state).toBe("open");
    expect((await readRequest(author, both)).state).toBe("approved");
    expect((await verdict(author, both, "apply")).body.state).toBe("applied");
  });

  test("the request of a disabled author is not applied", async () => {
    const made = await requested(author, zone, creating("www"));
    await approve(zw.admin, made);
    const id = await idOf(author);
    await zw.admin.put(`/api/users/${id}`, { disabled: true });
    expect((await verdict(zw.admin, made, "apply")).status).toBe(409);
    expect(await zone.records()).toEqual([]);
  });

  test("the approval of a disabled reviewer does not count", async () => {
    const reviewer = await zw.member(`judge-${count}`);
    const id = await idOf(reviewer);
    await zw.admin.put(`/api/users/${id}`, { role: "admin" });
    const made = await requested(author, zone, creating("www"));
    await approve(reviewer, made);
    await zw.admin.put(`/api/users/${id}`, { disabled: true });
    expect((await verdict(author, made, "apply")).body.code).toBe("REVIEW_REQUIRED");
    await zw.admin.put(`/api/users/${id}`, { disabled: false });
    expect((await verdict(author, made, "apply")).body.state).toBe("applied");
  });
});
