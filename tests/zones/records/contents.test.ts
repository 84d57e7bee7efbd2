import { beforeAll, describe, expect, test } from "vitest";
import { ruleFor } from "../../../server/dns/record-types.ts";
import { writeStrings } from "../../../server/dns/values/txt.ts";
import { parseZoneFile } from "../../../server/dns/zone-file/parse.ts";
import { logicalLines } from "../../../server/dns/zone-file/tokens.ts";
import { wantedRrsets } from "../../../server/dns-service/update-clients/powerdns-api/rrsets.ts";
import { atOnce } from "../../../server/platform/slices.ts";
import { contents, type Content } from "../../support/records/contents.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { manualZone, type Body } from "../../support/zones.ts";

const zw = useZonewright();
const rows = contents.map((content) => [content.type, content.written.slice(0, 60), content.rfc, content] as const);
const outcome = ({ stored }: Content) => stored ?? "refused";

const isKey = ({ type, stored }: Content) => type === "DNSKEY" && stored !== null;

/** Content that is stored, in master-file form; `refused` otherwise. */
function printed(recordType: string, value: string | undefined, strings: string[] | null | undefined): string {
  return value === undefined ? "refused" : ruleFor(recordType).print(value, strings);
}

/** The strings as they are stored: null for the default split, which is shown for octets that are no text. */
function splitOf(strings: string[] | null | undefined): string[] | null | undefined {
  const written = strings ? writeStrings(strings, undefined, "dns") : null;
  return written?.ok ? written.value.strings : strings;
}

/** A record with this content as a client of the API writes it: a TXT by its strings, a CAA without need of quotes. */
function asClient({ type, written }: Content) {
  if (type !== "TXT") return { recordType: type, value: written };
  const [line] = logicalLines(written);
  const fields = line?.kind === "line" ? line.fields.map(({ raw }) => raw.replaceAll(String.raw`\"`, '"')) : [written];
  return { recordType: type, strings: fields };
}

describe("a record's content is accepted, and stored, by its RFC", () => {
  const byApi: string[] = [];
  beforeAll(async () => {
    const zone = await manualZone(zw);
    // A zone's keys belong at its apex.
    const hosts = contents.map((content, index) => (isKey(content) ? "@" : `n${index}`));
    const records = contents.map((content, index) => ({ name: hosts[index], ...asClient(content) }));
    // A DS belongs beside the NS records of a delegation.
    const signed = contents.flatMap(({ type }, index) => (type === "DS" ? [`n${index}`] : []));
    const delegations = signed.map((name) => ({ recordType: "NS", name, value: "ns.example.net" }));
    await zone.post("/records/bulk", { records: delegations });
    for (let start = 0; start < records.length; start += 100) {
      await zone.post("/records/bulk", { records: records.slice(start, start + 100) });
    }
    const stored = new Map(
      (await zone.records()).map((record: Body) => [`${record.name} ${record.recordType}`, record]),
    );
    byApi.push(
      ...records.map(({ name, recordType }) => {
        const found = stored.get(`${name} ${recordType}`);
        return printed(recordType, found?.value, splitOf(found?.strings));
      }),
    );
  });

  // In its strings, a quote is a character like any other.
  test.each(rows.filter(([, written]) => written !== '"open'))(
    "by the API: %s %s (%s)",
    (_type, _written, _rfc, content) => {
      expect(byApi[contents.indexOf(content)]).toBe(outcome(content));
    },
  );

  test.each(rows)("by a zone file: %s %s (%s)", (type, _written, _rfc, content) => {
    const parsed = parseZoneFile(`n ${type} ${content.written}\n`, { zone: "example.com" });
    const [record] = parsed.ok ? parsed.records : [];
    expect(printed(type, record?.value, record?.strings)).toBe(outcome(content));
  });

  // Its clients send a whole text in one pair of quotes, as PowerDNS splits it.
  test.each(rows.filter(([type, written]) => !(type === "TXT" || type === "SPF") || !/^"[st]{59}/.test(written)))(
    "by PowerDNS's API: %s %s (%s)",
    (type, _written, _rfc, content) => {
      const rrset = { name: "n.example.com.", type, ttl: 60, records: [{ content: content.written }] };
      let found: string;
      try {
        const [read] = atOnce(wantedRrsets([{ ...rrset, changetype: "REPLACE" }], "example.com", true));
        const [record] = read?.records ?? [];
        found = printed(type, record?.value, record?.strings);
      } catch {
        found = "refused";
      }
      expect(found).toBe(outcome(content));
    },
  );
});
