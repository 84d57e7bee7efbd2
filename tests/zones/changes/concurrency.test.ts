import { describe, expect, test } from "vitest";
import { useZonewright } from "../../support/zonewright.ts";
import { fileZone, manualZone } from "../../support/zones.ts";

const zw = useZonewright();

describe.each([
  ["in a master file", () => fileZone(zw)],
  ["in Zonewright only", () => manualZone(zw)],
])("simultaneous edits of a zone %s", (where, make) => {
  test("simultaneous edits are all carried out, and none undoes another", async () => {
    const zone = await make();
    // Fewer than a slow machine carries out in twelve seconds: an edit that waited longer for its turn is refused.
    const creates = Array.from({ length: 10 }, (_, index) =>
      zone.create({ recordType: "A", name: `h${index}`, value: "192.0.2.1" }),
    );
    const answers = await Promise.all(creates);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    const updates = answers.map(({ body }, index) =>
      index % 2 === 0 ? zone.delete(body.id) : zone.update(body.id, { value: "192.0.2.2" }),
    );
    expect((await Promise.all(updates)).map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(await zone.detail()).toMatchObject({ recordCount: 5, revision: 20 });
    const lines = Array.from({ length: 5 }, (_, index) => `h${2 * index + 1} A 192.0.2.2`);
    expect(await zone.lines()).toEqual(lines.toSorted());
    const revisions = (await zone.history()).map(({ revision }) => revision);
    expect(revisions).toEqual(Array.from({ length: 20 }, (_, index) => 20 - index));
    const inSync = { status: 200, body: { unchanged: 5, created: 0, updated: 0, deleted: 0 } };
    expect(await zone.post("/sync")).toMatchObject(where === "in a master file" ? inSync : { status: 400 });
  });
});
