import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  absoluteName,
  matchesHost,
  ownerWithin,
  parseDomainNameAsWritten,
  parseHost,
  parseLabels,
  parseOwner,
  parseQualified,
  parseView,
  parseZoneName,
  qualifiedName,
  readHost,
  readOwner,
  shown,
  toUnicodeName,
  withEscapes,
  zoneNameOf,
} from "../../../server/dns/names/names.ts";
import { hostName, label } from "../../support/records/arbitrary-names.ts";
import { anyCharacter } from "../../support/any-character.ts";

const long = "a".repeat(63);
const name253 = [long, long, long, "a".repeat(57), "com"].join(".");
/** The longest owner in example.com. */
const owner241 = [long, long, long, "a".repeat(49)].join(".");
/** A name of 253 octets. The first octet of each label is escaped. */
const escaped253 = [long, long, long, "a".repeat(61)].map((each) => `\\000${each.slice(1)}`).join(".");

describe("zone names", () => {
  test.each([
    ["Example.COM", "example.com"],
    ["example.com.", "example.com"],
    ["bücher.example", "xn--bcher-kva.example"],
    ["BÜCHER.example", "xn--bcher-kva.example"],
    ["straße.de", "xn--strae-oqa.de"],
    ["例え。テスト", "xn--r8jz45g.xn--zckzah"],
    ["xn--bcher-kva.example", "xn--bcher-kva.example"],
    ["2.0.192.in-addr.arpa", "2.0.192.in-addr.arpa"],
    ["0/25.2.0.192.in-addr.arpa", "0/25.2.0.192.in-addr.arpa"],
    ["_tcp.example.com", "_tcp.example.com"],
    [" example.com ", "example.com"],
    ["\texample.com.\n", "example.com"],
    [name253, name253],
  ])("the zone name %s becomes %s", (input, canonical) => {
    expect(parseZoneName(input)).toEqual({ ok: true, value: canonical });
  });

  test.each([
    ["", "it is empty"],
    [".", "empty label"],
    ["com", "only one label"],
    ["a..com", "empty label"],
    [".example.com", "empty label"],
    ["example.com..", "empty label"],
    ["exa mple.com", "other than letters"],
    ["192.0.2.0/24", "192.0.2.0/24 is a network. Its reverse zone is 2.0.192.in-addr.arpa"],
    ["172.16.0.0/12", "Its reverse zones are the 16 from 16.172.in-addr.arpa to 31.172.in-addr.arpa; add those"],
    ["2001:db8::/32", "Its reverse zone is 8.b.d.0.1.0.0.2.ip6.arpa"],
    ["example.0/25", "ends in a number"],
    ["example.com/path", "other than letters"],
    ["exämple com.de", "not a valid international label"],
    ["ä/b.de", "not a valid international label"],
    ["ä:80.de", "not a valid international label"],
    ["ü%41.de", "not a valid international label"],
    ["*.example.com", "leftmost label of a record name"],
    ["-a.com", "hyphen"],
    ["a-.com", "hyphen"],
    ["192.0.2.1", "IP address"],
    ["２.0.2.1", "IP address"],
    ["2001:db8::1", "IP address"],
    ["example.123", "number"],
    ["\ud800.com", "half of a character"],
    [`a${long}.com`, "longer than 63"],
    [`a${name253}`, "longer than"],
    ["a.".repeat(126) + "com", "longer than 253"],
    ["\u00ad.com", "not a valid international label"],
  ])("the zone name %j is refused: %s", (input, reason) => {
    expect(parseZoneName(input)).toMatchObject({ ok: false, message: expect.stringContaining(reason) });
  });
});

