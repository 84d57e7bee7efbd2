import diagnostics from "node:diagnostics_channel";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { sql } from "kysely";
import { afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import type { Identified } from "../../server/access/authenticator.ts";
import { queries } from "../../server/database/database.ts";
import { sentInTurn } from "../../server/notifications/in-app-notifications.ts";
import { MessageQueue } from "../../server/notifications/message-queue.ts";
import { streamsPerUser, type NotificationSink, type Stream } from "../../server/notifications/streams.ts";
import { publish } from "../notifications/publish.ts";
import { Responder } from "../../server/dns-service/responder.ts";
import { queryMessage } from "../../server/dns/wire/messages.ts";
import { slicedWork } from "../../server/platform/slices.ts";
import { usePrimary } from "../dns-service/primary.ts";
import { serialOfLine, transfer } from "../support/name-servers/transfer-client.ts";
import { patience } from "../support/patience.ts";
import { mostInTurn } from "../support/turns.ts";
import { manualZone } from "../support/zones.ts";
import { useZonewright } from "../support/zonewright.ts";

const zw = useZonewright({ env: { DNS_LISTEN: "127.0.0.1:0" } });
const zone = "flood.example";
const primary = usePrimary(zw, zone);
/** Between two looks are parts of two turns. */
const mostBetweenLooks = 2 * 16;

afterEach(() => vi.restoreAllMocks());

async function open(port: number, from = "127.0.0.1"): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", localAddress: from });
  socket.on("error", () => undefined);
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  socket.resume();
  return socket;
}

/** Sends the same part on several connections at once, and asks for /healthz behind it. @returns how much was counted when that was answered */
async function flood(sockets: readonly Socket[], part: Buffer, counted: () => number): Promise<number> {
  for (const socket of sockets) socket.write(part);
  expect((await zw.nobody.get("/healthz")).status).toBe(200);
  return counted();
}

const framed = (message: Buffer) => Buffer.concat([Buffer.of(message.length >> 8, message.length & 255), message]);
const times = (count: number, part: Buffer) => Buffer.concat(Array.from({ length: count }, () => part));

test.each([
  ["garbage", 20, 300, "127.0.0.9", framed(Buffer.alloc(12))],
  ["octets that are no message", 20, 300, "127.0.0.9", framed(Buffer.from("00010000ffffffffffffffff", "hex"))],
  ["zone transfers by an allowed address", 1, 300, "127.0.0.1", framed(queryMessage(1, zone, "AXFR"))],
])(
  "DNS by TCP: while connections send %s without a pause, a few messages are answered in each turn, and others are served before the rest",
  async (_, count, messages, from, message) => {
    const sockets = await Promise.all(Array.from({ length: count }, () => open(primary.port, from)));
    const answers = vi.spyOn(Responder.prototype, "answer");
    const answered = () => answers.mock.calls.length;
    const most = await mostInTurn(answered, async () => {
      const atFirst = await flood(sockets, times(messages, message), answered);
      expect(atFirst).toBeLessThan((count * messages) / 2);
      await vi.waitFor(() => expect(answered()).toBe(count * messages), patience);
    });
    expect(most).toBeLessThanOrEqual(mostBetweenLooks);
  },
);

test("DNS by UDP: a burst of queries that are looked up is spread over turns", async () => {
  const forks = vi.spyOn(zw.services.database, "fork");
  const client = createSocket("udp4");
  onTestFinished(() => void client.close());
  let answers = 0;
  client.on("message", () => answers++);
  const most = await mostInTurn(
    () => forks.mock.calls.length,
    async () => {
      for (let id = 0; id < 150; id++) client.send(queryMessage(id, zone, "SOA"), primary.port, "127.0.0.1");
      await vi.waitFor(() => expect(answers).toBe(150), patience);
    },
  );
  expect(most).toBeLessThanOrEqual(mostBetweenLooks);
});

