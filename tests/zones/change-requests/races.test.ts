import { sql } from "kysely";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { assign, idOf } from "../../accounts/assignments/assigned.ts";
import type { Answer, RestClient } from "../../support/rest-client.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { fileZone, manualZone, type Body, type Zone } from "../../support/zones.ts";
import { approve, creating, readRequest, request, requested, requireReview, verdict } from "./requested.ts";

const zw = useZonewright({ env: { JOBS: "off" } });

let ada: RestClient;
let grace: RestClient;
beforeAll(async () => {
  ada = await zw.member("ada");
  grace = await zw.member("grace");
  await zw.admin.put(`/api/users/${await idOf(grace)}`, { role: "admin" });
});

/** How often a race is run: the embedded database runs one transaction at a time, so each round would be the first again. */
const rounds = (onServer: number) => (process.env["TEST_DATABASE_URL"] === undefined ? 1 : onServer);

const succeeded = (answers: readonly Answer[]) => answers.filter(({ status }) => status < 300);
const revisionsOf = async (zone: Zone, { id }: { id: string }) =>
  (await zone.history()).filter(({ changeRequestId }: Body) => changeRequestId === id);

test("a domain has at most 1,000 open requests, also with concurrent calls", async () => {
  const zone = await manualZone(zw);
  const { id } = await requested(zw.admin, zone, creating("first"));
  await sql`
    insert into change_requests overriding user value
    select (jsonb_populate_record(r, jsonb_build_object('id', gen_random_uuid()))).*
    from change_requests r, generate_series(1, 997) where r.id = ${id}
  `.execute(queries(zw.services.database.fork()));
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, index) => request(zw.admin, zone, creating(`h${index}`))),
  );
  const refused = answers.filter(({ status }) => status === 409);
  expect([succeeded(answers).length, refused.length]).toEqual([2, 6]);
  expect(refused[0]?.body.detail).toContain("1000 open requests");
});