describe("owners from clients", () => {
  test.each([
    ["@", "@"],
    ["", "@"],
    ["example.com", "@"],
    ["Example.Com.", "@"],
    ["www", "www"],
    ["WWW.example.com", "www"],
    ["www.example.com.", "www"],
    ["notexample.com", "notexample.com"],
    ["a.b", "a.b"],
    ["*", "*"],
    ["*.dev", "*.dev"],
    ["*.example.com.", "*"],
    ["_dmarc", "_dmarc"],
    ["selector._domainkey", "selector._domainkey"],
    ["_sip._tcp", "_sip._tcp"],
    ["Müller", "xn--mller-kva"],
    ["_ä", "xn--_-0fa"],
    ["１", "1"],
    ["1", "1"],
    ["www.example.com.example.com", "www.example.com"],
    [" @ ", "@"],
    ["\t", "@"],
    ["*.a\\.b", "*.a\\.b"],
    ["128/25", "128/25"],
    [owner241, owner241],
  ])("the owner %j from a client becomes %j", (input, owner) => {
    expect(parseOwner(input, "example.com")).toEqual({ ok: true, value: owner });
  });

  test.each([
    ["www.example.net.", "outside the zone"],
    ["www.", "outside the zone"],
    ["notexample.com.", "outside the zone"],
    [".", "empty label"],
    ["a..b", "empty label"],
    ["a.*", "leftmost"],
    ["a*", "leftmost"],
    ["**", "leftmost"],
    ["a b", "other than letters"],
    ["a\tb", "other than letters"],
    ["a\u0000", "other than letters"],
    ["a b", "write a space as \\032"],
    ["a\\.*", 'a "*" may only be'],
    ["a\\300", "has an escape that is not"],
    ["a\\.".repeat(32), "longer than 63 octets"],
    ["＊", "not a valid international label"],
    ["\udc00", "half of a character"],
    ["a".repeat(64), "longer than 63"],
    [`${long}.${long}.${long}.${"a".repeat(50)}`, "at most 253"],
    ["a\\.b.*", 'a "*" may only be'],
    ["a0/25", "other than letters"],
    ["0/25a", "other than letters"],
    ["a".repeat(100_000), "longer than 253"],
  ])("the owner %j from a client is refused: %s", (input, reason) => {
    expect(parseOwner(input, "example.com")).toMatchObject({ ok: false, message: expect.stringContaining(reason) });
  });

  test("only a name with a space is refused with the advice to escape it", () => {
    const [spaced, other] = ["a b", "a!b"].map((input) => JSON.stringify(parseOwner(input, "example.com")));
    expect(spaced).toContain("write a space");
    expect(other).not.toContain("write a space");
  });

  test("an owner in a Unicode zone may be fully qualified in A-labels or in Unicode", () => {
    expect(parseOwner("www.bücher.example", "xn--bcher-kva.example")).toEqual({ ok: true, value: "www" });
  });

  test("an owner from a client is canonical after one pass and survives the round trip through its absolute form", () => {
    fc.assert(
      fc.property(fc.array(label, { minLength: 1, maxLength: 4 }), (labels) => {
        const owner = parseOwner(labels.join("."), "example.com");
        if (!owner.ok) throw new Error(owner.message);
        const absolute = absoluteName(owner.value, "example.com");
        expect(parseOwner(owner.value, "example.com")).toEqual(owner);
        expect(parseOwner(absolute, "example.com")).toEqual(owner);
        expect(readOwner(`${absolute}.`, "elsewhere.test", "example.com")).toEqual({
          ok: true,
          value: { name: owner.value },
        });
      }),
    );
  });
});

function upper(octet: number): number {
  return octet >= 0x61 && octet <= 0x7a ? octet - 0x20 : octet;
}

function lower(octet: number): number {
  return octet >= 0x41 && octet <= 0x5a ? octet + 0x20 : octet;
}

function ownerOf(octets: Uint8Array) {
  const read = readOwner(Array.from(octets, escapedOctet).join(""), "example.com", "example.com");
  if (!read.ok) throw new Error(read.message);
  return read.value;
}

