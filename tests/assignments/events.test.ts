import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { RestClient } from "../support/rest-client.ts";
import { useZonewright } from "../support/zonewright.ts";
import { manualZone, type Body, type Zone } from "../records/zones.ts";
import { assign } from "./assigned.ts";

/** What was told of assignments, oldest first: the log has a line for each notice. */
let told: Body[] = [];
const zw = useZonewright({
  logTo: {
    write(line) {
      const entry: Body = JSON.parse(line);
      if (String(entry.event).startsWith("assignment.")) told.push(entry);
    },
  },
});

let alice: RestClient;
let zone: Zone;

beforeAll(async () => {
  alice = await zw.member("alice");
});
beforeEach(async () => {
  zone = await manualZone(zw);
  told = [];
});

const events = () => told.map(({ event, metadata }) => ({ event, metadata }));
const ask = async (wish: object) => (await alice.post("/api/assignments/requests", wish)).body;
const decide = (id: string, verb: "approve" | "reject", note: string) =>
  zw.admin.post(`/api/assignments/requests/${id}/${verb}`, { note });

describe("of an assignment is told", () => {
  test("that it was made and that it was taken back, with what it is about", async () => {
    const { id } = await assign(zw, alice, zone.id, "*.dev", "write");
    await zw.admin.delete(`/api/assignments/${id}`);
    const domain = { domainId: zone.id, domainName: zone.name };
    const metadata = { type: "assignment", ...domain, subdomainPattern: "*.dev", host: null };
    expect(events()).toEqual([
      { event: "assignment.create", metadata },
      { event: "assignment.delete", metadata },
    ]);
    expect(told[0].msg).toBe(`*.dev in ${zone.name} is assigned to you`);
  });

  test("that it was asked for, and what became of that", async () => {
    const wish = { domainName: zone.name, subdomainPattern: "*.dev", host: "www.dev" };
    const domain = { domainId: zone.id, domainName: zone.name };
    const metadata = { type: "request", ...domain, subdomainPattern: "*.dev", host: "www.dev" };
    await decide((await ask(wish)).id, "approve", "Yes.");
    expect(events()).toEqual([
      { event: "assignment.request", metadata },
      { event: "assignment.approve", metadata },
    ]);
  });

  test("in a rejection no more than who asked knew", async () => {
    const about = { type: "request", subdomainPattern: "*", host: null };
    await decide((await ask({ domainName: zone.name })).id, "reject", "No.");
    await decide((await ask({ domainId: zone.id })).id, "reject", "No.");
    expect(events().filter(({ event }) => event === "assignment.reject")).toEqual([
      { event: "assignment.reject", metadata: { ...about, domainId: null, domainName: zone.name } },
      { event: "assignment.reject", metadata: { ...about, domainId: zone.id, domainName: null } },
    ]);
    expect(told.at(-1)?.msg).toBe("Your request for a domain was rejected");
  });

  test("nothing where nothing came of it", async () => {
    const { userId } = await assign(zw, alice, zone.id, "*");
    const { id } = await ask({ domainName: "not-managed.example" });
    told = [];
    await zw.admin.post("/api/assignments", { userId, domainId: zone.id, access: "write" });
    await decide(id, "approve", "Yes.");
    await ask({ domainName: "not-managed.example" });
    await zw.admin.delete(`/api/assignments/${id}`);
    expect(events()).toEqual([]);
  });
});