describe.each([
  ["a zone without a back end", manualZone],
  ["a zone in files", fileZone],
])("in %s", (_, make) => {
  let zone: Zone;
  beforeEach(async () => {
    zone = await make(zw);
    await assign(zw, ada, zone.id, "*", "write");
    await requireReview(zw, zone, "members");
  });

  test("a request applied by several at the same time is applied once", async () => {
    const made = await requested(ada, zone, creating("www"));
    await approve(zw.admin, made);
    const clients = [ada, grace, zw.admin, ada, grace];
    const answers = await Promise.all(clients.map((client) => verdict(client, made, "apply")));
    expect(succeeded(answers)).toHaveLength(1);
    const codes = new Set(answers.flatMap(({ status, body }) => (status < 300 ? [] : [body.code])));
    expect([...codes]).toEqual(["CONFLICT"]);
    expect(await revisionsOf(zone, made)).toHaveLength(1);
    expect((await readRequest(ada, made)).state).toBe("applied");
  });

  test("two reviewers approve at the same time, and both are listed", async () => {
    const made = await requested(ada, zone, creating("www"));
    const answers = await Promise.all([approve(zw.admin, made), approve(grace, made)]);
    expect(succeeded(answers)).toHaveLength(2);
    const { state, reviews } = await readRequest(ada, made);
    expect({ state, by: reviews.map(({ user }: Body) => user).toSorted() }).toEqual({
      state: "approved",
      by: ["admin", "grace"],
    });
  });

  test("one approval sent again and again is one review", async () => {
    const made = await requested(ada, zone, creating("www"));
    await Promise.all([approve(grace, made), approve(grace, made), approve(grace, made)]);
    await approve(grace, made);
    expect((await readRequest(ada, made)).reviews).toHaveLength(1);
  });

  test("a rejection beside an approval and an attempt to apply wins, or comes too late, but never both", async () => {
    for (let round = 0; round < rounds(5); round++) {
      const made = await requested(ada, zone, creating(`h${round}`));
      await approve(zw.admin, made);
      const [rejected, applied] = await Promise.all([
        verdict(grace, made, "reject"),
        verdict(ada, made, "apply"),
        approve(grace, made),
      ]);
      const { state } = await readRequest(ada, made);
      const changed = await revisionsOf(zone, made);
      expect({ rejected: rejected.status === 200, applied: applied.status === 200 }).toEqual({
        rejected: state === "rejected",
        applied: state === "applied",
      });
      expect(changed).toHaveLength(state === "applied" ? 1 : 0);
    }
  });

  test("an edit of the RRset beside an attempt to apply is never overwritten unseen", async () => {
    for (let round = 0; round < rounds(5); round++) {
      const { id: recordId } = await zone.add("A", `h${round}`, "192.0.2.1");
      const made = await requested(ada, zone, [{ action: "update", recordId, record: { value: "192.0.2.2" } }]);
      await approve(zw.admin, made);
      const [edited, applied] = await Promise.all([
        zone.update(recordId, { value: "192.0.2.3" }),
        verdict(ada, made, "apply"),
      ]);
      const record = (await zone.records()).find(({ id }: Body) => id === recordId);
      expect(edited.status).toBe(200);
      // Either the request came first and was edited, or it saw the edit and refused.
      expect(record?.value).toBe("192.0.2.3");
      expect(record?.version).toBe(applied.status === 200 ? 3 : 2);
    }
  });

  test("a reviewer who loses the right beside an attempt to apply never leaves a change without a reviewer", async () => {
    const judge = await zw.member(`judge-${zone.name.split(".")[0]}`);
    const id = await idOf(judge);
    for (let round = 0; round < rounds(4); round++) {
      await zw.admin.put(`/api/users/${id}`, { role: "admin" });
      const made = await requested(ada, zone, creating(`j${round}`));
      await approve(judge, made);
      const [, applied] = await Promise.all([
        zw.admin.put(`/api/users/${id}`, { role: "member" }),
        verdict(ada, made, "apply"),
      ]);
      const { state } = await readRequest(ada, made);
      expect(applied.status === 200 ? "applied" : applied.body.code).toBe(
        state === "applied" ? "applied" : "REVIEW_REQUIRED",
      );
      expect(await revisionsOf(zone, made)).toHaveLength(state === "applied" ? 1 : 0);
    }
  });

  test("a domain deleted beside an attempt to apply leaves the request applied or withdrawn", async () => {
    for (let round = 0; round < rounds(6); round++) {
      const own = await make(zw);
      await assign(zw, ada, own.id, "*", "write");
      await requireReview(zw, own, "members");
      const made = await requested(ada, own, creating("www"));
      await approve(zw.admin, made);
      const [applied, deleted] = await Promise.all([verdict(grace, made, "apply"), zw.admin.delete(own.path)]);
      expect(deleted.status).toBe(200);
      expect(applied.status).toBeLessThan(500);
      expect(["applied", "withdrawn"]).toContain((await readRequest(zw.admin, made)).state);
    }
  });

  test.each([
    ["a domain", "an approval"],
    ["a domain", "a rejection"],
    ["a domain", "a comment"],
    ["an author", "an approval"],
    ["an author", "a rejection"],
    ["an author", "a comment"],
  ])("%s deleted beside %s ends the request, and no call fails", async (deleted, beside) => {
    for (let round = 0; round < rounds(4); round++) {
      const own = await make(zw);
      const author = await zw.member(`author-${own.name.split(".")[0]}`);
      await assign(zw, author, own.id, "*", "write");
      const made = await requested(author, own, creating("www"));
      const calls: Record<string, () => Promise<Answer>> = {
        "an approval": () => approve(grace, made),
        "a rejection": () => verdict(grace, made, "reject"),
        "a comment": () => grace.post(`/api/change-requests/${made.id}/comments`, { text: "Which address?" }),
      };
      // Rows that were just updated are read after the author's.
      for (const client of [zw.admin, grace])
        await zw.admin.put(`/api/users/${await idOf(client)}`, { displayName: `Round ${round}` });
      const gone = deleted === "a domain" ? own.path : `/api/users/${await idOf(author)}`;
      const [answer, removal] = await Promise.all([calls[beside]?.(), zw.admin.delete(gone)]);
      expect(removal.status).toBe(200);
      expect(answer?.status).toBeLessThan(500);
      expect(["rejected", "withdrawn"]).toContain((await readRequest(zw.admin, made)).state);
    }
  });

  test("an author deleted beside an attempt to apply leaves the request applied or withdrawn", async () => {
    const author = await zw.member(`author-${zone.name.split(".")[0]}`);
    await assign(zw, author, zone.id, "*", "write");
    const made = await requested(author, zone, creating("www"));
    await approve(zw.admin, made);
    const id = await idOf(author);
    const [applied, deleted] = await Promise.all([verdict(grace, made, "apply"), zw.admin.delete(`/api/users/${id}`)]);
    expect(deleted.status).toBe(200);
    expect(applied.status).toBeLessThan(500);
    const { state } = await readRequest(zw.admin, made);
    expect([{ applied: 1 }, { withdrawn: 0 }]).toContainEqual({ [state]: (await revisionsOf(zone, made)).length });
  });
});
