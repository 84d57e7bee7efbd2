import transformer, { deserialize, type SuperJSONResult } from "superjson";
import { createTRPCClient, httpSubscriptionLink } from "@trpc/client";
import { EventSource } from "eventsource";
import { describe, expect, test, vi } from "vitest";
import type { AppRouter } from "../../client-sdk/app-router.ts";
import { Clock, minute } from "../support/clock.ts";
import type { StreamClient, StreamMessage } from "../support/event-stream.ts";
import { patience } from "../support/patience.ts";
import { adminPassword, memberPassword, useZonewright } from "../support/zonewright.ts";
import { publish } from "./publish.ts";
import { useReader } from "./readers.ts";

const clock = new Clock();
const zw = useZonewright({ now: clock.now });
const path = "/trpc/notifications.stream";
const reader = useReader(zw);

interface Opening {
  token?: string | null;
  lastEventId?: string | null;
  query?: string;
  at?: string;
}

async function open({
  token = reader.client.token,
  lastEventId,
  query = "",
  at = path,
}: Opening = {}): Promise<StreamClient> {
  const headers = {
    ...(token ? { authorization: `Bearer ${token}` } : {}),
    ...(lastEventId ? { "last-event-id": lastEventId } : {}),
  };
  return await reader.open(`${at}${query}`, headers);
}

// oxlint-disable-next-line typescript/no-explicit-any -- as in StreamMessage.
function read(message: StreamMessage | null): any {
  return message && deserialize(message.data as SuperJSONResult);
}

/** The next message of the procedure. */
async function next(client: StreamClient) {
  const message = await client.next();
  return message && { id: message.id, event: message.event, data: read(message) };
}

/** Opens a subscription and reads tRPC's first message and ours. @returns the client with the cursor of our message */
async function started(opening?: Opening): Promise<StreamClient & { cursor: string | null; gap: boolean }> {
  const client = await open(opening);
  expect((await client.next())?.event).toBe("connected");
  const message = await next(client);
  expect(message?.data.event).toBe("connected");
  return Object.assign(client, { cursor: message?.id ?? null, gap: message?.data.gap as boolean });
}

function inAddress(token: string): string {
  return `?connectionParams=${encodeURIComponent(JSON.stringify({ token }))}`;
}

/** The error code with which an open subscription ends. */
async function endOf(client: StreamClient): Promise<string> {
  const message = await client.next();
  expect(message?.event).toBe("serialized-error");
  expect(await client.next()).toBeNull();
  return read(message).data.code;
}

