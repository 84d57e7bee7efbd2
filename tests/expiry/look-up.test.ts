import { describe, expect, test } from "vitest";
import { Clock, minute, second } from "../support/clock.ts";
import { duringTest, startRdapServer, startWhoisServer } from "./registries.ts";
import { openLookUp } from "./looking-up.ts";
import { rdapShapes, type RdapShape } from "./rdap-shapes.ts";
import { whoisShapes, type WhoisShape } from "./whois-shapes.ts";

const topLevel = (name: string) => name.replace(/^.*\./, "");

/** What a look-up finds where a registry answers so over RDAP. */
function meaning(means: RdapShape["means"]) {
  if (typeof means === "string") return { kind: means };
  const { expiresAt, registrarExpiresAt, registrar = null, statuses = [] } = means;
  const registration = {
    registrar,
    statuses,
    registrarExpiresAt: registrarExpiresAt ? new Date(registrarExpiresAt) : null,
  };
  return { kind: "found", source: "rdap", expiresAt: new Date(expiresAt), registration };
}

/** The same over WHOIS. */
function whoisMeaning(means: WhoisShape["means"]) {
  if (typeof means === "string") {
    return {
      kind: { unregistered: "unregistered", "no registry": "unknown", limited: "failed", broken: "failed" }[means],
    };
  }
  const expiresAt = means.until === undefined ? means.registrarExpiresAt : new Date(means.until);
  return expiresAt ? { kind: "found", source: "whois", expiresAt } : { kind: "unpublished" };
}

const registered = (expiration: string, more: object = {}) => ({
  objectClassName: "domain",
  ldhName: "example.com",
  events: [{ eventAction: "expiration", eventDate: expiration }],
  ...more,
});
const related = (href: string) => ({ links: [{ rel: "related", type: "application/rdap+json", href }] });

const limited = (retry: Record<string, string> = {}) => ({ status: 429, headers: retry, body: "" });

const dated = (date: string, more = "") =>
  `Domain Name: EXAMPLE.COM\nRegistry Expiry Date: ${date}\nRegistrar: First\n${more}`;

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

describe("over RDAP,", () => {
  test.each(rdapShapes)("$what is understood ($name)", async ({ name, answer, means, says = "" }) => {
    const server = await duringTest(startRdapServer(answer));
    const { find } = await openLookUp({ rdap: { [topLevel(name)]: `${server.url}/` } });
    const finding = await find(name);
    expect(server.asked[0]).toBe(name);
    expect(finding).toMatchObject(meaning(means));
    expect("message" in finding ? finding.message : "").toContain(says);
  });

  test("the registrar's own answer is kept apart, and the earlier date counts", async () => {
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
    ["answers for another name", { ...registered("2027-03-01T00:00:00Z"), ldhName: "other.com" }],
    ["knows nothing", { status: 404, body: "" }],
  ])("a registrar that %s does not take the registry's date away", async (_what, answer) => {
    const registrar = await duringTest(startRdapServer(() => answer));
    const link = related(`${registrar.url}/domain/example.com`);
    const registry = await duringTest(startRdapServer(() => registered("2028-03-01T00:00:00Z", link)));
    const { find } = await openLookUp({ rdap: { com: registry.url } });
    expect(await find("example.com")).toMatchObject({ kind: "found", expiresAt: new Date("2028-03-01T00:00:00Z") });
    expect(registrar.asked).toHaveLength(1);
  });

  test.each(["http://169.254.169.254/domain/example.com", "http://10.1.2.3/x", "file:///etc/passwd", "not an address"])(
    "a link to %s leads nowhere",
    async (href) => {
      const registry = await duringTest(startRdapServer(() => registered("2028-03-01T00:00:00Z", related(href))));
      const { find } = await openLookUp({ rdap: { com: registry.url } });
      expect(await find("example.com")).toMatchObject({ kind: "found", expiresAt: new Date("2028-03-01T00:00:00Z") });
    },
  );

  test("a redirect to another server is followed, and that one answers", async () => {
    const second = await duringTest(startRdapServer(() => registered("2028-03-01T00:00:00Z")));
    const to = { location: `${second.url}/domain/example.com` };
    const first = await duringTest(startRdapServer(() => ({ status: 302, headers: to, body: "" })));
    const { find } = await openLookUp({ rdap: { com: first.url } });
    expect(await find("example.com")).toMatchObject({ kind: "found", expiresAt: new Date("2028-03-01T00:00:00Z") });
    expect(second.asked).toEqual(["example.com"]);
  });

  test("a list that names a server in the inner network does not lead there", async () => {
    const { find } = await openLookUp({ rdap: { com: "https://192.168.0.1/rdap/" } });
    expect(await find("example.com")).toMatchObject({
      kind: "failed",
      message: expect.stringContaining("may not be called"),
    });
  });

  test("a name below a registration, and below a suffix of two labels, is asked for as it is registered", async () => {
    const server = await duringTest(startRdapServer(() => ({ errorCode: 404 })));
    const { find } = await openLookUp({ rdap: { "com uk": server.url } });
    await find("dev.example.com");
    await find("a.b.example.co.uk");
    expect(server.asked).toEqual(["example.com", "example.co.uk"]);
  });

  test("a public suffix, and a name that no registry has, are told apart from failures", async () => {
    const { find } = await openLookUp({});
    expect(await find("co.uk")).toMatchObject({ kind: "unknown" });
    expect(await find("printer.internal")).toMatchObject({ kind: "unknown" });
  });
});

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

