import { createHash } from "node:crypto";
import { chmod, mkdir, readdir, stat, symlink, writeFile } from "node:fs/promises";
import { beforeEach, describe, expect, test } from "vitest";
import { replaceFile } from "../../server/dns-providers/zonefile/folder.ts";
import {
  connect,
  contentOf,
  create,
  fileOf,
  outcomesOf,
  record,
  recordsOf,
  remove,
  serialOf,
  soaLine,
  there,
  update,
  useZoneFolder,
  zone,
} from "./zone-folder.ts";

useZoneFolder();

describe("changing zone files", () => {
  const www = record("www", "A", "192.0.2.1");
  const text = record("@", "TXT", 'v=spf1 "-all"; \\');

  beforeEach(async () => {
    await there.provider.createZone(zone);
    await there.provider.applyChanges(zone, [create(www), create(text)]);
  });

  test("applied changes read back equal, and the serial advances once per call", async () => {
    expect(await recordsOf(zone)).toEqual([text, www]);
    expect(await serialOf()).toBe(2_024_050_601);
    const moved = record("web", "A", "192.0.2.7", 60);
    expect(await outcomesOf([update(www, moved), remove(text)])).toEqual([{ ok: true }, { ok: true }]);
    expect(await recordsOf(zone)).toEqual([moved]);
    expect(await serialOf()).toBe(2_024_050_602);
  });

  test("manually edited records survive, and their TTL does not matter", async () => {
    const content = await contentOf();
    await writeFile(fileOf("example.com.zone"), `${content.replace(/^www +300/m, "www 77")}byhand TXT "kept" ; note\n`);
    expect(await outcomesOf([update(www, record("www", "A", "192.0.2.2"))])).toEqual([{ ok: true }]);
    expect(await recordsOf(zone)).toEqual([
      text,
      record("byhand", "TXT", "kept", 3600),
      record("www", "A", "192.0.2.2"),
    ]);
  });

  test("each change to a zone file has its own outcome, and a refused one does not stop the others", async () => {
    const other = record("www", "A", "192.0.2.2");
    const gone = record("gone", "A", "192.0.2.3");
    expect(
      await outcomesOf([
        create(www),
        remove(gone),
        update(gone, other),
        create(other),
        create(record("@", "NS", "placeholder.invalid")),
      ]),
    ).toEqual([
      { ok: false, message: "www A 192.0.2.1 is already in the zone file; sync the zone first." },
      { ok: false, message: "gone A 192.0.2.3 is no longer in the zone file; sync the zone first." },
      { ok: false, message: "gone A 192.0.2.3 is no longer in the zone file; sync the zone first." },
      { ok: true },
      { ok: false, message: "placeholder.invalid stands in for a missing name server and cannot be a record." },
    ]);
    expect(await recordsOf(zone)).toEqual([text, www, other]);
  });

  test("atomic changes to a zone file are all made or none", async () => {
    const content = await contentOf();
    const changes = [create(record("new", "A", "192.0.2.9")), create(www), remove(text)];
    const refusal = "www A 192.0.2.1 is already in the zone file; sync the zone first.";
    const alongside = { ok: false, message: `Not applied because another change in the set was refused: ${refusal}` };
    expect(await outcomesOf(changes, { atomic: true })).toEqual([
      alongside,
      { ok: false, message: refusal },
      alongside,
    ]);
    expect(await contentOf()).toBe(content);
    expect(await outcomesOf([create(record("new", "A", "192.0.2.9")), remove(text)], { atomic: true })).toEqual([
      { ok: true },
      { ok: true },
    ]);
  });

  test("two records of a zone file can swap values in one change set", async () => {
    const other = record("www", "A", "192.0.2.2");
    await there.provider.applyChanges(zone, [create(other)]);
    expect(await outcomesOf([update(www, other), update(other, www)])).toEqual([{ ok: true }, { ok: true }]);
    expect(await recordsOf(zone)).toEqual([text, www, other]);
  });

  test("a call without a successful change leaves the zone file as it is", async () => {
    const before = await contentOf();
    await there.provider.applyChanges(zone, [create(www)]);
    await there.provider.applyChanges(zone, []);
    expect(await contentOf()).toBe(before);
  });

  test("a change leaves no temporary file and preserves the zone file's mode", async () => {
    await chmod(fileOf("example.com.zone"), 0o640);
    await there.provider.applyChanges(zone, [remove(www)]);
    expect(await readdir(there.folder)).toEqual(["example.com.zone"]);
    expect((await stat(fileOf("example.com.zone"))).mode & 0o777).toBe(0o640);
  });

  test("a zone file edited since it was read is left alone", async () => {
    const stats = await stat(fileOf("example.com.zone"), { bigint: true });
    await writeFile(fileOf("example.com.zone"), "; edited");
    await expect(replaceFile(fileOf("example.com.zone"), "; ours", stats)).rejects.toMatchObject({ effect: "none" });
    expect(await contentOf()).toBe("; edited");
    await expect(replaceFile(fileOf("nowhere/a.zone"), "; ours", null)).rejects.toThrow(/it does not exist/);
    expect(await readdir(there.folder)).toEqual(["example.com.zone"]);
  });

  test("a linked zone file is changed at its target", async () => {
    await mkdir(fileOf("real"));
    await writeFile(fileOf("real/net"), soaLine);
    await symlink(fileOf("real/net"), fileOf("example.net.zone"));
    await there.provider.applyChanges("example.net", [create(www)]);
    expect(await contentOf("real/net")).toContain("192.0.2.1");
    expect(await recordsOf("example.net")).toEqual([www]);
  });

  test("simultaneous calls on a zone file are all carried out", async () => {
    const added = Array.from({ length: 20 }, (_, index) => record(`h${index}`, "A", "192.0.2.1"));
    const outcomes = await Promise.all(added.map((one) => outcomesOf([create(one)], {}, connect({}))));
    expect(outcomes.flat().every((outcome) => outcome.ok)).toBe(true);
    expect(await recordsOf(zone)).toHaveLength(22);
    expect(await serialOf()).toBe(2_024_050_621);
  });

  test("an unreadable zone file is not overwritten, and the next call is not blocked", async () => {
    await writeFile(fileOf("example.com.zone"), "www FOO\n");
    await expect(there.provider.applyChanges(zone, [create(www)])).rejects.toMatchObject({ effect: "none" });
    expect(await contentOf()).toBe("www FOO\n");
    await writeFile(fileOf("example.com.zone"), soaLine);
    expect(await outcomesOf([create(www)])).toEqual([{ ok: true }]);
  });

  test("a zone file without an SOA gets one", async () => {
    await writeFile(fileOf("example.com.zone"), "@ NS ns1\n");
    await there.provider.applyChanges(zone, [create(www)]);
    expect(await contentOf()).toContain("SOA    placeholder.invalid. hostmaster.example.com. (");
    expect(await serialOf()).toBe(2_024_050_600);
  });

  test("a call returns the fingerprints of what it found and of what it wrote", async () => {
    const before = await there.provider.fingerprint(zone);
    const mark = createHash("sha256");
    const answer = await there.provider.applyChanges(zone, [remove(www)]);
    const after = mark.update(await contentOf()).digest("hex");
    expect(answer).toEqual({ outcomes: [{ ok: true }], before, after });
    expect(after).not.toBe(before);
    expect(await there.provider.fingerprint(zone)).toBe(after);
    for (const changes of [[], [remove(www)]]) {
      expect(await there.provider.applyChanges(zone, changes)).toMatchObject({ before: after, after });
    }
  });

  test("a plan on the current content may leave rules broken; an unseen record may not break them", async () => {
    const alias = record("www", "CNAME", "elsewhere.example");
    const plannedOn = await there.provider.fingerprint(zone);
    const refusal = /^The zone file has other records: .*CNAME.* Sync the zone first\.$/;
    expect(await outcomesOf([create(alias)])).toMatchObject([{ message: expect.stringMatching(refusal) }]);
    const content = await contentOf();
    await writeFile(fileOf("example.com.zone"), `${content}www TXT "by hand"\n`);
    for (const atomic of [true, false]) {
      const [outcome] = await outcomesOf([create(alias)], { atomic, plannedOn });
      expect(outcome).toMatchObject({ ok: false, message: expect.stringMatching(refusal) });
    }
    await writeFile(fileOf("example.com.zone"), content);
    expect(await outcomesOf([create(alias)], { atomic: true, plannedOn })).toEqual([{ ok: true }]);
    expect(await recordsOf(zone)).toEqual([text, www, alias]);
  });

  test("the fingerprint of a zone file changes exactly with its content", async () => {
    const before = await there.provider.fingerprint(zone);
    expect(before).toBe(
      createHash("sha256")
        .update(await contentOf())
        .digest("hex"),
    );
    await there.provider.applyChanges(zone, [create(www)]);
    expect(await there.provider.fingerprint(zone)).toBe(before);
    await there.provider.applyChanges(zone, [remove(www)]);
    expect(await there.provider.fingerprint(zone)).not.toBe(before);
  });

  test("ten changes to a zone of a hundred thousand records are made in one call", async () => {
    const many = Array.from(
      { length: 100_000 },
      (_, index) => `h${index} 60 A 10.0.${(index >> 8) & 255}.${index & 255}\n`,
    );
    await writeFile(fileOf("example.com.zone"), soaLine + many.join(""));
    const changes = Array.from({ length: 10 }, (_, index) => create(record(`new${index}`, "A", "192.0.2.1")));
    // Work quadratic in the size of the zone would take minutes, beyond a test's time limit.
    const { outcomes } = await there.provider.applyChanges(zone, changes);
    expect(outcomes).toEqual(changes.map(() => ({ ok: true })));
    expect((await contentOf()).split("\n").filter((line) => line.startsWith("new"))).toHaveLength(10);
  });
});
