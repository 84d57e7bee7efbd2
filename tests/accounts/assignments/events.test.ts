import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { RestClient } from "../../support/rest-client.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { manualZone, type Body, type Zone } from "../../support/zones.ts";
import { assign } from "./assigned.ts";

const zw = useZonewright();

let alice: RestClient;
let bob: RestClient;
let zone: Zone;

beforeAll(async () => {
  alice = await zw.member("alice");
  bob = await zw.member("bob");
});
beforeEach(async () => {
  zone = await manualZone(zw);
  for (const client of [alice, bob, zw.admin]) await client.delete("/api/notifications");
});

/** A user's notifications, oldest first. */
async function reported(client: RestClient): Promise<Body[]> {
  const { body } = await client.get("/api/notifications");
  return body.notifications.toReversed();
}

async function events(client: RestClient): Promise<Body[]> {
  return (await reported(client)).map(({ event, level, metadata }) => ({ event, level, metadata }));
}

const ask = async (wish: object) => (await alice.post("/api/assignments/requests", wish)).body;
const decide = (id: string, verb: "approve" | "reject", note: string) =>
  zw.admin.post(`/api/assignments/requests/${id}/${verb}`, { note });
const about = (more: object) => ({ domainId: zone.id, domainName: zone.name, subdomainPattern: "*.dev", ...more });

/** The pattern of an assignment that a notification reports as deleted. */
const gone = ({ event, metadata }: Body) => (event === "assignment.delete" ? [metadata.subdomainPattern] : []);

describe("notifications about assignments", () => {
  test("creating and deleting an assignment notifies its member and no one else", async () => {
    const { id } = await assign(zw, alice, zone.id, "*.dev", "write");
    await zw.admin.delete(`/api/assignments/${id}`);
    const metadata = about({ type: "assignment", host: null });
    expect(await events(alice)).toEqual([
      { event: "assignment.create", level: "success", metadata },
      { event: "assignment.delete", level: "warning", metadata },
    ]);
    expect(await reported(alice)).toMatchObject([
      {
        title: `*.dev in ${zone.name} was assigned to you`,
        content: `admin gave you permission to view and change the records of *.dev in ${zone.name}.`,
      },
      { title: `*.dev in ${zone.name} is no longer assigned to you` },
    ]);
    expect([await reported(bob), await reported(zw.admin)]).toEqual([[], []]);
  });

  test("deleting a domain notifies each member with an assignment on it", async () => {
    await assign(zw, alice, zone.id, "*");
    await assign(zw, bob, zone.id, "*");
    await assign(zw, bob, zone.id, "www", "read");
    await zw.admin.delete(zone.path);
    expect((await reported(alice)).flatMap(gone)).toEqual(["*"]);
    expect(new Set((await reported(bob)).flatMap(gone))).toEqual(new Set(["*", "www"]));
  });

  test("a request for an assignment notifies administrators, and its approval notifies the requester", async () => {
    const wish = { domainName: zone.name, subdomainPattern: "*.dev", host: "www.dev", reason: "Moving." };
    await decide((await ask(wish)).id, "approve", "Until May.");
    const metadata = about({ type: "request", host: "www.dev" });
    expect(await events(zw.admin)).toEqual([{ event: "assignment.request", level: "info", metadata }]);
    expect(await events(alice)).toEqual([{ event: "assignment.approve", level: "success", metadata }]);
    const [[asked], [approved]] = [await reported(zw.admin), await reported(alice)];
    expect([asked.title, asked.content]).toEqual([
      `alice requests access to *.dev in ${zone.name}`,
      `alice would like to view and change the records of *.dev in ${zone.name}. “Moving.”`,
    ]);
    expect(approved.content).toMatch(/“Until May\.”$/);
    expect(await reported(bob)).toEqual([]);
  });

  test("a rejection reveals no more about the domain than the requester knew", async () => {
    await decide((await ask({ domainName: zone.name })).id, "reject", "No.");
    await decide((await ask({ domainId: zone.id })).id, "reject", "No.");
    const metadata = { type: "request", subdomainPattern: "*", host: null };
    expect(await events(alice)).toEqual([
      {
        event: "assignment.reject",
        level: "warning",
        metadata: { ...metadata, domainId: null, domainName: zone.name },
      },
      { event: "assignment.reject", level: "warning", metadata: { ...metadata, domainId: zone.id, domainName: null } },
    ]);
    expect(JSON.stringify((await reported(alice))[1])).not.toContain(zone.name);
  });

  test("calls that change nothing send no notification", async () => {
    const { userId } = await assign(zw, alice, zone.id, "*");
    const { id } = await ask({ domainName: "not-managed.example" });
    for (const client of [alice, zw.admin]) await client.delete("/api/notifications");
    await zw.admin.post("/api/assignments", { userId, domainId: zone.id, access: "write" });
    await decide(id, "approve", "Yes.");
    await ask({ domainName: "not-managed.example" });
    await zw.admin.delete(`/api/assignments/${id}`);
    expect([await reported(alice), await reported(zw.admin)]).toEqual([[], []]);
  });
});
