import { describe, expect, test } from "vitest";
import { Clock, minute, second } from "../support/clock.ts";
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

describe("a server that was asked too often", () => {
  test("is left alone for as long as it says, and nobody else is asked in its place", async () => {
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

  test("rests longer each time where it does not say", async () => {
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

  test("is asked five times at once and then no more than once a second", async () => {
    const server = await duringTest(startRdapServer(() => ({ errorCode: 404 })));
    const { find } = await openLookUp({ rdap: { com: server.url } });
    const findings = await Promise.all(Array.from({ length: 8 }, (_, index) => find(`n${index}.com`)));
    expect(findings.map(({ kind }) => kind)).toEqual([...Array(5).fill("unregistered"), ...Array(3).fill("failed")]);
    expect(server.asked).toHaveLength(5);
  });
});

describe("where RDAP", () => {
  test("has no date, WHOIS adds it", async () => {
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
  ])("has no date and WHOIS %s, the registry publishes none", async (_what, text) => {
    expect((await both(undated(), text)).finding).toMatchObject({ kind: "unpublished", source: "rdap" });
  });

  test("fails, WHOIS stands in", async () => {
    expect((await both({ status: 502, body: "" }, expires)).finding).toMatchObject({ kind: "found", source: "whois" });
  });

  test("fails and WHOIS does, both are told", async () => {
    const { finding } = await both({ status: 502, body: "" }, "");
    expect(finding).toMatchObject({
      kind: "failed",
      message: expect.stringMatching(/status 502.*returned an empty response/),
    });
  });

  test("knows no such name, nobody else is asked", async () => {
    const { finding, askedWhois } = await both({ status: 404, body: "" }, expires);
    expect([finding.kind, askedWhois]).toEqual(["unregistered", 0]);
  });
});
