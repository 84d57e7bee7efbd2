import { beforeAll, describe, expect, test } from "vitest";
import { assign } from "../../accounts/assignments/assigned.ts";
import type { RestClient } from "../../support/rest-client.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { manualConfig } from "../../support/zones.ts";

const zw = useZonewright();
const ids = new Map<string, string>();
let member: RestClient;

beforeAll(async () => {
  const providerConfigId = await manualConfig(zw);
  for (const name of ["example.com", "dev.example.com", "bücher.example", "xample.com"]) {
    const { body } = await zw.admin.post("/api/domains", { name, providerConfigId });
    ids.set(name, body.id);
  }
  member = await zw.member("looks-up");
  await assign(zw, member, ids.get("example.com") ?? "", "www.*", "read");
});

const listed = async (name: string, client = zw.admin) => {
  const { status, body } = await client.get(`/api/domains?name=${encodeURIComponent(name)}`);
  return status === 200 ? body.domains.map(({ id }: { id: string }) => id) : status;
};
const zoneOf = async (name: string, client = zw.admin) => {
  const { status, body } = await client.get(`/api/domains/zone-of?name=${encodeURIComponent(name)}`);
  return status === 200 ? [body.domain.id, body.host] : status;
};

describe("a domain's exact name", () => {
  test.each(["example.com", "EXAMPLE.com", "example.com."])(
    "the exact name %s finds that domain alone",
    async (name) => {
      expect(await listed(name)).toEqual([ids.get("example.com")]);
    },
  );

  test("a domain is found by its exact name in Unicode and in A-labels", async () => {
    expect(await listed("bücher.example")).toEqual([ids.get("bücher.example")]);
    expect(await listed("xn--bcher-kva.example")).toEqual([ids.get("bücher.example")]);
  });

  test("an exact name without a domain finds nothing, and an invalid name is refused", async () => {
    expect(await listed("ample.com")).toEqual([]);
    expect(await listed("no such name")).toBe(400);
  });

  test("an exact name shows members only what they may see", async () => {
    expect(await listed("example.com", member)).toEqual([ids.get("example.com")]);
    expect(await listed("dev.example.com", member)).toEqual([]);
  });
});

describe("the domain that holds a host name", () => {
  test.each([
    ["www.example.com", "example.com", "www"],
    ["a.b.dev.example.com.", "dev.example.com", "a.b"],
    ["dev.example.com", "dev.example.com", "@"],
    ["notdev.example.com", "example.com", "notdev"],
    ["*.Example.com", "example.com", "*"],
    ["_acme-challenge.bücher.example", "bücher.example", "_acme-challenge"],
  ])("the domain that holds the host %s is %s", async (name, zone, host) => {
    expect(await zoneOf(name)).toEqual([ids.get(zone), host]);
  });

  test("a host name outside every managed domain is 404, and an invalid host name is 400", async () => {
    expect(await zoneOf("www.example.org")).toBe(404);
    expect(await zoneOf("com")).toBe(404);
    expect(await zoneOf("a..b")).toBe(400);
    expect(await zoneOf("a.".repeat(400))).toBe(400);
  });

  test("the domain of a host is searched only among visible domains, and counts only visible records", async () => {
    expect(await zoneOf("www.dev.example.com", member)).toEqual([ids.get("example.com"), "www.dev"]);
    await zw.admin.post(`/api/domains/${ids.get("example.com")}/records`, {
      recordType: "A",
      name: "hidden",
      value: "192.0.2.1",
    });
    const { body } = await member.get("/api/domains/zone-of?name=www.example.com");
    expect(body.domain.recordCount).toBe(0);
  });
});