describe("owners in a master file", () => {
  test.each([
    ["@", "example.com", "@"],
    ["@", "sub.example.com", "sub"],
    ["www", "example.com", "www"],
    ["WWW", "sub.example.com", "www.sub", "WWW.sub"],
    ["www", "Sub.Example.COM", "www.sub", "www.Sub"],
    ["example.com.", "example.com", "@"],
    ["EXAMPLE.com.", "example.com", "@"],
    ["www.example.com.", "", "www"],
    ["Office\\032Printer._ipp._tcp", "example.com", "office\\032printer._ipp._tcp", "Office\\032Printer._ipp._tcp"],
    ["*", "example.com", "*"],
    ["\\*", "example.com", "*"],
    ["a\\.b", "example.com", "a\\.b"],
    ["a\\032b", "example.com", "a\\032b"],
    ["a\\ b", "example.com", "a\\032b"],
    ["\\087\\087\\087", "example.com", "www", "WWW"],
    ["\\065\\095", "example.com", "a_", "A_"],
    ["a\\;b", "example.com", "a\\;b"],
    ["\\@", "example.com", "\\@"],
    ["a!b", "example.com", "a!b"],
    ["\\000\\255", "example.com", "\\000\\255"],
    ["-odd-", "example.com", "-odd-"],
    ["a\\\\.example.com.", "example.com", "a\\\\"],
    ["müller", "example.com", "xn--mller-kva"],
    ["Müller.Example.com.", "", "xn--mller-kva"],
    ["ä b", "example.com", "\\195\\164\\032b"],
    [`!${long.slice(1)}`, "example.com", `!${long.slice(1)}`],
    ["\\\\.example.com.", "", "\\\\"],
  ])("the master-file owner %j with origin %j becomes %j", (raw, origin, name, writtenName?: string) => {
    expect(readOwner(raw, origin, "example.com")).toEqual({ ok: true, value: { name, writtenName } });
  });

  test.each([
    ["www.example.net.", "outside"],
    ["foo\\.example.com.", "outside"],
    ["@@", "outside"],
    ["a..b", "empty label"],
    [".", "outside"],
    ["", "empty label"],
    ["a\\", "backslash"],
    ["a\\256", "escape"],
    ["a\\1", "escape"],
    ["\\000".repeat(64), "longer than 63"],
    [`${"a.".repeat(127)}b`, "longer than 253"],
    ["ä".repeat(100_000), "longer than 253"],
  ])("the master-file owner %j is refused: %s", (raw, reason) => {
    const origin = raw === "@@" ? "example.net" : "example.com";
    expect(readOwner(raw, origin, "example.com")).toMatchObject({
      ok: false,
      message: expect.stringContaining(reason),
    });
  });

  test("a master-file owner may contain any octets and is read back from its canonical text", () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ minLength: 1, maxLength: 20 }), { minLength: 1, maxLength: 5 }),
        (labels) => {
          const raw = labels.map((octets) => Array.from(octets, escapedOctet).join("")).join(".");
          const owner = readOwner(raw, "example.com", "example.com");
          if (!owner.ok) throw new Error(owner.message);
          const { name, writtenName = name } = owner.value;
          expect(readOwner(writtenName, "example.com", "example.com")).toEqual(owner);
          expect(readOwner(`${writtenName}.example.com.`, "", "example.com")).toEqual(owner);
          expect(readOwner(name, "example.com", "example.com")).toEqual({ ok: true, value: { name } });
        },
      ),
    );
  });

  test("names that differ in the case of ASCII letters are equal, each as written, and names that differ in anything else are not", () => {
    const octets = fc.uint8Array({ minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(octets, octets, (one, other) => {
        const [capitals, small] = [ownerOf(one.map(upper)), ownerOf(one.map(lower))];
        expect(capitals.name).toBe(small.name);
        expect(small.writtenName).toBeUndefined();
        expect(capitals.writtenName !== undefined).toBe(one.some((octet) => upper(octet) !== lower(octet)));
        const isSame = Buffer.from(one.map(lower)).equals(Buffer.from(other.map(lower)));
        expect(ownerOf(one).name === ownerOf(other).name).toBe(isSame);
      }),
    );
  });
});

