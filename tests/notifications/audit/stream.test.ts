import { Writable } from "node:stream";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { theService } from "../../../server/access/caller.ts";
import { writeEntry } from "../../../server/notifications/audit/audit.ts";
import {
  AuditStream,
  nextBatch,
  sent,
  sinkFor,
  syslogFrame,
  type StreamedEntry,
} from "../../../server/notifications/audit/stream.ts";
import { queries } from "../../../server/database/database.ts";
import { createLog } from "../../../server/platform/log.ts";
import { createEgress } from "../../../server/platform/net/egress.ts";
import { parseAuditTarget } from "../../../server/ops/config/variable-forms.ts";
import { Clock, minute } from "../../support/clock.ts";
import { emptyDatabase } from "../../support/database.ts";
import { patience } from "../../support/patience.ts";
import { freePorts } from "../../support/programs.ts";
import { entryOf, startSyslogReceiver, type AuditReceiver } from "../../support/servers/audit-receiver.ts";
import { startZonewright, type Zonewright } from "../../support/zonewright.ts";

const entry: StreamedEntry = {
  id: "01a208a5-c37c-7000-9aa9-ef4ef52eb46a",
  at: new Date("2026-11-23T13:43:34.817Z"),
  actorId: null,
  tokenId: null,
  tsigKey: null,
  action: "domain.update",
  targetType: "domain",
  targetId: null,
  ip: "203.0.113.7",
  requestId: null,
  before: { notes: "grün\nzwei" },
  after: { notes: "" },
};

