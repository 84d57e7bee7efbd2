import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  openText,
  readableFormats,
  writableFormats,
  writingIn,
  type ReadableFormat,
} from "../../../server/dns/formats/formats.ts";
import { initialSoa } from "../../../server/dns/zone-file/contents.ts";
import { atOnce } from "../../../server/platform/slices.ts";
import { fuzzTimes } from "../../support/fuzz-times.ts";
import { arbitraryZone, contentOf } from "../../support/records/arbitrary-zones.ts";

const zone = "example.com";
const soa = initialSoa(zone, new Date(0));
const both = writableFormats.filter(
  (format): format is typeof format & ReadableFormat => format !== ("dnscontrol" as string),
);

const ways = both.flatMap((format) =>
  (format === "terraform" ? ["cloudflare", "gcloud", "powerdns", "route53"] : ["zonefile"]).map(
    (provider) => [format, provider] as const,
  ),
);

test.each(ways)(
  "a zone written as %s for %s is read back as it was, every type and name that the format can hold",
  async (format, provider) => {
    await fc.assert(
      fc.asyncProperty(arbitraryZone(zone), async (records) => {
        const text = atOnce(await writingIn(format, { zone, soa, records, provider })).join("");
        const opened = await openText(text, records.length === 0 ? format : "auto");
        if (!opened.ok) throw new Error(opened.errors[0]?.message);
        expect(opened.format).toBe(format);
        const reading = atOnce(opened.read({ zone }));
        if (!reading.ok)
          throw new Error(`${reading.errors.map(({ line, message }) => `${line}: ${message}`).join("\n")}\n${text}`);
        const held = records.filter(({ recordType }) => opened.holds(recordType));
        expect(contentOf(reading.records.map(({ record }) => record))).toEqual(contentOf(held));
        expect(reading.warnings).toEqual([]);
      }),
      { numRuns: 100 },
    );
  },
);

const pieces = fc.constantFrom(
  ..."\n|\"|'|{|}|[|]|:|,|;|#|\\|\t| |<<EOT|${|/*|&a|*a|!!x|---|- |? |@|\uFEFF|\u0000|ä|\ud800|9999999999|type|null|resource".split(
    "|",
  ),
);

test.each(readableFormats)(
  "any text is read or refused with sentences that name lines, as %s",
  async (format) => {
    const edit = fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(4), pieces);
    await fc.assert(
      fc.asyncProperty(
        arbitraryZone(zone),
        fc.constantFrom(...writableFormats),
        fc.array(edit, { maxLength: 4 }),
        fc.boolean(),
        async (records, written, edits, lenient) => {
          let text = atOnce(await writingIn(written, { zone, soa, records, provider: "cloudflare" })).join("");
          for (const [place, cut, piece] of edits) {
            const at = Math.floor(place * text.length);
            text = text.slice(0, at) + piece + text.slice(at + cut);
          }
          const opened = await openText(text, format);
          const reading = opened.ok ? atOnce(opened.read({ zone, lenient })) : opened;
          for (const { line, message } of reading.ok ? reading.warnings : reading.errors) {
            expect({ line: line >= 1 && line <= text.split("\n").length + 1, message }).toEqual({
              line: true,
              message: expect.stringMatching(/[.:)]$/),
            });
          }
        },
      ),
      { numRuns: 150 * fuzzTimes },
    );
  },
  120_000 * fuzzTimes,
);
