import { beforeAll, describe, expect, test } from "vitest";
import type { Answer } from "../../support/rest-client.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { manualZone, unknownId, type Zone } from "../../support/zones.ts";

const zw = useZonewright();

let zone: Zone;
beforeAll(async () => {
  zone = await manualZone(zw);
  await zone.add("A", "www", "192.0.2.1");
  await zone.add("MX", "@", "10 mail.example.net");
  await zw.admin.put(zone.path, { tags: ["one"], groupName: "Team" });
});

/** What does not depend on the moment. */
function shape({ status, headers, body }: Answer): object {
  const { requestId: _, id: _id, createdAt: _created, updatedAt: _updated, ...rest } = body;
  return { status, type: headers.get("content-type"), etag: headers.get("etag"), rest };
}

/** The answers of the Open API and of the internal interface. */
async function twins(path: string): Promise<{ open: object; internal: object }> {
  const [open, internal] = [await zw.admin.get(`/api/v1${path}`), await zw.admin.get(`/api${path}`)];
  return { open: shape(open), internal: shape(internal) };
}

describe("the Open API compared with the internal interface", () => {
  test.each([
    "",
    "?tag=one",
    "?tag=two",
    "?group=Team&search=zone&status=active&limit=1",
    "?page=2",
    "?limit=0",
    "?x=1",
  ])("the Open API lists domains%s as the internal interface does", async (query) => {
    const { open, internal } = await twins(`/domains${query}`);
    expect(open).toEqual(internal);
  });

  test("the Open API returns a known and an unknown domain as the internal interface does", async () => {
    expect((await zw.admin.get(`/api/v1/domains/${zone.id}`)).body).toEqual(await zone.detail());
    for (const id of [zone.id, unknownId, "x"]) {
      const { open, internal } = await twins(`/domains/${id}`);
      expect(open).toEqual(internal);
    }
  });

  test.each(["", "?type=mx", "?search=ww", "?page=2&limit=1", "?limit=501"])(
    "the Open API lists records%s as the internal interface does",
    async (query) => {
      const { open, internal } = await twins(`/domains/${zone.id}/records${query}`);
      expect(open).toEqual(internal);
    },
  );

  test("the Open API creates, changes and deletes a record as the internal interface does", async () => {
    const paths = [`/api/v1/domains/${zone.id}/records`, `${zone.path}/records`];
    const seen = [];
    for (const path of paths) {
      const created = await zw.admin.post(path, {
        recordType: "MX",
        name: "twin",
        value: "Mail.Example.net.",
        priority: 5,
      });
      const one = `${path}/${created.body.id}`;
      const steps = [
        created,
        await zw.admin.post(path, { recordType: "MX", name: "twin", value: "5 mail.example.net" }),
        await zw.admin.post(path, { recordType: "A", name: "twin", value: "nonsense" }),
        await zw.admin.put(one, { ttl: 60 }, { "if-match": '"1"' }),
        await zw.admin.put(one, { ttl: 30 }, { "if-match": '"1"' }),
        await zw.admin.put(one, { value: "mx.example.net" }),
        await zw.admin.delete(one, { "if-match": '"1"' }),
        await zw.admin.delete(one, { "if-match": '"3"' }),
        await zw.admin.delete(one),
      ];
      expect(steps.map(({ status }) => status)).toEqual([201, 409, 400, 200, 412, 200, 412, 200, 404]);
      seen.push(steps.map(shape));
    }
    expect(seen[0]).toEqual(seen[1]);
  });

  test("the Open API refuses callers without a sign-in as the internal interface does", async () => {
    const answers = await Promise.all([
      zw.nobody.get("/api/v1/domains"),
      zw.nobody.get(`/api/v1/domains/${zone.id}`),
      zw.nobody.get(`/api/v1/domains/${zone.id}/records`),
      zw.nobody.post(`/api/v1/domains/${zone.id}/records`, { recordType: "A", name: "x", value: "192.0.2.1" }),
      zw.nobody.put(`/api/v1/domains/${zone.id}/records/${unknownId}`, { ttl: 1 }),
      zw.nobody.delete(`/api/v1/domains/${zone.id}/records/${unknownId}`),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 401));
  });
});