/** Counts the HTTP requests that this process parsed, or the answers that it sent. */
function countHttp(event: "request.start" | "response.finish"): () => number {
  let times = 0;
  const count = () => void times++;
  diagnostics.subscribe(`http.server.${event}`, count);
  onTestFinished(() => void diagnostics.unsubscribe(`http.server.${event}`, count));
  return () => times;
}

const request = (path: string) => Buffer.from(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);

test.each(["/x", "/api/domains", "/api/notifications/stream?token=x"])(
  "HTTP: while connections pipeline GET %s, a few are answered in each turn, and others are served before the rest",
  async (path) => {
    const { port } = new URL(zw.url);
    const sockets = await Promise.all(Array.from({ length: 10 }, () => open(Number(port))));
    const answered = countHttp("response.finish");
    const most = await mostInTurn(answered, async () => {
      const atFirst = await flood(sockets, times(60, request(path)), answered);
      expect(atFirst).toBeLessThan(300);
      await vi.waitFor(() => expect(answered()).toBe(601), patience);
    });
    expect(most).toBeLessThanOrEqual(mostBetweenLooks);
  },
);

test("HTTP: a connection with more than a hundred requests that wait for their answers is closed, and the rest is not even parsed", async () => {
  const { port } = new URL(zw.url);
  const sockets = await Promise.all(Array.from({ length: 10 }, () => open(Number(port))));
  const closed = Promise.all(sockets.map((socket) => once(socket, "close")));
  const parsed = countHttp("request.start");
  await flood(sockets, times(2_000, request("/x")), parsed);
  await closed;
  expect(parsed()).toBeLessThan(10 * 200);
});

test("HTTP: a thousand requests wait on all connections, beyond which those with more than a few are closed, until they are answered", async () => {
  const { port } = new URL(zw.url);
  const answer = Promise.withResolvers<{ ready: true; database: "ok" }>();
  const readiness = vi.spyOn(zw.services.health, "readiness").mockReturnValue(answer.promise as never);
  const sockets = await Promise.all(Array.from({ length: 60 }, () => open(Number(port))));
  let closed = 0;
  for (const socket of sockets) socket.once("close", () => closed++);
  const parsed = countHttp("request.start");
  await flood(sockets, Buffer.concat([request("/readyz"), times(89, request("/x"))]), parsed);
  await vi.waitFor(() => expect(closed).toBeGreaterThan(40), patience);
  expect(parsed()).toBeLessThan(3_000);
  answer.resolve({ ready: true, database: "ok" });
  for (const socket of sockets) socket.destroy();
  readiness.mockRestore();
  const answered = countHttp("response.finish");
  const socket = await open(Number(port));
  socket.write(times(90, request("/x")));
  await vi.waitFor(() => expect(answered()).toBeGreaterThanOrEqual(90), patience);
});

test("what a change of a whole zone did is read in chunks: by an incremental transfer, its revert and a rollback", async () => {
  const name = "whole.flood.example";
  const { id } = (await zw.admin.post("/api/domains", { name, providerConfigId: primary.configId })).body;
  const path = `/api/domains/${id}`;
  const { id: snapshotId } = (await zw.admin.post(`${path}/snapshots`)).body;
  const serial = serialOfLine((await transfer(primary.port, name)).lines[0] ?? "");
  const hosts = Array.from({ length: 1_500 }, (_, index) => `h${index} 300 A 10.0.${index >> 8}.${index & 255}`);
  await zw.admin.post(`${path}/zonefile`, { zonefile: hosts.join("\n") });
  const [{ id: changeSetId }] = (await zw.admin.get(`${path}/history`)).body.entries;
  const succeeded = async (call: string) => {
    const { status, body } = await zw.admin.post(`${path}/${call}`, { dryRun: true });
    expect([status, body.deleted]).toEqual([200, 1_500]);
  };
  for (const work of [
    async () => expect((await transfer(primary.port, name, { since: serial })).lines.length).toBeGreaterThan(1_500),
    () => succeeded(`history/${changeSetId}/revert`),
    () => succeeded(`snapshots/${snapshotId}/rollback`),
  ]) {
    const before = slicedWork.chunks;
    await work();
    expect(slicedWork.chunks - before).toBeGreaterThanOrEqual(8 + 1_500 / 250);
  }
});

