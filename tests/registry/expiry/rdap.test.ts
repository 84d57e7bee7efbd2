import { describe, expect, test } from "vitest";
import { duringTest, startRdapServer } from "./registries.ts";
import { openLookUp } from "./lookups.ts";
import { rdapShapes, type RdapShape } from "./rdap-shapes.ts";

const topLevel = (name: string) => name.replace(/^.*\./, "");

/** What a lookup finds if a registry gives this answer over RDAP. */
function meaning(means: RdapShape["means"]) {
  if (typeof means === "string") return { kind: means };
  const { expiresAt, registrarExpiresAt, registrar = null, statuses = [], nameServers = null, ds = null } = means;
  const registration = {
    registrar,
    statuses,
    nameServers,
    ds,
    registrarExpiresAt: registrarExpiresAt ? new Date(registrarExpiresAt) : null,
  };
  return { kind: "found", source: "rdap", expiresAt: new Date(expiresAt), registration };
}

const registered = (expiration: string, more: object = {}) => ({
  objectClassName: "domain",
  ldhName: "example.com",
  events: [{ eventAction: "expiration", eventDate: expiration }],
  ...more,
});
const related = (href: string) => ({ links: [{ rel: "related", type: "application/rdap+json", href }] });

describe("lookups over RDAP", () => {
  test.each(rdapShapes)(
    "the RDAP answer of $what is read correctly ($name)",
    async ({ name, answer, means, says = "" }) => {
      const server = await duringTest(startRdapServer(answer));
      const { find } = await openLookUp({ rdap: { [topLevel(name)]: `${server.url}/` } });
      const finding = await find(name);
      expect(server.asked[0]).toBe(name);
      expect(finding).toMatchObject(meaning(means));
      expect("message" in finding ? finding.message : "").toContain(says);
    },
  );

  test("the registrar's RDAP answer is stored separately, and the earlier date counts", async () => {
    const registrar = await duringTest(startRdapServer(() => registered("2027-03-01T00:00:00Z")));
    const link = related(`${registrar.url}/domain/EXAMPLE.COM`);
    const registry = await duringTest(startRdapServer(() => registered("2028-03-01T00:00:00Z", link)));
    const { find } = await openLookUp({ rdap: { com: registry.url } });
    expect(await find("example.com")).toMatchObject({
      kind: "found",
      expiresAt: new Date("2027-03-01T00:00:00Z"),
      registration: {
        registryExpiresAt: new Date("2028-03-01T00:00:00Z"),
        registrarExpiresAt: new Date("2027-03-01T00:00:00Z"),
      },
    });
  });

  test.each([
    ["is broken", { status: 500, body: "" }],
    ["returns data for another name", { ...registered("2027-03-01T00:00:00Z"), ldhName: "other.com" }],
    ["knows nothing", { status: 404, body: "" }],
  ])("a registrar that %s over RDAP leaves the registry's date in place", async (_what, answer) => {
    const registrar = await duringTest(startRdapServer(() => answer));
    const link = related(`${registrar.url}/domain/example.com`);
    const registry = await duringTest(startRdapServer(() => registered("2028-03-01T00:00:00Z", link)));
    const { find } = await openLookUp({ rdap: { com: registry.url } });
    expect(await find("example.com")).toMatchObject({ kind: "found", expiresAt: new Date("2028-03-01T00:00:00Z") });
    expect(registrar.asked).toHaveLength(1);
  });

  test.each(["http://169.254.169.254/domain/example.com", "http://10.1.2.3/x", "file:///etc/passwd", "not an address"])(
    "a link to %s in an RDAP answer is not followed",
    async (href) => {
      const registry = await duringTest(startRdapServer(() => registered("2028-03-01T00:00:00Z", related(href))));
      const { find } = await openLookUp({ rdap: { com: registry.url } });
      expect(await find("example.com")).toMatchObject({ kind: "found", expiresAt: new Date("2028-03-01T00:00:00Z") });
    },
  );

  test("an RDAP redirect to another server is followed, and its answer is used", async () => {
    const second = await duringTest(startRdapServer(() => registered("2028-03-01T00:00:00Z")));
    const to = { location: `${second.url}/domain/example.com` };
    const first = await duringTest(startRdapServer(() => ({ status: 302, headers: to, body: "" })));
    const { find } = await openLookUp({ rdap: { com: first.url } });
    expect(await find("example.com")).toMatchObject({ kind: "found", expiresAt: new Date("2028-03-01T00:00:00Z") });
    expect(second.asked).toEqual(["example.com"]);
  });

  test("a bootstrap list cannot lead to a server in the internal network", async () => {
    const { find } = await openLookUp({ rdap: { com: "https://192.168.0.1/rdap/" } });
    expect(await find("example.com")).toMatchObject({
      kind: "failed",
      message: expect.stringContaining("is not allowed"),
    });
  });

  test("RDAP is asked about the registered name, even for names below it and two-label suffixes", async () => {
    const server = await duringTest(startRdapServer(() => ({ errorCode: 404 })));
    const { find } = await openLookUp({ rdap: { "com uk": server.url } });
    await find("dev.example.com");
    await find("a.b.example.co.uk");
    expect(server.asked).toEqual(["example.com", "example.co.uk"]);
  });

  test("public suffixes and names without a registry are distinguished from failures", async () => {
    const { find } = await openLookUp({});
    expect(await find("co.uk")).toMatchObject({ kind: "unknown" });
    expect(await find("printer.internal")).toMatchObject({ kind: "unknown" });
  });
});
