import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AppError } from "../../../server/platform/errors.ts";
import { writableTypes } from "../../../server/dns/zone-file/type-names.ts";
import { expandTemplate, type Application } from "../../../server/bulk/templates/applying/expand.ts";
import { type Template, type TemplateRecord, unsupportedReason } from "../../../server/bulk/templates/form/template.ts";

const zone = "example.com";

function template(records: TemplateRecord[], more: Partial<Template> = {}): Template {
  return { providerId: "p.example", providerName: "P", serviceId: "s", serviceName: "S", records, ...more };
}

function expand(records: TemplateRecord[], at: Partial<Application> = {}, more: Partial<Template> = {}) {
  return expandTemplate(template(records, more), {
    zone,
    host: "@",
    variables: {},
    groups: null,
    apexAlias: null,
    ...at,
  });
}

/** The records as `name type value`. */
function lines(...args: Parameters<typeof expand>): string[] {
  return expand(...args).records.map(({ name, recordType, value }) => `${name} ${recordType} ${value}`);
}

/** The issues of a refused template, as `path: message`. */
function faults(...args: Parameters<typeof expand>): string[] {
  try {
    expand(...args);
  } catch (error) {
    if (error instanceof AppError && error.code === "BAD_REQUEST")
      return (error.issues ?? []).map(({ path, message }) => `${path.join(".")}: ${message}`);
    throw error;
  }
  return [];
}

const a = (host: string): TemplateRecord => ({ type: "A", host, pointsTo: "192.0.2.1", ttl: 600 });

describe("types", () => {
  test.each<[type: string, data: string, line: string]>([
    ["LOC", "52 22 23 N 4 53 32 E 2m", "LOC 52 22 23.000 N 4 53 32.000 E 2.00m 1m 10000m 10m"],
    ["DNAME", "Other.example.net", "DNAME other.example.net."],
    ["OPENPGPKEY", "AQID", "OPENPGPKEY AQID"],
    ["DNSKEY", "256 3 8 AQIDBA==", "DNSKEY 256 3 8 AQIDBA=="],
    ["RP", "admin.example.net. .", "RP admin.example.net. ."],
    ["EUI48", "00-00-5e-00-53-2a", "EUI48 00-00-5e-00-53-2a"],
    ["SMIMEA", "3 1 0 00", "SMIMEA 3 1 0 00"],
    ["type65280", String.raw`\# 2 0A0B`, String.raw`TYPE65280 \# 2 0a0b`],
    ["TYPE1", "192.0.2.1", "A 192.0.2.1"],
  ])("a template writes %s records, with variables", (type, data, line) => {
    const field = type === "TYPE1" ? { pointsTo: "%v%" } : { data: "%v%" };
    expect(lines([{ type, host: "w", ...field }], { variables: { v: data } })).toEqual([`w ${line}`]);
  });

  test("a template writes every type that clients may write anywhere", () => {
    const refused = writableTypes.filter((type) => unsupportedReason({ type }) !== null);
    expect([writableTypes.length > 60, refused]).toEqual([true, []]);
  });

  test.each(["SOA", "RRSIG", "NSEC3"])("%s, which name servers make themselves, is refused by that reason", (type) => {
    expect(unsupportedReason({ type })).toContain("made by the name server itself");
  });
});

