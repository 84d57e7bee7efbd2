import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "oxc-parser";
import { analyse } from "scslre";
import { expect, test } from "vitest";
import { desec } from "../../server/dns-providers/desec.ts";
import { useZonewright } from "../support/zonewright.ts";

const root = join(import.meta.dirname, "../..");

/**
 * Expressions that may take longer than in proportion to their text, and why they do not. Whoever adds one names what keeps its text
 * short, or writes one that cannot: `(?<!x)x+$` instead of `x+$`, no two neighbours that take the same characters.
 */
const fine: Readonly<Record<string, string>> = {
  [String.raw`/=+$/`]: "Of base64 that we wrote, or of a text of 64 KiB that ends where they do.",
  [String.raw`/=.*$/s`]: "Finds its end at the first sign.",
  [String.raw`/@.*$/s`]: "Finds its end at the first sign.",
  [String.raw`/%.*$/`]: "Of the address of a connection.",
  [String.raw`/\/+$/`]: "Of an address in the settings, whose length is limited.",
  [String.raw`/^[-.]+|[-.]+$/g`]: "Of a name of at most 100 characters.",
  [String.raw`/^[^\s@<>"]+@[^\s@<>"]+\.[^\s@<>"]+$/`]: "Of at most 254 characters.",
  [String.raw`/^[^\r\n]*[^\s<>@]+@[^\s<>@]+>?$/`]: "Of the environment.",
  [String.raw`/[^\p{L}]+$/u`]: "Of a password, whose length is limited.",
  [String.raw`/<([^>]*)>\s*;[^,]*\brel="?next"?/i`]: "Of headers. Node reads 16 KiB of them.",
  [String.raw`/<!--[^]*?(?:-->|$)|<[^>]*(?:>|$)/g`]: "Finds the end of the text instead of a sign.",
  [String.raw`/\\[^]|\[\^?\]?[^\]]*(?:\]|$)/g`]: "Finds the end of the text instead of a sign.",
  [String.raw`/^(\S+)\s+(\S+)(?:\s+(.*))?$/s`]: "What is left after two words always matches.",
  [String.raw`/ *(?:"((?:[^"\\]|\\.)*)"|((?:[^ "\\]|\\.)+)|$)/`]: "Only tried where a field begins.",
  [String.raw`/ *(?:"((?:[^"\\]|\\.)*)"|((?:[^ "\\]|\\.)+(?:(?<==)"(?:[^"\\]|\\.)*")?)|$)/`]:
    "Only tried where a field begins.",
  [String.raw`/(\d+)(?: \d+){4}$/`]: "Of an SOA record.",
  [String.raw`/\s+\(?https?:\/\/.*$/i`]: "Of a line of at most 500 characters.",
  [String.raw`/[^\S\n]*(?:"((?:[^"]|"")*)"[^\S\n]*(?:[;,\n]|$)|([^;,\n]*)(?:[;,\n]|$))/y`]:
    "Finds the end of the line instead of a sign.",
  [String.raw`/\s*([-/.])\s*/g`]: "Of at most 100 characters.",
  [String.raw`/^([^\d.,-]*)(-?[\d.,'’\s\u00A0\u202F]*\d)([^\d]*)$/`]: "Of at most 100 characters.",
  [String.raw`/%(?:25)*(?<octet>[\da-f]{2})|\\+u(?<high>d[89ab][\da-f]{2})\\+u(?<low>d[c-f][\da-f]{2})|\\+u(?<unit>[\da-f]{4})|&#0*(?<decimal>\d{1,7});|&#x0*(?<hex>[\da-f]{1,6});|&(?<name>amp|lt|gt|quot|apos);|\\+|[^]/giu`]:
    "Matches something at each place, a run of backslashes at once.",
};

interface Place {
  file: string;
  literal: string;
  /** What it takes more than linear time for; empty if nothing was found. */
  findings: string;
}

/** The regular expressions that a file has as literals. */
function expressionsIn(file: string): Place[] {
  const found: Place[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    const { regex } = node as { regex?: { pattern: string; flags: string } };
    if (regex) {
      const { reports } = analyse({ source: regex.pattern, flags: regex.flags });
      const kinds = reports.map(({ type, exponential }) => `${exponential ? "exponential " : ""}${type}`);
      found.push({ file, literal: `/${regex.pattern}/${regex.flags}`, findings: [...new Set(kinds)].join(", ") });
    }
    for (const child of Object.values(node)) visit(child);
  };
  visit(parseSync(file, readFileSync(join(root, file), "utf8")).program);
  return found;
}

test("no regular expression of the service takes more than linear time, but for those whose text is short", () => {
  const files = globSync("server/**/*.ts", { cwd: root });
  const places = files.flatMap((file) => expressionsIn(file));
  expect(places.length).toBeGreaterThan(500);
  const found = places.filter(({ findings }) => findings !== "");
  expect(found.filter(({ literal }) => fine[literal] === undefined)).toEqual([]);
  expect(Object.keys(fine).filter((literal) => !found.some((one) => one.literal === literal))).toEqual([]);
});

// Each of these took minutes or longer; that of a test ends it.
const zw = useZonewright();

test("a block of half a million blank lines in YAML is refused for its length", async () => {
  const { body: config } = await zw.admin.post("/api/provider-configs", {
    kind: "manual",
    name: "By hand",
    config: {},
  });
  const { body: domain } = await zw.admin.post("/api/domains", { name: "blank.example", providerConfigId: config.id });
  const zonefile = `www:\n  type: TXT\n  value: |\n    a${"\n".repeat(500_000)}    b\n`;
  const answer = await zw.admin.post(`/api/domains/${domain.id}/zonefile`, {
    zonefile,
    format: "octodns",
    dryRun: true,
  });
  expect(answer.body.detail).toContain("The TXT data is too long");
});

test.each([
  ["CNAME", `${"a".repeat(60)}.${"b".repeat(60)}/c.example`, "in the target of a CNAME"],
  ["MX", `10 ${"a".repeat(60)}_.example`, "in the host of MX records"],
])("a long name that deSEC cannot hold is refused: %s %s", (recordType, value, reason) => {
  const refusal = desec.unsupportedReason?.({
    recordType,
    name: "www",
    value,
    ttl: 3600,
    strings: null,
    proxied: false,
  });
  expect(refusal).toMatchObject({ field: "value", reason: expect.stringContaining(reason) });
});
