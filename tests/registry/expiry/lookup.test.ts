import { describe, expect, test } from "vitest";
import { Clock, minute, second } from "../../support/clock.ts";
import { duringTest, startRdapServer, startWhoisServer } from "./registries.ts";
import { openLookUp } from "./lookups.ts";

const limited = (retry: Record<string, string> = {}) => ({ status: 429, headers: retry, body: "" });

const undated = () => ({
  objectClassName: "domain",
  ldhName: "example.fi",
  status: ["active"],
  entities: [{ roles: ["registrar"], handle: "Oy" }],
});
const expires =
  "domain.............: example.fi\nexpires............: 31.8.2027 00:00:00\nregistrar..........: Other\n";

async function both(rdapAnswer: object, whoisAnswer: string) {
  const rdap = await duringTest(startRdapServer(() => rdapAnswer));
  const whois = await duringTest(startWhoisServer(() => whoisAnswer));
  const { find } = await openLookUp({ rdap: { fi: rdap.url }, whois: whois.address });
  return { finding: await find("example.fi"), askedWhois: whois.asked.length };
}

test("no registry of the public DNS is asked about a name that is reserved for examples and tests", async () => {
  const server = await duringTest(startRdapServer(() => ({ errorCode: 404 })));
  const whois = await duringTest(startWhoisServer(() => ""));
  const { find } = await openLookUp({ rdap: { com: server.url }, whois: whois.address, isPublic: true });
  for (const name of ["example.com", "shop.example.com", "team.example", "a.test"])
    expect(await find(name)).toMatchObject({ kind: "unknown", message: expect.stringContaining("is reserved") });
  expect([...server.asked, ...whois.asked]).toEqual([]);
  await find("notexample.com");
  expect(server.asked).toHaveLength(1);
});

describe("registry servers that limit queries", () => {
  test("a rate-limiting server is left alone for as long as it asks, and no other server is used instead", async () => {
    const clock = new Clock();
    const whois = await duringTest(startWhoisServer(() => ""));
    const server = await duringTest(startRdapServer(() => limited({ "retry-after": "90" })));
    const { find } = await openLookUp({ rdap: { com: server.url }, whois: whois.address, clock });
    expect(await find("example.com")).toMatchObject({ kind: "failed", limited: true });
    clock.advance(80 * second);
    expect(await find("other.com")).toMatchObject({ kind: "failed", limited: true });
    expect(server.asked).toHaveLength(1);
    clock.advance(11 * second);
    await find("other.com");
    expect([server.asked.length, whois.asked.length]).toEqual([2, 0]);
  });

  test("a rate-limiting server that names no pause is left alone longer each time", async () => {
    const clock = new Clock();
    const server = await duringTest(startRdapServer(() => limited()));
    const { find } = await openLookUp({ rdap: { com: server.url }, clock });
    const askedAfter = async (milliseconds: number) => {
      clock.advance(milliseconds);
      await find("example.com");
      return server.asked.length;
    };
    expect(await askedAfter(0)).toBe(1);
    expect(await askedAfter(minute + second)).toBe(2);
    expect(await askedAfter(minute + second)).toBe(2);
    expect(await askedAfter(minute + second)).toBe(3);
  });

  test("a server is asked five times in a burst and then at most once a second", async () => {
    const server = await duringTest(startRdapServer(() => ({ errorCode: 404 })));
    const { find } = await openLookUp({ rdap: { com: server.url } });
    const findings = await Promise.all(Array.from({ length: 8 }, (_, index) => find(`n${index}.com`)));
    expect(findings.map(({ kind }) => kind)).toEqual([...Array(5).fill("unregistered"), ...Array(3).fill("failed")]);
    expect(server.asked).toHaveLength(5);
  });
});

describe("RDAP lookups with WHOIS as a fallback", () => {
  test("WHOIS provides the date if RDAP has none", async () => {
    const { finding } = await both(undated(), expires);
    expect(finding).toMatchObject({
      kind: "found",
      source: "whois",
      expiresAt: new Date("2027-08-31"),
      registration: { registrar: "Oy", statuses: ["active"] },
    });
  });

  test.each([
    ["has none either", "domain: example.fi\nregistrar: X\n"],
    ["is silent", ""],
    ["knows nothing", "No match\n"],
  ])("the date counts as unpublished if RDAP has none and WHOIS %s", async (_what, text) => {
    expect((await both(undated(), text)).finding).toMatchObject({ kind: "unpublished", source: "rdap" });
  });

  test("WHOIS replaces a failed RDAP lookup", async () => {
    expect((await both({ status: 502, body: "" }, expires)).finding).toMatchObject({ kind: "found", source: "whois" });
  });

  test("both failures are reported if RDAP and WHOIS fail", async () => {
    const { finding } = await both({ status: 502, body: "" }, "");
    expect(finding).toMatchObject({
      kind: "failed",
      message: expect.stringMatching(/status 502.*returned an empty response/),
    });
  });

  test("WHOIS is not asked about a name that RDAP does not know", async () => {
    const { finding, askedWhois } = await both({ status: 404, body: "" }, expires);
    expect([finding.kind, askedWhois]).toEqual(["unregistered", 0]);
  });
});
