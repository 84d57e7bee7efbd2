import { describe, expect, test } from "vitest";
import { duringTest, startWhoisServer } from "./registries.ts";
import { openLookUp } from "./lookups.ts";
import { whoisShapes, type WhoisShape } from "./whois-shapes.ts";

const topLevel = (name: string) => name.replace(/^.*\./, "");

/** What a lookup finds if a registry gives this answer over WHOIS. */
function whoisMeaning(means: WhoisShape["means"]) {
  if (typeof means === "string") {
    return {
      kind: { unregistered: "unregistered", "no registry": "unknown", limited: "failed", broken: "failed" }[means],
    };
  }
  const expiresAt = means.until === undefined ? means.registrarExpiresAt : new Date(means.until);
  return expiresAt ? { kind: "found", source: "whois", expiresAt } : { kind: "unpublished" };
}

const dated = (date: string, more = "") =>
  `Domain Name: EXAMPLE.COM\nRegistry Expiry Date: ${date}\nRegistrar: First\n${more}`;

describe("lookups over WHOIS", () => {
  test.each(whoisShapes)("the WHOIS answer of $what is read correctly ($name)", async ({ name, text, means }) => {
    const registry = await duringTest(startWhoisServer(() => text));
    const first = await duringTest(
      startWhoisServer(() => `refer: ${registry.address}\ndomain: ${topLevel(name)}\ncreated: 1990-01-01\n`),
    );
    const { find } = await openLookUp({ whois: first.address });
    const finding = await find(name);
    expect(finding).toMatchObject(whoisMeaning(means));
  });

  test("IANA's server is asked once per top-level domain, and the registry for each name", async () => {
    const registry = await duringTest(startWhoisServer(() => dated("2027-03-01T00:00:00Z")));
    const iana = await duringTest(startWhoisServer(() => `domain: COM\nwhois: ${registry.address}\nstatus: ACTIVE\n`));
    const { find } = await openLookUp({ iana: iana.address });
    expect(await find("www.example.com")).toMatchObject({ kind: "found", expiresAt: new Date("2027-03-01T00:00:00Z") });
    await find("example.com");
    expect([iana.asked, registry.asked]).toEqual([["com"], ["example.com", "example.com"]]);
  });

  test("the registrar's WHOIS answer is stored separately, and the earlier date counts", async () => {
    const registrar = await duringTest(
      startWhoisServer(
        () => "Domain Name: example.com\nRegistrar Registration Expiration Date: 2027-02-01\nRegistrar: Second\n",
      ),
    );
    const referral = `Registrar WHOIS Server: ${registrar.address}\n`;
    const registry = await duringTest(startWhoisServer(() => dated("2028-02-01T00:00:00Z", referral)));
    const { find } = await openLookUp({ whois: registry.address });
    expect(await find("example.com")).toMatchObject({
      kind: "found",
      expiresAt: new Date("2027-02-01"),
      registration: {
        registrar: "First",
        registryExpiresAt: new Date("2028-02-01"),
        registrarExpiresAt: new Date("2027-02-01"),
      },
    });
  });

  test.each([
    ["says nothing", () => ""],
    ["knows nothing", () => "No match for EXAMPLE.COM\n"],
    ["refers back", () => "Registrar WHOIS Server: registry\n"],
  ])("a registrar that %s over WHOIS leaves the registry's date in place", async (_what, answer) => {
    const addresses: string[] = [];
    const registrar = await duringTest(startWhoisServer(() => answer().replace("registry", addresses[0] ?? "")));
    const referral = `Registrar WHOIS Server: ${registrar.address}\n`;
    const registry = await duringTest(startWhoisServer(() => dated("2028-02-01T00:00:00Z", referral)));
    addresses.push(registry.address);
    const { find } = await openLookUp({ whois: registry.address });
    expect(await find("example.com")).toMatchObject({ kind: "found", expiresAt: new Date("2028-02-01") });
    expect([registry.asked.length, registrar.asked.length]).toEqual([1, 1]);
  });

  test.each(["10.0.0.1", "169.254.169.254", "[::1]:43", "192.0.2.1:25"])(
    "a WHOIS referral to %s is not followed",
    async (referral) => {
      const first = await duringTest(
        startWhoisServer(() => dated("2028-02-01T00:00:00Z", `Registrar WHOIS Server: ${referral}\n`)),
      );
      const { find } = await openLookUp({ whois: first.address });
      expect(await find("example.com")).toMatchObject({ kind: "found", expiresAt: new Date("2028-02-01") });
    },
  );

  test("a WHOIS referral to an internal network alone is reported as a failure", async () => {
    const first = await duringTest(startWhoisServer(() => "domain: COM\nrefer: 10.0.0.1\n"));
    const { find } = await openLookUp({ whois: first.address });
    expect(await find("example.com")).toMatchObject({
      kind: "failed",
      message: expect.stringContaining("is not allowed"),
    });
  });

  test("a WHOIS answer that is not UTF-8 is read anyway", async () => {
    const text = "domain: example.is\nregistrar: Bjarni J\u00f3nsson\nexpires: May 10 2027\n";
    const server = await duringTest(startWhoisServer(() => Buffer.from(text, "latin1")));
    const { find } = await openLookUp({ whois: server.address });
    expect(await find("example.is")).toMatchObject({ registration: { registrar: "Bjarni J\u00f3nsson" } });
  });

  test("an oversized WHOIS answer is cut off", async () => {
    const server = await duringTest(startWhoisServer(() => "x".repeat(1_000_000)));
    const { find } = await openLookUp({ whois: server.address });
    expect(await find("example.com")).toMatchObject({ kind: "failed", message: expect.stringContaining("more than") });
  });

  test("WHOIS is asked about a Unicode name in A-labels", async () => {
    const server = await duringTest(startWhoisServer(() => "Domain: b\u00fccher.example\nexpires: 2027-03-01\n"));
    const { find } = await openLookUp({ whois: server.address });
    expect(await find("xn--bcher-kva.example")).toMatchObject({ kind: "found" });
    expect(server.asked).toEqual(["xn--bcher-kva.example"]);
  });
});
