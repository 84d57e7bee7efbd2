import { connect } from "node:net";
import { afterEach, beforeEach, expect, vi } from "vitest";
import { StreamClient } from "../support/event-stream.ts";
import { patience } from "../support/patience.ts";
import type { RestClient } from "../support/rest-client.ts";
import type { Zonewright } from "../support/zonewright.ts";
import { idOf, publish } from "./publish.ts";

/** A new user for each test, with streams that are closed after it. */
export interface Reader {
  /** A signed-in client. */
  readonly client: RestClient;
  readonly id: string;
  readonly username: string;
  /** Opens a stream at a path. */
  open(path: string, headers: Record<string, string>): Promise<StreamClient>;
  /** Opens a stream without reading it, while up to 200 notices of 100 kB are sent. @returns how many were sent until the stream was closed */
  readNothing(path: string): Promise<number>;
}

export function useReader(zw: Zonewright): Reader {
  let client: RestClient;
  let id: string;
  let username: string;
  let readers = 0;
  let opened: StreamClient[] = [];
  const openStreams = () => zw.services.streams.openStreams;
  beforeEach(async () => {
    username = `reader-${++readers}`;
    client = await zw.member(username);
    id = await idOf(client);
  });
  afterEach(async () => {
    for (const stream of opened) stream.cut();
    opened = [];
    await vi.waitUntil(() => openStreams() === 0, patience);
  });
  return {
    get client() {
      return client;
    },
    get id() {
      return id;
    },
    get username() {
      return username;
    },
    async open(path, headers) {
      const stream = await StreamClient.open(zw.url + path, headers);
      opened.push(stream);
      return stream;
    },
    async readNothing(path) {
      const { hostname, port } = new URL(zw.url);
      const socket = connect(Number(port), hostname);
      socket.pause();
      const closed = new Promise((resolve) => socket.once("close", resolve));
      socket.on("error", () => undefined);
      socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${client.token}\r\n\r\n`);
      await vi.waitFor(() => expect(openStreams()).toBe(1), patience);
      const metadata = { filler: "y".repeat(100_000) };
      let reported = 0;
      for (; openStreams() > 0 && reported < 200; reported++) await publish(zw, { userIds: [id] }, "Unread", metadata);
      if (openStreams() > 0) return reported;
      socket.resume();
      await closed;
      return reported;
    },
  };
}
