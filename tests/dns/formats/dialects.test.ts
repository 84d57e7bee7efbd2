import { describe, expect, test } from "vitest";
import { located, type FormatOptions, type FormatRecord } from "../../../server/dns/formats/format.ts";
import { openText } from "../../../server/dns/formats/formats.ts";
import { readDialect } from "../../../server/dns/formats/zone-file.ts";
import { atOnce } from "../../../server/platform/slices.ts";
import { cloudflareFiles } from "./files/cloudflare.ts";
import { goDaddyFiles } from "./files/godaddy.ts";
import { microsoftFiles } from "./files/microsoft.ts";
import { otherFiles } from "./files/others.ts";
import { route53Files } from "./files/route53.ts";

const files = [...cloudflareFiles, ...goDaddyFiles, ...microsoftFiles, ...route53Files, ...otherFiles];

function read(text: string, options: Partial<FormatOptions> = {}) {
  return atOnce(readDialect(text, { zone: "example.com", ...options }));
}

function readable(text: string, options: Partial<FormatOptions> = {}) {
  const reading = read(text, options);
  if (!reading.ok) throw new Error(JSON.stringify(reading.errors));
  return reading;
}

function lineOf({ record, proxied, comment }: FormatRecord): string {
  const said = proxied === null ? "" : proxied ? " proxied" : " unproxied";
  const remark = comment === null ? "" : ` ; ${comment}`;
  return `${record.name} ${record.ttl} ${record.recordType} ${record.value}${said}${remark}`;
}

test("there are at least 40 files of dialects, each with a unique title per dialect", () => {
  expect(files.length).toBeGreaterThanOrEqual(40);
  for (const some of [cloudflareFiles, goDaddyFiles, microsoftFiles, route53Files, otherFiles])
    expect(new Set(some.map(({ title }) => title)).size).toBe(some.length);
});

describe.each([
  ["Cloudflare", cloudflareFiles],
  ["GoDaddy", goDaddyFiles],
  ["Microsoft DNS", microsoftFiles],
  ["Route 53 tools", route53Files],
  ["cPanel, BIND and people", otherFiles],
])("a zone file of %s", (_, some) => {
  test.each(some.map((file) => [file.title, file] as const))(
    "a zone file is read as it is meant, and each reading that is not literal is a warning: %s",
    (_title, { zone = "example.com", text, records, warnings }) => {
      const reading = readable(text, { zone });
      expect(reading.records.map(lineOf)).toEqual(records);
      expect(reading.warnings.map(located)).toEqual(warnings);
    },
  );
});

test("each record of a zone file comes with its line, also after the head of a dump", () => {
  const dump = otherFiles.find(({ title }) => title.startsWith("one zone out of"))?.text ?? "";
  expect(readable(dump).records.map(({ line }) => line)).toEqual([13]);
  expect(readable("a 300 A (\n192.0.2.1 )\n\nb 300 A 192.0.2.2\n").records.map(({ line }) => line)).toEqual([1, 4]);
});

test("an error in a part of a dump names the line of the whole file", () => {
  const text = "; Zone dump of 'a.example/IN'\n;\n; Zone dump of 'example.com/IN'\nwww 300 A 300.0.2.1\n";
  expect(read(text)).toMatchObject({ ok: false, errors: [{ line: 4 }] });
});

describe("where records go to Cloudflare", () => {
  const there = { supportsProxied: true, automaticTtl: 1 };

  test("an automatic TTL and the proxy are kept, without a warning", () => {
    const text =
      "; cf_tags=\na 1 IN A 192.0.2.1 ; cf_tags=cf-proxied:true\nb 1 IN A 192.0.2.2 ; cf_tags=cf-proxied:false\n";
    const { records, warnings } = readable(text, there);
    expect(records.map(({ record }) => [record.name, record.ttl, record.proxied])).toEqual([
      ["a", 1, true],
      ["b", 1, false],
    ]);
    expect(warnings).toEqual([]);
  });

  test("a proxied address does not share its TTL with one that is not proxied", () => {
    const text = "a 1 IN A 192.0.2.1 ; cf_tags=cf-proxied:true\na 300 IN A 192.0.2.2 ; cf_tags=cf-proxied:false\n";
    const { records, warnings } = readable(text, there);
    expect(records.map(({ record }) => record.ttl)).toEqual([1, 300]);
    expect(warnings).toEqual([]);
  });
});

test("a warning that concerns many lines is listed once, with the first ten and the number of the others", () => {
  const lines = Array.from({ length: 300 }, (_, index) => `h${index} 1 IN A 192.0.2.1 ; cf_tags=cf-proxied:false`);
  expect(readable(lines.join("\n")).warnings.map(located)).toEqual([
    "Lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 290 more: TTL 1 means automatic at Cloudflare and is read as 3600.",
  ]);
});

test.each([
  ['{"result":[{"name":"www.example.com","type":"A"}]}', "JSON"],
  ["[]", "JSON"],
  ["<!DOCTYPE html><html></html>", "HTML or XML"],
])("a text in a format that cannot be read is refused with its name: %j", async (text, name) => {
  expect(await openText(text, "auto")).toEqual({
    ok: false,
    errors: [
      {
        line: 1,
        message: `This is ${name}, not a zone file. Export the zone as a zone file, often called BIND format.`,
      },
    ],
  });
});
