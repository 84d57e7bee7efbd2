import { describe, expect, test } from "vitest";
import { bothViews, manualConfig, type Zone } from "../../support/zones.ts";
import { useZonewright } from "../../support/zonewright.ts";

const zw = useZonewright();

describe("a plan for a private address", () => {
  test.each([
    ["10.1.2.3", "A", 1],
    ["172.31.255.255", "A", 1],
    ["172.32.0.1", "A", 0],
    ["192.168.0.1", "A", 1],
    ["100.64.0.1", "A", 1],
    ["169.254.1.1", "A", 1],
    ["127.0.0.1", "A", 1],
    ["192.0.2.1", "A", 0],
    ["fd12:3456::1", "AAAA", 1],
    ["fe80::1", "AAAA", 1],
    ["::ffff:10.0.0.1", "AAAA", 1],
    ["2001:db8::1", "AAAA", 0],
  ])(
    "a plan that adds %s (%s) has %i warning in the default view, and none in another",
    async (value, recordType, warnings) => {
      const [zone, internal] = await bothViews(zw, await manualConfig(zw));
      expect(await privateWarnings(zone, value, recordType)).toHaveLength(warnings);
      expect(await privateWarnings(internal, value, recordType)).toEqual([]);
    },
  );
});

async function privateWarnings(zone: Zone, value: string, recordType: string): Promise<string[]> {
  const { body } = await zone.post("/records/plan", {
    changes: [{ action: "create", record: { recordType, name: "h", value } }],
  });
  return body.warnings.filter((text: string) => text.includes("Private addresses"));
}