describe("hosts", () => {
  test.each<[host: string, at: string, owner: string]>([
    ["@", "@", "@"],
    ["", "@", "@"],
    ["www", "@", "www"],
    ["*", "@", "*"],
    ["@", "bar", "bar"],
    ["www", "bar", "www.bar"],
    ["*", "bar", "*.bar"],
    ["www.%fqdn%.", "bar", "www.bar"],
    ["_dmarc.%domain%.", "bar", "_dmarc"],
    ["%domain%.", "bar", "@"],
    ["%host%", "bar", "bar.bar"],
    ["%host%", "@", "@"],
    ["%v%", "@", "x.y"],
    ["%V2%._domainkey", "bar", "s1._domainkey.bar"],
    ["example.com", "@", "example.com"],
  ])("the host %j of a template applied at %j is the owner %j", (host, at, owner) => {
    const needed = { ...(host === "%v%" ? { v: "x.y" } : {}), ...(host.includes("V2") ? { V2: "S1" } : {}) };
    expect(lines([a(host)], { host: at, variables: needed })).toEqual([`${owner} A 192.0.2.1`]);
  });

  test.each([
    ["../etc"],
    ["a/b"],
    ["a..b"],
    [".a"],
    ["a b"],
    ["www.example.net."],
    ["evilexample.com."],
    ["."],
    ["a.*"],
    ["%%%host%"],
    ["x".repeat(64)],
    ["a.".repeat(130) + "a"],
    ["a\u0000b"],
    ["a\\.b"],
    ["@.a"],
  ])("the hostile host %j is refused, as a template's own and as a variable's value", (host) => {
    expect(faults([a(host)])).toEqual([expect.stringMatching(/^records\.0\.host: /)]);
    expect(faults([a("%v%")], { variables: { v: host } })).toEqual([expect.stringMatching(/^records\.0\.host: /)]);
  });

  test("a value that names another variable is data, so its host is refused", () => {
    expect(faults([a("%v%.x")], { variables: { v: "%host%" } })).toEqual([
      expect.stringMatching(/^records\.0\.host: /),
    ]);
  });

  test("every owner is within the zone, whatever the host", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("a", "-", "_", "*", ".", "@", "/", "%", "é", "1", "\\"), maxLength: 20 }),
        (host) => {
          for (const line of faults([a(host)]).length > 0 ? [] : lines([a(host)])) {
            expect(line).toMatch(/^(@|(\*\.)?([a-z0-9_/-]+\.)*[a-z0-9_/-]+|\*) A 192\.0\.2\.1$/);
          }
        },
      ),
    );
  });
});

