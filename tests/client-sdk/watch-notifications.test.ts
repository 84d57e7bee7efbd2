import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, expectTypeOf, test, vi } from "vitest";
import { createClient, type Client, type Disconnection, type InAppNotification } from "../../client-sdk/src/index.ts";
import { idOf, publish } from "../notifications/publish.ts";
import { Clock, minute } from "../support/clock.ts";
import { patience } from "../support/patience.ts";
import { adminPassword, memberPassword, useZonewright } from "../support/zonewright.ts";
import { failure } from "./failure.ts";
import { cookieFetch, recordingFetch } from "./recording-fetch.ts";

const clock = new Clock();
const zw = useZonewright({ now: clock.now });

/** Forwards all traffic to the service until its connections are cut. */
let passage: Server;
let url: string;
const sockets = new Set<Socket>();
beforeAll(async () => {
  passage = createServer((socket) => {
    const { hostname, port } = new URL(zw.url);
    const onward = connect(Number(port), hostname);
    socket.pipe(onward).pipe(socket);
    for (const one of [socket, onward]) {
      sockets.add(one);
      one.on("error", () => undefined);
      one.on("close", () => {
        sockets.delete(one);
        socket.destroy();
        onward.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => {
    passage.listen(0, "127.0.0.1", resolve);
  });
  url = `http://127.0.0.1:${(passage.address() as AddressInfo).port}`;
});
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  passage.close();
});
function cutConnections(): void {
  for (const socket of sockets) socket.destroy();
}

let readers = 0;
let username: string;
let readerId: string;
let client: Client;
let recorder = recordingFetch();
beforeEach(async () => {
  readers += 1;
  username = `watcher-${readers}`;
  readerId = await idOf(await zw.member(username));
  recorder = recordingFetch();
  client = createClient({ url, fetch: recorder.fetch });
  await client.signIn({ username, password: memberPassword });
});
afterEach(() => vi.waitUntil(() => zw.services.streams.openStreams === 0, patience));

/** A watch that has started, with its connections and whether each had a gap. */
async function watching(watcher = client, options: { after?: string; signal?: AbortSignal } = {}) {
  const connections: { gap: boolean }[] = [];
  const notifications = watcher.watchNotifications({ ...options, onConnected: (one) => connections.push(one) });
  const first = notifications.next();
  // A test that awaits the first notification later sees its error then.
  first.catch(() => undefined);
  await vi.waitUntil(() => connections.length > 0, patience);
  return { connections, notifications, first };
}

async function reported(title: string): Promise<void> {
  await publish(zw, { userIds: [readerId] }, title);
}

function titleOf({ value }: IteratorResult<InAppNotification, void>): string | undefined {
  return value?.title;
}

describe("watching notifications", () => {
  test("watching yields the user's notifications, typed as in the list, until the loop ends", async () => {
    const found: InAppNotification[] = [];
    const options = { onConnected: () => void reported("One").then(() => reported("Two")) };
    for await (const notification of client.watchNotifications(options)) {
      found.push(notification);
      if (found.length === 2) break;
    }
    expect(found.map(({ title }) => title)).toEqual(["One", "Two"]);
    const { notifications } = await client.notifications.list.query();
    expect(found.toReversed()).toEqual(notifications);
    expect(found[0]?.createdAt).toBeInstanceOf(Date);
  });

  test("watching yields what arrived while the connection was lost, each notification once and in order", async () => {
    const { connections, notifications, first } = await watching();
    await reported("One");
    const titles = [titleOf(await first)];
    for (const round of [1, 2]) {
      const next = notifications.next();
      cutConnections();
      await reported(`Lost ${round}`);
      titles.push(titleOf(await next));
      await reported(`Back ${round}`);
      titles.push(titleOf(await notifications.next()));
    }
    expect(connections).toHaveLength(3);
    expect(titles).toEqual(["One", ...[1, 2].flatMap((round) => [`Lost ${round}`, `Back ${round}`])]);
    expect(connections.some(({ gap }) => gap)).toBe(false);
    await notifications.return();
  });

  test("an event narrows the type of its metadata, in watching and in the list", async () => {
    const { notifications: watched, first } = await watching();
    const drift = { domainId: "d", domainName: "a.example", created: 1, updated: 0, deleted: 2 };
    await publish(zw, { userIds: [readerId] }, "Told", drift);
    const { value } = await first;
    const { notifications } = await client.notifications.list.query();
    for (const one of [value, notifications[0]]) {
      if (one?.event !== "zone.drift") throw new Error("Another event came.");
      expectTypeOf(one.metadata.deleted).toEqualTypeOf<number>();
      expect(one.metadata.domainName).toBe("a.example");
      // @ts-expect-error -- a drift has no `daysLeft`.
      expect(one.metadata.daysLeft).toBeUndefined();
    }
    await watched.return();
  });

  test("watching reports the error and the next attempt each time the connection is lost", async () => {
    const lost: Disconnection[] = [];
    const notifications = client.watchNotifications({
      onConnected: () => void (lost.length === 0 ? cutConnections() : reported("Back")),
      onDisconnected: (disconnection) => lost.push(disconnection),
    });
    expect(titleOf(await notifications.next())).toBe("Back");
    expect(lost.map(({ error }) => error?.code)).toEqual(["NETWORK_ERROR"]);
    expect(lost[0]?.retryInSeconds).toBeGreaterThan(0);
    expect(lost[0]?.retryInSeconds).toBeLessThanOrEqual(30);
    await notifications.return();
  });

  test("watching continues with a fresh token when the old one expires, and misses nothing", async () => {
    const { connections, notifications, first } = await watching();
    clock.advance(15 * minute);
    // The client reconnects too quickly for its absence to be observed.
    await vi.waitUntil(() => recorder.to("/api/auth/refresh").length > 0, patience);
    await reported("Between");
    expect(titleOf(await first)).toBe("Between");
    await reported("Later");
    expect(titleOf(await notifications.next())).toBe("Later");
    expect([connections.length, recorder.to("/api/auth/refresh").length]).toEqual([2, 1]);
    await notifications.return();
  });

  test("watching continues in a browser whose refresh token is in the cookie", async () => {
    const inBrowser = createClient({ url, session: "cookie", fetch: cookieFetch() });
    await inBrowser.signIn({ username, password: memberPassword });
    const { notifications, first } = await watching(inBrowser);
    clock.advance(15 * minute);
    await reported("Between");
    expect(titleOf(await first)).toBe("Between");
    await notifications.return();
  });

  test("watching can resume after a given notification", async () => {
    for (const title of ["Seen", "One", "Two"]) await reported(title);
    const { notifications: kept } = await client.notifications.list.query();
    const { notifications, first } = await watching(client, { after: kept[2]?.id ?? "" });
    expect([titleOf(await first), titleOf(await notifications.next())]).toEqual(["One", "Two"]);
    await notifications.return();
  });

  test("watching reports a possible gap, and yields the existing notifications once", async () => {
    await reported("Kept");
    const { connections, notifications, first } = await watching(client, { after: "forgotten" });
    expect([titleOf(await first), connections]).toEqual(["Kept", [{ gap: true }]]);
    cutConnections();
    await reported("New");
    expect(titleOf(await notifications.next())).toBe("New");
    await notifications.return();
  });

  test("watching works with a personal token", async () => {
    const { token } = await client.tokens.create.mutate({ name: "Watcher", permissions: ["notifications:read"] });
    const { notifications, first } = await watching(createClient({ url, token }));
    await reported("One");
    expect(titleOf(await first)).toBe("One");
    await notifications.return();
  });
});

describe("errors in watching notifications", () => {
  test("watching fails when the session ends or another user signs in", async () => {
    const { first } = await watching();
    await client.signOut();
    expect(await failure(first)).toMatchObject({ code: "UNAUTHORIZED" });
    await client.signIn({ username, password: memberPassword });
    const { first: other } = await watching();
    await client.signIn({ username: "admin", password: adminPassword });
    cutConnections();
    expect(await failure(other)).toMatchObject({ code: "UNAUTHORIZED" });
  });

  test("watching fails when notifications are turned off", async () => {
    const { first } = await watching();
    await client.profile.update.mutate({ notificationsEnabled: false });
    expect(await failure(first)).toMatchObject({ code: "FORBIDDEN", status: 403 });
  });

  test("watching fails if the user already has five open streams", async () => {
    const five = [];
    for (let count = 0; count < 5; count++) five.push(await watching());
    const sixth = client.watchNotifications();
    expect(await failure(sixth.next())).toMatchObject({ code: "TOO_MANY_REQUESTS", status: 429 });
    cutConnections();
    await Promise.all(
      five.map(({ first, notifications }) => (reported("Bye"), first.then(() => notifications.return()))),
    );
  });

  test("watching ends when it is aborted, also before it is connected and during a reconnection", async () => {
    const leaving = new AbortController();
    const { first } = await watching(client, { signal: leaving.signal });
    leaving.abort();
    expect(await first).toEqual({ done: true, value: undefined });
    expect(await client.watchNotifications({ signal: leaving.signal }).next()).toEqual({
      done: true,
      value: undefined,
    });
    const again = new AbortController();
    const { first: other } = await watching(client, { signal: again.signal });
    cutConnections();
    await vi.waitUntil(() => zw.services.streams.openStreams === 0, patience);
    again.abort();
    expect(await other).toEqual({ done: true, value: undefined });
  });

  test("watching fails immediately if the first connection cannot be made", async () => {
    const lost = createClient({ url: "http://127.0.0.1:9", token: "zw_pt_x" });
    expect(await failure(lost.watchNotifications().next())).toMatchObject({ code: "NETWORK_ERROR" });
  });
});

test.each([
  ["the 404 of a proxy without a back end", () => Promise.resolve(new Response("404 page not found", { status: 404 }))],
  ["the page of a captive portal", () => Promise.resolve(new Response("<html>Sign in</html>"))],
  ["a proxy's 408", () => Promise.resolve(Response.json({ code: "REQUEST_TIMEOUT" }, { status: 408 }))],
])("watching goes on after %s", async (_, answer) => {
  let opened = 0;
  const through = createClient({
    url,
    fetch: async (address, init) => {
      if (address.endsWith("/stream") && ++opened === 2) return await answer();
      return await fetch(address, init);
    },
  });
  await through.signIn({ username, password: memberPassword });
  const { notifications, first } = await watching(through);
  await reported("Before");
  expect(titleOf(await first)).toBe("Before");
  const next = notifications.next();
  cutConnections();
  await reported("After");
  expect(titleOf(await next)).toBe("After");
  expect(opened).toBe(3);
  await notifications.return();
});

test("a tRPC subscription reconnects in the same way, until it is unsubscribed", async () => {
  const data: string[] = [];
  const subscription = client.notifications.stream.subscribe(undefined, {
    onData: (message) => data.push(message.data.event === "connected" ? "connected" : message.data.title),
  });
  await vi.waitUntil(() => data.length === 1, patience);
  await reported("One");
  await vi.waitUntil(() => data.length === 2, patience);
  cutConnections();
  await reported("Two");
  await vi.waitUntil(() => data.length === 4, patience);
  expect(data).toEqual(["connected", "One", "connected", "Two"]);
  subscription.unsubscribe();
});

test("a refused subscription fails with one of the client's errors", async () => {
  const stranger = createClient({ url });
  const error = await new Promise((resolve) => {
    stranger.notifications.stream.subscribe(undefined, { onError: resolve });
  });
  expect(error).toMatchObject({ name: "ZonewrightError", code: "UNAUTHORIZED", status: 401 });
});
