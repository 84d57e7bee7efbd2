import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "oxc-parser";
import { analyse } from "scslre";
import { pathToFileURL } from "node:url";
import { afterAll, expect, test } from "vitest";
import { credential } from "../../server/dns-providers/config-fields.ts";
import { desec } from "../../server/dns-providers/desec.ts";
import { messageIn } from "../../server/dns-providers/vendor-api/text.ts";
import { SecretMask } from "../../server/dns-providers/vendor-api/secrets.ts";
import { hardwareAddress } from "../../server/dns/rdata/blobs.ts";
import { rdataToText } from "../../server/dns/rdata/rdata.ts";
import { splitFields } from "../../server/dns/values/uneditable.ts";
import { understandValue } from "../../web/src/records/fields/understand.ts";
import { parseTtl } from "../../web/src/ui/ttl.ts";
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
  [String.raw`/\?.*$/s`]: "Finds its end at the first sign.",
  [String.raw`/;.*$/s`]: "Finds its end at the first sign.",
  [String.raw`/(\d+) ?([a-z]+)/g`]: "Of at most five amounts, each of at most ten digits.",
  [String.raw`/\bVersion\/[\d.]+.*\bSafari\//`]: "Of at most 300 characters.",
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

function analysed(file: string, source: string, flags: string): Place {
  const { reports } = analyse({ source, flags });
  const kinds = reports.map(({ type, exponential }) => `${exponential ? "exponential " : ""}${type}`);
  return { file, literal: `/${source}/${flags}`, findings: [...new Set(kinds)].join(", ") };
}

/** The regular expressions that a file has as literals, and the lines in which it puts others together from parts. */
function expressionsIn(file: string): { file: string; literals: Place[]; lines: string[] } {
  const text = readFileSync(join(root, file), "utf8");
  const literals: Place[] = [];
  const lines: string[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    const { regex, callee, start } = node as Partial<RegExpNode>;
    if (regex) literals.push(analysed(file, regex.pattern, regex.flags));
    if (callee?.name === "RegExp") lines.push(`${file}:${text.slice(0, start).split("\n").length}`);
    for (const child of Object.values(node)) visit(child);
  };
  visit(parseSync(file, text).program);
  return { file, literals, lines };
}

interface RegExpNode {
  regex: { pattern: string; flags: string };
  callee: { name?: string };
  start: number;
}

/** By the line in which it was put together from parts. */
const constructed: [line: string, expression: RegExp][] = [];
const { RegExp: original } = globalThis;
globalThis.RegExp = new Proxy(original, {
  construct(target, given: [string, string?]) {
    const expression = new target(...given);
    for (const frame of (new Error("made").stack ?? "").split("\n").slice(2)) {
      const at = frame.indexOf(`${root}/`);
      const [, file, line] = /^([^?:]+)[^:]*:(\d+)/.exec(at === -1 ? "" : frame.slice(at + root.length + 1)) ?? [];
      if (file !== undefined) constructed.push([`${file}:${line}`, expression]);
    }
    return expression;
  },
});
afterAll(() => {
  globalThis.RegExp = original;
});

test("no regular expression takes more than linear time, but for those whose text is short", async () => {
  const folders = ["server/**/*.ts", "web/src/**/*.{ts,tsx}", "cli/src/**/*.ts", "client-sdk/src/**/*.ts"];
  const inFiles = globSync(folders, { cwd: root }).map((file) => expressionsIn(file));
  const literals = inFiles.flatMap((each) => each.literals);
  expect(literals.length).toBeGreaterThan(800);

  // Most others are made when their module loads, the rest from what is given.
  for (const { file, lines } of inFiles)
    if (lines.length > 0) await import(`${pathToFileURL(join(root, file)).href}?constructed`);
  credential("API token");
  messageIn('{"code":1}');
  new SecretMask().apply("a text that is longer than the secret", ["a/secret+words"]);
  splitFields("SVCB", "1 .");
  hardwareAddress(6);
  rdataToText("EUI48", Buffer.alloc(6));
  understandValue("TXT", "a", "name.example");
  parseTtl("5 min");
  const places = new Set(inFiles.flatMap(({ lines }) => lines));
  const others = constructed.filter(([line]) => places.has(line));
  expect(new Set(others.map(([line]) => line))).toEqual(places);

  const made = others.map(([line, { source, flags }]) => analysed(line, source, flags));
  const found = [...literals, ...made].filter(({ findings }) => findings !== "");
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