describe("record types", () => {
  test.each<[promise: string, record: TemplateRecord, line: string, at?: Partial<Application>]>([
    ["@ is the domain", { type: "CNAME", host: "www", pointsTo: "@" }, "www CNAME example.com"],
    [
      "@ is the host that it is applied at",
      { type: "CNAME", host: "www", pointsTo: "@" },
      "www.bar CNAME bar.example.com",
      { host: "bar" },
    ],
    ["an empty target is the same", { type: "MX", host: "@", pointsTo: "", priority: 5 }, "@ MX 5 example.com"],
    [
      "a target is always a full name",
      { type: "CNAME", host: "www", pointsTo: "Shop.Example.net." },
      "www CNAME shop.example.net",
    ],
    [
      "numbers may be texts",
      { type: "MX", host: "@", pointsTo: "mx.example.net", priority: "10" },
      "@ MX 10 mx.example.net",
    ],
    [
      "numbers may be variables",
      { type: "MX", host: "@", pointsTo: "mx.example.net", priority: "%p%" },
      "@ MX 7 mx.example.net",
      { variables: { p: "7" } },
    ],
    ["a null MX", { type: "MX", host: "@", pointsTo: ".", priority: 0 }, "@ MX 0 ."],
    ["types are read in any case", { type: "aaaa", host: "@", pointsTo: "2001:DB8::1" }, "@ AAAA 2001:db8::1"],
    ["an address may stand in data", { type: "A", host: "@", data: "192.0.2.9" }, "@ A 192.0.2.9"],
    ["a text is the domain where the template says @", { type: "TXT", host: "x", data: "@" }, "x TXT example.com"],
    [
      "a text keeps an @ that is a value",
      { type: "TXT", host: "x", data: "%v%" },
      "x TXT @",
      { variables: { v: "@" } },
    ],
    ["CAA in presentation form", { type: "CAA", host: "@", data: '0 issue "ca.example"' }, "@ CAA 0 issue ca.example"],
    [
      "other types by their data",
      { type: "TLSA", host: "_443._tcp", rdata: `3 1 1 ${"ab".repeat(32)}` },
      `_443._tcp TLSA 3 1 1 ${"ab".repeat(32)}`,
    ],
    ["another field where data is empty", { type: "TXT", host: "x", data: "", rdata: "hello" }, "x TXT hello"],
    [
      "a delegation below the apex",
      { type: "NS", host: "_dmarc", pointsTo: "ns.example.net" },
      "_dmarc NS ns.example.net",
    ],
    [
      "APEXCNAME as ALIAS",
      { type: "APEXCNAME", pointsTo: "t.example.net" },
      "@ ALIAS t.example.net",
      { apexAlias: "ALIAS" },
    ],
    [
      "APEXCNAME as a CNAME that the provider flattens",
      { type: "APEXCNAME", host: "@", pointsTo: "t.example.net" },
      "@ CNAME t.example.net",
      { apexAlias: "CNAME" },
    ],
    [
      "APEXCNAME below the apex",
      { type: "APEXCNAME", pointsTo: "t.example.net" },
      "bar CNAME t.example.net",
      { host: "bar" },
    ],
    [
      "SRV from its parts, with underscores added",
      {
        type: "SRV",
        name: "@",
        service: "sip",
        protocol: "tcp",
        priority: "0",
        weight: 5,
        port: "5061",
        target: "sip.example.net",
      },
      "_sip._tcp SRV 0 5 5061 sip.example.net",
    ],
    [
      "SRV below a name",
      {
        type: "SRV",
        name: "a",
        service: "_sip",
        protocol: "_tls",
        priority: 0,
        weight: 5,
        port: "%port%",
        target: "@",
      },
      "_sip._tls.a.bar SRV 0 5 443 bar.example.com",
      { host: "bar", variables: { port: "443" } },
    ],
  ])("%s", (_promise, record, line, at = {}) => {
    expect(lines([record], at)).toEqual([line]);
  });

  test.each<[promise: string, record: TemplateRecord, fault: RegExp]>([
    [
      "REDIR301 is unsupported",
      { type: "REDIR301", host: "@", target: "https://example.net" },
      /^records\.0\.type: REDIR301 needs a web server/,
    ],
    [
      "REDIR302 is unsupported",
      { type: "REDIR302", host: "@", target: "https://example.net" },
      /^records\.0\.type: REDIR302 needs a web server/,
    ],
    [
      "NS1 is unsupported",
      { type: "NS1", pointsTo: "ns.example.net" },
      /^records\.0\.type: NS1 changes name servers at the registry/,
    ],
    [
      "an unknown type is refused by its name",
      { type: "UNKNOWN", host: "@", data: "\\# 0" },
      /^records\.0\.type: "UNKNOWN" is not a record type/,
    ],
    [
      "APEXCNAME needs a provider that can",
      { type: "APEXCNAME", pointsTo: "t.example.net" },
      /^records\.0\.type: The provider of this domain/,
    ],
    [
      "the zone's own name servers stay",
      { type: "NS", host: "@", pointsTo: "ns.example.net" },
      /^records\.0\.host: .*name servers/,
    ],
    ["an address at fault", { type: "A", host: "@", pointsTo: "192.0.2.256" }, /^records\.0\.pointsTo: /],
    ["a missing priority", { type: "MX", host: "@", pointsTo: "mx.example.net" }, /^records\.0\.pointsTo: .*priority/],
    [
      "SRV without a service",
      { type: "SRV", name: "@", protocol: "_tcp", priority: 0, weight: 0, port: 1, target: "x.example" },
      /^records\.0\.name: .*service/,
    ],
    [
      "SPFM with a word that is no term",
      { type: "SPFM", host: "@", spfRules: "a %%%" },
      /^records\.0\.spfRules: "%%%" is not an SPF term/,
    ],
    ["SPFM without rules", { type: "SPFM", host: "@" }, /^records\.0\.spfRules: /],
  ])("%s", (_promise, record, fault) => {
    expect(faults([record])).toEqual([expect.stringMatching(fault)]);
  });

  test("every fault of a template is listed by its record", () => {
    expect(faults([a("www"), { type: "A", host: "x", pointsTo: "x" }, { type: "WKS", host: "@" }])).toHaveLength(2);
  });

  test("a record that a template repeats is written once", () => {
    expect(lines([a("www"), a("WWW"), a("@")])).toEqual(["www A 192.0.2.1", "@ A 192.0.2.1"]);
  });
});