describe("host names as values", () => {
  test.each([
    ["WWW.Example.com.", "www.example.com"],
    ["mail", "mail"],
    ["_x.example.com", "_x.example.com"],
    ["münchen.example", "xn--mnchen-3ya.example"],
    ["1.0/25.2.0.192.in-addr.arpa", "1.0/25.2.0.192.in-addr.arpa"],
    [name253, name253],
    [`${name253}.`, name253],
    ["www.host1", "www.host1"],
    ["www.4you", "www.4you"],
    ["a._b-", "a._b-"],
  ])("the host name %s becomes %s", (input, host) => {
    expect(parseHost(input)).toEqual({ ok: true, value: host });
  });

  test.each([
    ["", "it is empty"],
    [".", "empty label"],
    ["@", "other than letters"],
    ["*.example.com", "leftmost"],
    ["192.0.2.1", "A or AAAA"],
    ["192.0.2.1.", "A or AAAA"],
    ["999.0.2.1", "A or AAAA"],
    ["[::1]", "A or AAAA"],
    ["http://example.com/", "other than letters"],
    ["example.com:443", "other than letters"],
    [`a.${name253}`, "longer than 253"],
  ])("the host name %j is refused: %s", (input, reason) => {
    const message = expect.stringMatching(/^The value must be a valid domain name/);
    expect(parseHost(input)).toMatchObject({ ok: false, message });
    expect(parseHost(input)).toMatchObject({ message: expect.stringContaining(reason) });
  });

  test("a host name is canonical after one pass", () => {
    fc.assert(
      fc.property(hostName, (input) => {
        const host = parseHost(input);
        if (!host.ok) throw new Error(host.message);
        expect(parseHost(host.value)).toEqual(host);
        expect(readHost(`${host.value}.`, "elsewhere.test")).toEqual(host);
      }),
    );
  });

  test.each([
    [".", "example.com", "."],
    ["@", "example.com", "example.com"],
    ["@", "", "."],
    ["mail", "example.com", "mail.example.com"],
    ["mail", ".", "mail"],
    ["MAIL.example.net.", "example.com", "mail.example.net"],
    ["a\\.b.example.net.", "example.com", "a\\.b.example.net"],
    ["\\\\.", "example.com", "\\\\"],
    [`${name253}.`, "example.com", name253],
    [`${escaped253}.`, "example.com", escaped253],
  ])("the host name %j in a master file with origin %j becomes %j", (raw, origin, host) => {
    expect(readHost(raw, origin)).toEqual({ ok: true, value: host });
  });
});

describe("domain names as values", () => {
  test.each([
    [".", "."],
    ["*", "*"],
    ["*.Example.com", "*.Example.com"],
    ["-a.example.com", "-a.example.com"],
    ["a-.example.com", "a-.example.com"],
    ["www.example.com.", "www.example.com"],
    ["a\\.b.example.com", "a\\.b.example.com"],
    [escaped253, escaped253],
  ])("the domain name %s is written %s", (input, written) => {
    expect(parseDomainNameAsWritten(input)).toEqual({ ok: true, value: written });
  });

  test.each([
    ["a*.example.com", "leftmost"],
    ["a.*", "leftmost"],
    ["192.0.2.1", "IP address"],
    ["a..b", "empty label"],
    [`${escaped253}a`, "longer than 253 octets"],
  ])("the domain name %s is refused: %s", (input, reason) => {
    expect(parseDomainNameAsWritten(input)).toMatchObject({ ok: false, message: expect.stringContaining(reason) });
  });
});

describe("names within a zone", () => {
  test.each([
    ["example.com", "@"],
    ["www.example.com", "www"],
    ["notexample.com", null],
    ["example.net", null],
    ["a\\.example.com", null],
    ["\\.example.com", null],
    ["\\\\.example.com", "\\\\"],
    ["a\\\\\\.example.com", null],
  ])("within example.com, the name %s has the owner %s", (name, owner) => {
    expect(ownerWithin(name, "example.com")).toBe(owner);
    expect(owner === null || absoluteName(owner, "example.com") === name).toBe(true);
  });

  test("labels are parsed in lower case, with or without a wildcard and a trailing dot", () => {
    expect(parseLabels(" WWW.Dev ", false)).toEqual({ ok: true, value: { labels: ["www", "dev"], absolute: false } });
    expect(parseLabels("*.dev.", true)).toEqual({ ok: true, value: { labels: ["*", "dev"], absolute: true } });
    expect(parseLabels("*.dev", false)).toMatchObject({ ok: false });
  });

  test("a pattern finds its parts one after the other, never the same characters twice", () => {
    expect(matchesHost("a*bc*bc", "abcbc")).toBe(true);
    expect(matchesHost("a*bc*bc", "abc")).toBe(false);
  });

  test("messages show a name of up to 80 characters whole, and the beginning of a longer one", () => {
    expect(shown("a".repeat(80))).toBe(`"${"a".repeat(80)}"`);
    expect(shown(`${"a".repeat(80)}b`)).toBe(`"${"a".repeat(80)}…"`);
  });
});

