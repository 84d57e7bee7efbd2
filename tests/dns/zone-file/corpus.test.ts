import { describe, expect, test } from "vitest";
import { recordKey, type RecordData } from "../../../server/dns/record.ts";
import { parseZoneFile, type ZoneFileOptions } from "../../../server/dns/zone-file/parse.ts";
import { printZoneFile } from "../../../server/dns/zone-file/write.ts";
import { awkwardZones } from "./corpus/all.ts";
import { refusedLines } from "./corpus/refused.ts";

function parsed(source: string | Buffer, zone: string, options: Partial<ZoneFileOptions> = {}) {
  const result = parseZoneFile(source, { zone, ...options });
  if (!result.ok) throw new Error(JSON.stringify(result.errors));
  return result;
}

const inOrder = (records: readonly RecordData[]) =>
  records.toSorted((one, other) => (recordKey(one) < recordKey(other) ? -1 : 1));

test("the corpus has at least 150 zones, each with a unique title", () => {
  expect(awkwardZones.length).toBeGreaterThanOrEqual(150);
  expect(new Set(awkwardZones.map(({ title }) => title)).size).toBe(awkwardZones.length);
});

describe("an unusual zone is read completely, and its printed form reads the same", () => {
  test.each(awkwardZones.map((zone) => [zone.title, zone] as const))(
    "an unusual zone is read and printed: %s",
    (_, { zone, text }) => {
      const { records, soa } = parsed(Buffer.from(text, "latin1"), zone);
      expect(soa).not.toBeNull();
      if (soa === null) return;
      const printed = printZoneFile({ zone, soa, records });
      const again = parsed(printed, zone);
      expect(again.warnings).toEqual([]);
      expect(again.soa).toEqual(soa);
      expect(inOrder(again.records)).toEqual(inOrder(records));
      expect(printZoneFile({ zone, soa, records: again.records })).toBe(printed);
    },
  );
});

describe("lines for which a name server refuses a zone", () => {
  test.each(refusedLines)("the zone-file line %j is refused: %s", (line, reason) => {
    const result = parseZoneFile(Buffer.from(`\n\n${line}\n`, "latin1"), { zone: "example.com" });
    expect(result).toMatchObject({ ok: false, errors: [{ line: 3 }] });
    expect(result.ok ? "" : result.errors[0]?.message).toContain(reason);
  });
});