describe("opening a subscription", () => {
  test("the subscription sends the same notifications as the stream, with timestamps as dates", async () => {
    const client = await started();
    await publish(zw, { userIds: [reader.id] }, "Told", { domainName: "a.example" });
    const { notifications } = (await reader.client.get("/api/notifications")).body;
    const { id, createdAt, ...rest } = notifications[0];
    const reported = await next(client);
    expect(reported).toMatchObject({ id, data: { id, ...rest, createdAt: new Date(createdAt) } });
  });

  test("the subscription resumes with each missed notification once and in order, even before the first", async () => {
    const first = await started();
    first.cut();
    for (const title of ["One", "Two"]) await publish(zw, { userIds: [reader.id] }, title);
    const second = await started({ lastEventId: first.cursor });
    const one = await next(second);
    second.cut();
    await publish(zw, { userIds: [reader.id] }, "Three");
    const third = await started({ lastEventId: one?.id ?? null });
    const titles = [one, await next(third), await next(third)].map((message) => message?.data.title);
    expect([titles, third.gap]).toEqual([["One", "Two", "Three"], false]);
  });

  test("the subscription reports a gap", async () => {
    expect((await started({ lastEventId: "01a1fb0f-6204-7000-abd4-276e976be8b7" })).gap).toBe(true);
  });

  test("the subscription shares the limit of five with the stream, even with concurrent requests", async () => {
    const paths = ["/api/notifications/stream", path];
    const opening = Array.from({ length: 30 }, (_, index) => open({ at: paths[index % 2] ?? "" }));
    const clients = await Promise.all(opening);
    const statuses = await Promise.all(
      clients.map(async (client, index) => (index % 2 === 1 ? await client.trpcStatus() : client.status)),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(5);
    expect(statuses.filter((status) => status === 429)).toHaveLength(25);
  });

  test("the subscription accepts an access token in tRPC's connection parameters, but not a personal token there", async () => {
    const byAddress = async (token: string) => await (await open({ token: "", query: inAddress(token) })).trpcStatus();
    expect(await byAddress(reader.client.token ?? "")).toBe(200);
    const permissions = ["notifications:read"];
    const { body } = await reader.client.post("/api/auth/me/tokens", { name: "Watcher", permissions });
    expect(await byAddress(body.token)).toBe(401);
    expect(await (await open({ token: body.token })).trpcStatus()).toBe(200);
    expect(await byAddress("nonsense")).toBe(401);
    const list = await fetch(`${zw.url}/trpc/notifications.list${inAddress(reader.client.token ?? "")}`);
    expect(list.status).toBe(401);
  });

  test("the subscription is refused while notifications are turned off", async () => {
    await reader.client.put("/api/auth/me/profile", { notificationsEnabled: false });
    expect(await (await open()).trpcStatus()).toBe(403);
  });
});

test("tRPC's own client resumes after a lost connection, with the current token, and misses nothing", async () => {
  const opened: string[] = [];
  let connection = new AbortController();
  let { token } = reader.client;
  const link = httpSubscriptionLink<AppRouter, typeof EventSource>({
    url: `${zw.url}/trpc`,
    transformer,
    EventSource,
    eventSourceOptions: {
      fetch: (address, init) => {
        connection = new AbortController();
        opened.push(token ?? "");
        const headers = { ...init.headers, authorization: `Bearer ${token}` };
        return fetch(address, {
          ...init,
          headers,
          signal: AbortSignal.any([init.signal as AbortSignal, connection.signal]),
        });
      },
    },
  });
  const client = createTRPCClient<AppRouter>({ links: [link] });
  const titles: string[] = [];
  const subscription = client.notifications.stream.subscribe(undefined, {
    onData: ({ data }) => titles.push(data.event === "connected" ? `connected ${data.gap}` : data.title),
  });
  await vi.waitUntil(() => titles.length === 1, patience);
  await publish(zw, { userIds: [reader.id] }, "One");
  await vi.waitUntil(() => titles.length === 2, patience);
  ({ token } = await zw.signIn(reader.username, memberPassword));
  connection.abort(new TypeError("The connection was lost."));
  await publish(zw, { userIds: [reader.id] }, "Two");
  await vi.waitUntil(() => titles.length === 4, patience);
  expect(titles).toEqual(["connected false", "One", "connected false", "Two"]);
  expect(new Set(opened).size).toBe(2);
  subscription.unsubscribe();
});

describe("the end of a subscription", () => {
  test("the subscription ends with its token, its session, its user, or when notifications are turned off", async () => {
    const expiring = await started();
    clock.advance(15 * minute);
    expect(await endOf(expiring)).toBe("UNAUTHORIZED");
    const again = await zw.signIn(reader.username, memberPassword);
    const off = await started({ token: again.token });
    await again.put("/api/auth/me/profile", { notificationsEnabled: false });
    expect(await endOf(off)).toBe("FORBIDDEN");
    await again.put("/api/auth/me/profile", { notificationsEnabled: true });
    const signedOut = await started({ token: again.token });
    await again.post("/api/auth/logout");
    expect(await endOf(signedOut)).toBe("UNAUTHORIZED");
    const disabled = await started({ token: (await zw.signIn(reader.username, memberPassword)).token });
    await (await zw.signIn("admin", adminPassword)).put(`/api/users/${reader.id}`, { disabled: true });
    expect(await endOf(disabled)).toBe("UNAUTHORIZED");
  });

  test("a subscription of a client that does not read is closed before much more than a mebibyte is buffered", async () => {
    // The kernel's buffers come on top of that.
    expect(await reader.readNothing(path)).toBeLessThan(200);
  });
});
