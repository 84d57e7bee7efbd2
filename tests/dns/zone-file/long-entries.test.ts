import { describe, expect, test } from "vitest";
import { AppError } from "../../../server/platform/errors.ts";
import { parseZoneFile, readZoneFile } from "../../../server/dns/zone-file/parse.ts";

const options = { zone: "example.com" };

function errorsOf(text: string): string[] {
  const parsed = parseZoneFile(text, options);
  return parsed.ok ? [] : parsed.errors.map(({ message }) => message);
}

describe("long entries", () => {
  test.each([
    ["TXT strings", `t IN TXT ${"a ".repeat(255_000)}\n`],
    [
      "service parameters",
      `t IN SVCB 1 . ${Array.from({ length: 40_000 }, (_, key) => `key${key + 10}=a`).join(" ")}\n`,
    ],
    ["types", `t IN NSEC a. ${Array.from({ length: 40_000 }, (_, type) => `TYPE${type + 1}`).join(" ")}\n`],
    ["a time", `$TTL ${"1w".repeat(250_000)}\n`],
  ])("a long entry takes steps in proportion to its length: %s", (_what, text) => {
    let steps = 0;
    for (const steady = readZoneFile(text, options); !steady.next().done;) steps++;
    expect(steps).toBeGreaterThan(text.length / 128);
  });

  test.each([
    ["more strings than a record holds", `t TXT ${"a ".repeat(255_000)}\n`, /a record can hold at most 65535 octets/],
    [
      "more escapes than a record holds",
      `t TXT ${String.raw`"\097" `.repeat(70_000)}\n`,
      /a record can hold at most 65535 octets/,
    ],
    [
      "more parameters than a record holds",
      `t SVCB 1 . ${"key10= ".repeat(20_000)}\n`,
      /a record can hold at most 65535 octets/,
    ],
    ["a time of many parts", `$TTL ${"1w".repeat(16)}\n`, /is not a valid time/],
    ["an owner of many labels", `${"a.".repeat(2000)} A 192.0.2.1\n`, /longer than 253 octets/],
  ])("a long entry is refused: %s", (_what, text, message) => {
    expect(errorsOf(text)).toEqual([expect.stringMatching(message)]);
  });

  test.each([
    ["a time", `$TTL ${"1w".repeat(9_000)}`],
    ["a directive", `$${"X".repeat(9_000)} 1`],
    ["a type", `a IN ${"X".repeat(9_000)} 1`],
    ["a type in quotes", `a IN "${"X".repeat(9_000)}" 1`],
    ["a serial", `@ SOA a b ${"9".repeat(9_000)} 1 1 1 1`],
    ["a service parameter", `a SVCB 1 . ${"x".repeat(9_000)}`],
    ["a port", `a SVCB 1 . port=${"9".repeat(9_000)}`],
    ["an owner", `${"a".repeat(9_000)} A 192.0.2.1`],
  ])("an error message does not repeat a long entry in full: %s", (_what, text) => {
    const [message = ""] = errorsOf(`${text}\n`);
    expect(message).not.toBe("");
    expect(message.length).toBeLessThan(300);
  });
});

function takesTemplate(template: string): boolean {
  return errorsOf(`a SVCB 1 . alpn=h2 dohpath=${template}\n`).length === 0;
}

test("a dohpath needs the variable dns, which is found among other variables", () => {
  expect(["/q{?dns}", "/{a}{?x,dns,y}", "/{dns*}", "/{dns:3}", "/{&dns}"].map(takesTemplate)).toEqual(
    Array(5).fill(true),
  );
  expect(["/q", "/{dnsx}", "/{xdns}", "/{?dns", `/{${",dns".repeat(5000)}`].map(takesTemplate)).toEqual(
    Array(5).fill(false),
  );
});

test("no error message repeats its input without limit", () => {
  const error = new AppError("BAD_REQUEST", "x".repeat(50_000), {
    issues: [{ path: [], message: "y".repeat(50_000) }],
  });
  expect(error.message.length).toBeLessThan(1100);
  expect(error.issues?.[0]?.message.length).toBeLessThan(1100);
});
