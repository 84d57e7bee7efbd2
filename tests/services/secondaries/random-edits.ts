import { asPresented, recordLines } from "../../support/records/presentation.ts";
import type { Answer, RestClient } from "../../support/rest-client.ts";
import type { Body } from "../../support/zones.ts";

/** Pseudo-random numbers that a failure can be repeated with. */
export function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Returns what the API lists of a zone, as a secondary serves it. */
export async function listed(admin: RestClient, zone: string, id: string): Promise<string[]> {
  const records: never[] = [];
  for (let page = 1; ; page++) {
    const { body } = await admin.get(`/api/domains/${id}/records?limit=500&page=${page}`);
    records.push(...(body.records as never[]));
    if (body.records.length < 500) return recordLines(asPresented(zone, records));
  }
}

/** Makes one random edit: a record, a bulk, a zone file merged, an atomic plan, a deletion, or a rollback. @throws Error for an answer that it may not have */
export async function edit(admin: RestClient, id: string, random: (below: number) => number): Promise<void> {
  const path = `/api/domains/${id}`;
  const kind = random(12);
  if (kind < 5) {
    const [recordType = "A", value] = [
      ["A", `192.0.2.${random(256)}`],
      ["TXT", `text "${random(1_000)}" ; with \\ marks`],
      ["MX", `${random(50)} mail${random(9)}.example.org.`],
      ["AAAA", `2001:db8::${random(9_999)}`],
      ["CNAME", `target${random(9)}.example.org.`],
      ["SRV", `0 5 ${1 + random(9_999)} host${random(9)}.example.org.`],
      ["CAA", `0 issue "ca${random(9)}.example"`],
      ["TLSA", `3 1 1 ${random(256).toString(16).padStart(2, "0").repeat(32)}`],
      ["HTTPS", `1 . port=${1 + random(9_999)}`],
    ][random(9)] ?? ["A", "192.0.2.1"];
    const body = { recordType, name: `${recordType.toLowerCase()}${random(40)}`, value };
    // A duplicate is refused, and changes nothing.
    await must(admin.post(`${path}/records`, body), [201, 400, 409]);
  } else if (kind < 7) {
    const lines = Array.from({ length: 20 }, (_, index) => `bulk${random(60)} 300 A 198.51.100.${index}\n`);
    await must(admin.post(`${path}/zonefile`, { zonefile: lines.join("") }), [200, 409]);
  } else if (kind < 11) {
    const { body } = await admin.get(`${path}/records?limit=100`);
    const deletable = (body.records as { id: string; name: string }[]).filter(({ name }) => name !== "@");
    const one = deletable[random(Math.max(1, deletable.length))];
    if (!one) return;
    const records = Array.from({ length: 5 }, () => ({
      recordType: "A",
      name: `many${random(100)}`,
      value: `203.0.113.${random(256)}`,
    }));
    if (kind < 9) await must(admin.delete(`${path}/records/${one.id}`), [200]);
    else if (kind === 9) await must(admin.post(`${path}/records/bulk`, { records }), [200]);
    else await replace(admin, path, one.id, records);
  } else {
    const { body } = await admin.post(`${path}/snapshots`);
    const record = { recordType: "A", name: "undone", value: "192.0.2.9" };
    await must(admin.post(`${path}/records`, record), [201, 409]);
    await must(admin.post(`${path}/snapshots/${body.id}/rollback`, { force: true }), [200]);
  }
}

/** Replaces a record by five others in a plan, which is applied as a whole or not at all. */
async function replace(admin: RestClient, path: string, recordId: string, records: readonly object[]): Promise<void> {
  const changes = [{ action: "delete", recordId }, ...records.map((record) => ({ action: "create", record }))];
  const { status, body } = await admin.post(`${path}/records/plan`, { changes });
  // Some of the records may be there, or twice.
  if (status !== 400 && status !== 409)
    await must(admin.post(`${path}/records/apply`, { changes, planHash: body.planHash }), [200]);
}

/** @returns the body of an answer that has one of the statuses */
export async function must(call: Promise<Answer>, statuses: readonly number[]): Promise<Body> {
  const { status, body } = await call;
  if (!statuses.includes(status)) throw new Error(`Answered ${status}: ${JSON.stringify(body)}`);
  return body;
}