describe("names with escapes", () => {
  test.each([
    ["@", "\\064"],
    ["*", "*"],
    ["*.dev", "*.dev"],
    ["a", "a"],
    ["a-b_c.d", "a-b_c.d"],
    ["0/25.1", "0/25.1"],
    ["a/", "a\\047"],
    ["a:b", "a\\058b"],
    ["dev.a:b", "dev.a\\058b"],
    ["a\\.b:c", "a\\.b\\058c"],
    ["a\\032b", "a\\032b"],
  ])("the name %s is given to clients as %s", (name, text) => {
    expect(withEscapes(name)).toBe(text);
  });
});

describe("views", () => {
  const longest = `a${"-".repeat(61)}a`;
  test.each([
    ["", ""],
    [" ", ""],
    ["default", ""],
    ["Default", ""],
    [" Internal ", "internal"],
    ["a", "a"],
    ["0", "0"],
    ["a-b", "a-b"],
    [longest, longest],
  ])("the view %j becomes %j", (input, view) => {
    expect(parseView(input)).toEqual({ ok: true, value: view });
  });

  test.each(["-a", "a-", "-", "a.b", "a_b", "ä", "a b", "a!b", `${longest}a`])("%j is not a view", (input) => {
    expect(parseView(input)).toMatchObject({ ok: false, message: expect.stringContaining("1 to 63 of a-z") });
  });

  test.each([
    ["Example.com", "example.com", null],
    ["example.com!internal", "example.com", "internal"],
    ["example.com!default", "example.com", ""],
  ])("%s names the domain %s in the view %j", (input, name, view) => {
    expect(parseQualified(input)).toEqual({ ok: true, value: { name, view } });
  });

  test.each([
    ["example.com!", "Name the view after the exclamation mark"],
    ["example.com!a.b", "A view must be"],
    ["com!internal", "only one label"],
    ["!internal", "it is empty"],
    ["a!b!internal", "other than letters"],
  ])("%s names no domain: %s", (input, reason) => {
    expect(parseQualified(input)).toMatchObject({ ok: false, message: expect.stringContaining(reason) });
  });

  test("a domain in a view is written with an exclamation mark, and bare in the default view", () => {
    expect(qualifiedName({ name: "example.com", view: "internal" })).toBe("example.com!internal");
    expect(qualifiedName({ name: "example.com", view: "" })).toBe("example.com");
    expect(["example.com", "example.com!internal"].map(zoneNameOf)).toEqual(["example.com", "example.com"]);
  });
});

test("no text makes a name function throw, and names of any octet are printable and parse back", () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (text) => {
      const plain = [parseZoneName(text), parseHost(text)].map((result) => (result.ok ? result.value : "@"));
      expect(plain.join("")).toMatch(/^[a-z0-9_/.*@-]+$/);
      // With escapes, an owner may hold any octet (RFC 1035 §5.1).
      const owner = parseOwner(text, "example.com");
      const canonical = owner.ok ? owner.value : "@";
      expect(canonical).toMatch(/^[!-~]+$/);
      expect(canonical === "@" || parseOwner(withEscapes(canonical), "example.com")).toEqual(
        canonical === "@" || owner,
      );
      expect(typeof readHost(text, "example.com").ok).toBe("boolean");
    }),
    { numRuns: 500, examples: [["\\\u0000"], ["\\!"], ["a\\ b"], ["\\é.b"], ["\\046"], ["\\@"]] },
  );
});

describe("Unicode forms of names", () => {
  test.each([
    ["xn--bcher-kva.example", "bücher.example"],
    ["_x.xn--mller-kva.example", "_x.müller.example"],
    ["*.xn--p1ai", "*.рф"],
    ["xn--a.example", "xn--a.example"],
    ["xn--99999999.example", "xn--99999999.example"],
    ["a\\.xn--bcher-kva.example", "a\\.xn--bcher-kva.example"],
    ["www.example", "www.example"],
    ["@", "@"],
    [".", "."],
  ])("the Unicode form of %s is %s", (name, unicode) => {
    expect(toUnicodeName(name)).toBe(unicode);
  });
});

function escapedOctet(octet: number): string {
  return `\\${String(octet).padStart(3, "0")}`;
}