test("a syslog message is in the form of RFC 5424, and its length counts octets", () => {
  const frame = syslogFrame(entry, "ns 1.exämple");
  const [length = "", ...rest] = frame.split(" ");
  const message = rest.join(" ");
  expect(Number(length)).toBe(Buffer.byteLength(message));
  expect(message).toMatch(
    /^<110>1 2026-11-23T13:43:34\.817Z ns_1\.ex_mple zonewright \d+ domain\.update - \{"type":"audit",/,
  );
  expect(message).not.toContain("\n");
  expect(entryOf(message)).toEqual({ type: "audit", ...entry, at: "2026-11-23T13:43:34.817Z" });
});

test.each([
  ["stdout", { kind: "stdout" }],
  ["syslog://siem.example.com", { kind: "syslog", host: "siem.example.com", port: 601, tls: false }],
  ["syslogs://siem.example.com/", { kind: "syslog", host: "siem.example.com", port: 6514, tls: true }],
  ["syslog://[2001:db8::1]:1514", { kind: "syslog", host: "2001:db8::1", port: 1514, tls: false }],
  ["https://siem.example.com/in?x=1", { kind: "https", url: "https://siem.example.com/in?x=1", authorization: null }],
  [
    "https://me:a%3Ab@siem.example.com/in",
    { kind: "https", url: "https://siem.example.com/in", authorization: "Basic bWU6YTpi" },
  ],
  [
    "https://:token@siem.example.com/in",
    { kind: "https", url: "https://siem.example.com/in", authorization: "Basic OnRva2Vu" },
  ],
  ["https://%zz@siem.example.com/in", null],
  ["syslog://siem.example.com:0", null],
  ["http://siem.example.com/", null],
  ["syslog://siem.example.com/path", null],
  ["syslog://user@siem.example.com", null],
  ["syslog://", null],
  ["stderr", null],
  ["", null],
])("AUDIT_STREAM=%s has its meaning, or none", (text, target) => {
  expect(parseAuditTarget(text)).toEqual(target);
});

/** Changes a domain's notes, as often as asked. */
async function change(zonewright: Zonewright, times: number): Promise<void> {
  const { body } = await zonewright.admin.post("/api/domains", { name: `trail${crypto.randomUUID()}.example` });
  for (let time = 0; time < times; time++) {
    await zonewright.admin.put(`/api/domains/${body.id}`, { notes: `time ${time}` });
  }
}

const trailOf = async (zonewright: Zonewright) => {
  const { body } = await zonewright.admin.get("/api/audit?limit=100");
  // The names and the domain are found when the trail is read.
  return body.entries
    .toReversed()
    .map(({ actorName: _1, targetName: _2, domainId: _3, domainName: _4, ...each }: Record<string, unknown>) =>
      Object.assign({ type: "audit" }, each),
    );
};

const arrived = (receivers: readonly AuditReceiver[]) => receivers.flatMap(({ messages }) => messages.map(entryOf));

test("every entry arrives as GET /api/audit shows it, in order, also those written while the receiver is away", async () => {
  const [port = 0] = await freePorts(1);
  const zonewright = await startZonewright({ env: { AUDIT_STREAM: `syslog://127.0.0.1:${port}` } });
  const receivers: AuditReceiver[] = [];
  try {
    await change(zonewright, 3);
    const lag = async () =>
      Number(
        /^zonewright_audit_stream_lag_seconds (\S+)/m.exec(
          await (await fetch(`${zonewright.url}/metrics`)).text(),
        )?.[1],
      );
    expect(await lag()).toBeGreaterThan(0);
    receivers.push(await startSyslogReceiver({ port }));
    await expect.poll(() => arrived(receivers), patience).toEqual(await trailOf(zonewright));
    await receivers[0]?.stop();
    await change(zonewright, 2);
    receivers.push(await startSyslogReceiver({ port }));
    await expect.poll(() => arrived(receivers), patience).toEqual(await trailOf(zonewright));
    // The service notes after the receiver that it has all.
    const metrics = async () => await (await fetch(`${zonewright.url}/metrics`)).text();
    await expect.poll(metrics, patience).toContain("zonewright_audit_stream_pending 0");
    expect(await lag()).toBe(0);
  } finally {
    await zonewright.stop();
    for (const receiver of receivers) await receiver.stop();
  }
});

/** Entries are sent by one instance, whose receiver is away for so long by its clock, while another without AUDIT_STREAM starts at each pause. */
async function sentBeside(awayMilliseconds: number, atPause: () => Promise<unknown> = () => Promise.resolve()) {
  const database = await emptyDatabase();
  const clock = new Clock();
  const began = clock.now().getTime();
  const lines: string[] = [];
  const log = createLog("error", { write: (line) => lines.push(line) });
  const got: StreamedEntry[] = [];
  const other = new AuditStream({ database, send: null, log, now: clock.now });
  const stream = new AuditStream({
    database,
    log,
    now: clock.now,
    async send(entries) {
      if (clock.now().getTime() - began < awayMilliseconds) throw new Error("away");
      got.push(...entries);
    },
    async pause(milliseconds) {
      await new Promise(setImmediate);
      clock.advance(milliseconds);
      await other.prepare();
      await atPause();
    },
  });
  const write = async () =>
    await writeEntry(database.fork(), clock.now(), theService, {
      action: "domain.update",
      targetType: "test",
      targetId: null,
    });
  await stream.prepare();
  await write();
  stream.start();
  return { database, stream, write, got, lines };
}

test("entries wait through long pauses of their instance, while another instance starts without AUDIT_STREAM", async () => {
  const { stream, write, got } = await sentBeside(10 * minute);
  await expect.poll(() => got.length, patience).toBe(1);
  await write();
  await expect.poll(() => got.length, patience).toBe(2);
  await stream.stop();
});

test("an instance with AUDIT_STREAM starts a queue again that another ended, and logs an error", async () => {
  let ends = true;
  const { database, stream, write, got, lines } = await sentBeside(0, async () => {
    if (ends) await sql`update audit_stream set enabled = false, held_until = null`.execute(queries(database.fork()));
    ends = false;
  });
  await expect.poll(() => lines.join(""), patience).toContain("without AUDIT_STREAM");
  await write();
  await expect.poll(() => got.length, patience).toBe(2);
  await stream.stop();
});

test("a reader of standard output that takes nothing does not hold up the end of the service", async () => {
  const blocked = new Writable({ write: () => undefined });
  const send = sinkFor({ kind: "stdout" }, createEgress({ allow: [], now: () => new Date() }), blocked);
  const stopping = new AbortController();
  const sending = send([entry], stopping.signal);
  stopping.abort();
  await expect(sending).rejects.toThrow("did not take the entries in time");
});

test("entries are sent in batches of at most a megabyte, and a larger one alone", async () => {
  const zonewright = await startZonewright({ env: { AUDIT_STREAM: "stdout", JOBS: "off" } });
  try {
    const em = zonewright.services.database.fork();
    await sql`delete from audit_stream_queue`.execute(queries(em));
    for (const size of [400_000, 400_000, 400_000, 2_000_000, 10]) {
      await writeEntry(em, new Date(), theService, {
        action: "records.import",
        targetType: "test",
        targetId: null,
        after: { text: "x".repeat(size) },
      });
    }
    const sizes: number[] = [];
    for (let batch = await nextBatch(em); batch.entries.length > 0; batch = await nextBatch(em)) {
      sizes.push(batch.entries.length);
      await sent(em, batch);
    }
    expect(sizes).toEqual([2, 1, 1, 1]);
  } finally {
    await zonewright.stop();
  }
});