describe("with a thousand streams", () => {
  const readers = 1_000 / streamsPerUser;
  const mostSent = 2 * sentInTurn;
  let identified: Identified[];

  beforeAll(async () => {
    const { rows } = await sql<{ userId: string; tokenId: string }>`
      with made as (insert into users (id, username, role) select gen_random_uuid(), 'reader-' || n, 'admin' from generate_series(1, ${readers}) n returning id)
      insert into personal_tokens (id, user_id, name, token_hash, permissions) select gen_random_uuid(), id, 'Reader', id, '{}' from made
      returning user_id as "userId", id as "tokenId"`.execute(queries(zw.services.database.fork()));
    identified = rows.flatMap(({ userId, tokenId }): Identified[] => {
      const who = { userId, username: userId, role: "admin", sessionId: null, tokenId } as const;
      const caller = { ...who, permissions: "all", narrowing: null } as const;
      return Array.from({ length: streamsPerUser }, () => ({
        caller,
        credential: tokenId,
        endsAt: null,
        at: new Date(),
      }));
    });
  });

  test("a notification to all, and the heartbeats of all, go to a part of them in each turn", async () => {
    const { streams, database } = zw.services;
    const sent = { notifications: 0, heartbeats: 0 };
    const sink: NotificationSink = {
      connected: () => undefined,
      send: () => sent.notifications++,
      beat: () => sent.heartbeats++,
      end: () => undefined,
    };
    const opened: Stream[] = [];
    onTestFinished(() => opened.forEach((stream) => streams.close(stream)));
    for (const one of identified) {
      const stream = await streams.open(database.fork(), one);
      opened.push(stream);
      streams.begin(stream, null, sink);
    }
    const sentToAll = async (what: keyof typeof sent, start: () => Promise<unknown> | void) => {
      const before = sent[what];
      return await mostInTurn(
        () => sent[what],
        async () => {
          await start();
          await vi.waitFor(() => expect(sent[what] - before).toBeGreaterThanOrEqual(opened.length), patience);
        },
      );
    };
    const userIds = [...new Set(opened.map(({ userId }) => userId))];
    expect(await sentToAll("notifications", () => publish(zw, { userIds }))).toBeLessThanOrEqual(mostSent);
    const idle = () => {
      for (const stream of opened) stream.sentAt -= 20_000;
    };
    expect(await sentToAll("heartbeats", idle)).toBeLessThanOrEqual(mostSent);
  });

  test("a change of a zone that all watch, and its end, are announced to a part of them in each turn", async () => {
    const zone = await manualZone(zw);
    const { zoneWatchers } = zw.services;
    const left = new AbortController();
    onTestFinished(() => left.abort());
    const announced = vi.spyOn(MessageQueue.prototype, "put");
    const ended = vi.spyOn(MessageQueue.prototype, "leave");
    const end = { signal: left.signal, cut: () => undefined };
    for (const one of identified) {
      const caller = { ...one.caller, ip: null, requestId: null, at: new Date() };
      await zoneWatchers.watch({ identified: one, caller }, [zone.id], end);
    }
    const all = identified.length;
    const most = await mostInTurn(
      () => announced.mock.calls.length,
      async () => {
        await zone.add("A", "www", "192.0.2.1");
        await vi.waitFor(() => expect(announced.mock.calls.length).toBe(2 * all), patience);
      },
    );
    expect(most).toBeLessThanOrEqual(mostSent);
    const mostEnded = await mostInTurn(
      () => ended.mock.calls.length,
      async () => {
        expect((await zw.admin.delete(zone.path)).status).toBe(200);
        await vi.waitFor(() => expect(ended.mock.calls.length).toBe(all), patience);
      },
    );
    expect(mostEnded).toBeLessThanOrEqual(mostSent);
  });
});