test("an SPF record written as TXT becomes a rule where the template merges rules, too", () => {
  const raw = { type: "TXT", host: "@", data: "v=spf1 mx -all" };
  const { records, spf } = expand([raw, { type: "SPFM", host: "@", spfRules: "a" }, { ...raw, host: "x" }]);
  expect(records.map(({ name }) => name)).toEqual(["x"]);
  expect(spf.map(({ rules }) => rules)).toEqual(["a", "v=spf1 mx -all"]);
});

describe("TTLs", () => {
  test.each<[ttl: TemplateRecord["ttl"], seconds: number | undefined, warns: boolean]>([
    [3600, 3600, false],
    ["3600", 3600, false],
    ["%ttl%", 900, false],
    [undefined, undefined, false],
    [null, undefined, false],
    ["", undefined, false],
    ["1h", undefined, true],
    [-5, undefined, true],
    [1.5, undefined, true],
    [1e12, undefined, true],
  ])("the TTL %j is %j seconds", (ttl, seconds, warns) => {
    const found = expand([{ ...a("www"), ttl }], ttl === "%ttl%" ? { variables: { ttl: "900" } } : {});
    expect(found.records[0]?.ttl).toBe(seconds);
    expect(found.warnings).toHaveLength(warns ? 1 : 0);
  });
});

describe("values and groups", () => {
  test("missing and unknown variables are named, each by itself", () => {
    expect(faults([a("%one%"), a("%two%")], { variables: { two: "x", three: "y" } })).toEqual([
      "variables.one: The template needs a value for one.",
      "variables.three: three is not a variable of this template.",
    ]);
    expect(faults([a("www")], { variables: { domain: "other.example" } })).toHaveLength(1);
  });

  const grouped = [{ ...a("a"), groupId: "one" }, { ...a("b"), groupId: 2 }, a("c")];

  test.each<[groups: string[] | null, names: string[]]>([
    [null, ["a", "b", "c"]],
    [["one"], ["a", "c"]],
    [["2"], ["b", "c"]],
    [[], ["c"]],
  ])("the groups %j apply %j", (groups, names) => {
    expect(expand(grouped, { groups }).records.map(({ name }) => name)).toEqual(names);
  });

  test("an unknown group is refused with the known ones", () => {
    expect(faults(grouped, { groups: ["one", "three"] })).toEqual([expect.stringMatching(/^groups\.1: .*one, 2/)]);
  });

  test("a record of an unchosen group may be unsupported or need other variables", () => {
    const records = [a("www"), { type: "REDIR301", host: "@", target: "%t%", groupId: "web" }];
    expect(lines(records, { groups: [] })).toEqual(["www A 192.0.2.1"]);
    expect(lines(records, { groups: [], variables: { t: "x" } })).toEqual(["www A 192.0.2.1"]);
  });

  test("a template that needs a host is refused at the apex", () => {
    expect(faults([a("@")], {}, { hostRequired: true })).toEqual([expect.stringMatching(/^host: /)]);
    expect(lines([a("@")], { host: "www" }, { hostRequired: true })).toEqual(["www A 192.0.2.1"]);
  });
});
