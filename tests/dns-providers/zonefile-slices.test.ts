import { appendFile, readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { parseZoneFile } from "../../server/dns/zone-file/parse.ts";
import { slicedWork } from "../../server/platform/slices.ts";
import {
  connect,
  contentOf,
  create,
  fileOf,
  outcomesOf,
  place,
  record,
  recordsOf,
  remove,
  soaLine,
  there,
  update,
  useZoneFolder,
  zone,
} from "./zone-folder.ts";

useZoneFolder();

const count = 5_000;
// Each test has content of its own, so nothing of it is cached.
let zones = 0;
async function placeLarge(): Promise<void> {
  zones += 1;
  const hosts = Array.from({ length: count }, (_, index) => `h${index} 300 A 192.0.${zones}.${index % 250}\n`);
  await place("example.com.zone", soaLine + hosts.join(""));
}

async function stepsOf(work: () => Promise<unknown>): Promise<number> {
  const before = slicedWork.steps;
  await work();
  return slicedWork.steps - before;
}

describe("large zone files", () => {
  test("a large zone file is read, changed and printed in steps between which other calls run", async () => {
    await placeLarge();
    const first = await stepsOf(() => outcomesOf([create(record("new", "A", "192.0.2.1"))]));
    expect(first).toBeGreaterThan(5 * count);
    expect(await stepsOf(() => recordsOf(zone))).toBeGreaterThan(count);
  });

  test("a large zone file is not parsed again for the next edit", async () => {
    await placeLarge();
    const first = await stepsOf(() => outcomesOf([create(record("new", "A", "192.0.2.1"))]));
    const second = await stepsOf(() => outcomesOf([create(record("newer", "A", "192.0.2.1"))]));
    expect(second).toBeLessThan(first - 0.9 * count);
    expect(await recordsOf(zone)).toHaveLength(count + 2);
  });

  test("reading the SOA of a large zone file stops after it", async () => {
    await placeLarge();
    let soa: unknown;
    const steps = await stepsOf(async () => (soa = await there.provider.readSoa(zone)));
    expect(soa).toMatchObject({ serial: 7, rname: "hostmaster.example.com" });
    expect(steps).toBeLessThan(10);
  });

  test("a large zone file is parsed again after another program changed it", async () => {
    await placeLarge();
    await outcomesOf([create(record("new", "A", "192.0.2.1"))]);
    await appendFile(fileOf("example.com.zone"), "byhand 300 A 192.0.2.9\n");
    await outcomesOf([create(record("newer", "A", "192.0.2.1"))]);
    const names = (await recordsOf(zone)).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["new", "newer", "byhand"]));
    expect(names).toHaveLength(count + 3);
  });
});

describe("consecutive edits", () => {
  test("an edit writes the same file whether or not the zone was cached", async () => {
    const lines = [
      "www 300 A 192.0.2.1\nwww 300 A 192.0.2.2\n",
      "bad 300 DS 1 8 2 00\n",
      "mail 60 MX 10 a.example.\nmail 60 MX 20 a.example.\n",
      '$TTL 60\nt TXT "one" "two"\n',
      "old ALIAS www\n",
    ];
    const edits = [
      [create(record("www", "A", "192.0.2.3", 60))],
      [update(record("www", "A", "192.0.2.1"), record("www", "A", "192.0.2.4", 77))],
      [create(record("@", "NS", "ns1.example.net")), remove(record("www", "A", "192.0.2.2"))],
      [create(record("s", "TXT", "tail"))],
    ];
    await place("example.com.zone", soaLine + lines.join(""));
    for (const changes of edits) {
      // A zone of another name, whose file has never been read before.
      const before = (await contentOf()).replaceAll("example.com", "example.org");
      await outcomesOf(changes);
      const written = await contentOf();
      await place("example.org.zone", `; ${written.length}\n${before}`);
      await connect({}).applyChanges("example.org", changes);
      expect((await readFile(fileOf("example.org.zone"), "utf8")).replaceAll("example.org", "example.com")).toBe(
        written,
      );
      expect(parseZoneFile(written, { zone, keepBadData: true })).toMatchObject({ ok: true });
    }
  });
});