describe("over WHOIS,", () => {
  test.each(whoisShapes)("$what is understood ($name)", async ({ name, text, means }) => {
    const registry = await duringTest(startWhoisServer(() => text));
    const first = await duringTest(
      startWhoisServer(() => `refer: ${registry.address}\ndomain: ${topLevel(name)}\ncreated: 1990-01-01\n`),
    );
    const { find } = await openLookUp({ whois: first.address });
    const finding = await find(name);
    expect(finding).toMatchObject(whoisMeaning(means));
  });

  test("IANA's server is asked once for each top-level domain, and the registry in its own way", async () => {
    const registry = await duringTest(startWhoisServer(() => dated("2027-03-01T00:00:00Z")));
    const iana = await duringTest(startWhoisServer(() => `domain: COM\nwhois: ${registry.address}\nstatus: ACTIVE\n`));
    const { find } = await openLookUp({ iana: iana.address });
    expect(await find("www.example.com")).toMatchObject({ kind: "found", expiresAt: new Date("2027-03-01T00:00:00Z") });
    await find("example.com");
    expect([iana.asked, registry.asked]).toEqual([["com"], ["example.com", "example.com"]]);
  });

  test("the registrar's own answer is kept apart, and the earlier date counts", async () => {
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
  ])("a registrar that %s does not take the registry's date away", async (_what, answer) => {
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
    "a referral to %s leads nowhere",
    async (referral) => {
      const first = await duringTest(
        startWhoisServer(() => dated("2028-02-01T00:00:00Z", `Registrar WHOIS Server: ${referral}\n`)),
      );
      const { find } = await openLookUp({ whois: first.address });
      expect(await find("example.com")).toMatchObject({ kind: "found", expiresAt: new Date("2028-02-01") });
    },
  );

  test("a referral to an inner network alone is a failure that says so", async () => {
    const first = await duringTest(startWhoisServer(() => "domain: COM\nrefer: 10.0.0.1\n"));
    const { find } = await openLookUp({ whois: first.address });
    expect(await find("example.com")).toMatchObject({
      kind: "failed",
      message: expect.stringContaining("may not be called"),
    });
  });

  test("what is no UTF-8 is read all the same", async () => {
    const text = "domain: example.is\nregistrar: Bjarni J\u00f3nsson\nexpires: May 10 2027\n";
    const server = await duringTest(startWhoisServer(() => Buffer.from(text, "latin1")));
    const { find } = await openLookUp({ whois: server.address });
    expect(await find("example.is")).toMatchObject({ registration: { registrar: "Bjarni J\u00f3nsson" } });
  });

  test("a flood is cut off", async () => {
    const server = await duringTest(startWhoisServer(() => "x".repeat(1_000_000)));
    const { find } = await openLookUp({ whois: server.address });
    expect(await find("example.com")).toMatchObject({ kind: "failed", message: expect.stringContaining("more than") });
  });

  test("a name in Unicode is asked for in A-labels", async () => {
    const server = await duringTest(startWhoisServer(() => "Domain: b\u00fccher.example\nexpires: 2027-03-01\n"));
    const { find } = await openLookUp({ whois: server.address });
    expect(await find("xn--bcher-kva.example")).toMatchObject({ kind: "found" });
    expect(server.asked).toEqual(["xn--bcher-kva.example"]);
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
      message: expect.stringMatching(/status 502.*answers with nothing/),
    });
  });

  test("knows no such name, nobody else is asked", async () => {
    const { finding, askedWhois } = await both({ status: 404, body: "" }, expires);
    expect([finding.kind, askedWhois]).toEqual(["unregistered", 0]);
  });
});
