import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { createClient, type Fetch, type Session } from "../../client-sdk/src/index.ts";
import { patience } from "../support/patience.ts";
import { adminPassword, memberPassword, useZonewright } from "../support/zonewright.ts";
import { failure } from "./failure.ts";
import { cookieFetch, recordingFetch } from "./recording-fetch.ts";

const minute = 60_000;
let serverTime = Date.now();
const zw = useZonewright({ now: () => new Date(serverTime) });
const admin = { username: "admin", password: adminPassword };
const refreshPath = "/api/auth/refresh";

let reported: (Session | null)[] = [];
let recorder = recordingFetch();
beforeEach(() => {
  reported = [];
  recorder = recordingFetch();
});
afterEach(() => {
  vi.useRealTimers();
});

function newClient(session?: Session | "cookie") {
  return createClient({
    url: zw.url,
    fetch: recorder.fetch,
    onSessionChange: (changed) => reported.push(changed),
    ...(session ? { session } : {}),
  });
}

test("a hundred parallel calls with an expired access token share one refresh", async () => {
  const client = newClient();
  await client.signIn(admin);
  serverTime += 16 * minute;
  const answers = await Promise.all(Array.from({ length: 100 }, () => client.auth.me.query({})));
  expect(new Set(answers.map((user) => user.username))).toEqual(new Set(["admin"]));
  expect(recorder.to(refreshPath)).toHaveLength(1);
  expect(reported).toHaveLength(2);
  expect(reported[1]?.refreshToken).not.toBe(reported[0]?.refreshToken);
});

test("a token about to expire is refreshed before the server refuses it", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: serverTime });
  const client = newClient();
  await client.signIn(admin);
  serverTime += 14.5 * minute;
  vi.setSystemTime(serverTime);
  await client.auth.me.query({});
  await client.auth.me.query({});
  expect(recorder.to(refreshPath)).toHaveLength(1);
  expect(recorder.to("/trpc/auth.me").map(({ status }) => status)).toEqual([200, 200]);
});

test("a client clock hours ahead of the server's causes no additional refreshes", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: serverTime + 300 * minute });
  const client = newClient();
  await client.signIn(admin);
  await client.auth.me.query({});
  await client.auth.me.query({});
  expect(recorder.to(refreshPath)).toHaveLength(0);
});

test("a client clock hours behind or ahead of the server's does not end a stored session", async () => {
  await newClient().signIn(admin);
  for (const skew of [-300, 300]) {
    vi.useFakeTimers({ toFake: ["Date"], now: serverTime + skew * minute });
    const client = newClient(reported.at(-1) ?? undefined);
    serverTime += 16 * minute;
    vi.setSystemTime(serverTime + skew * minute);
    expect((await client.auth.me.query()).username).toBe("admin");
    expect((await client.auth.me.query()).username).toBe("admin");
    vi.useRealTimers();
  }
  expect(recorder.to(refreshPath).map(({ status }) => status)).toEqual([200, 200]);
});

test("a stored session continues in another client", async () => {
  await newClient().signIn(admin);
  serverTime += 20 * minute;
  const client = newClient(reported[0] ?? undefined);
  expect((await client.auth.me.query({})).username).toBe("admin");
  expect(reported).toHaveLength(2);
});

test("a refused refresh ends the session, and the error is that of the first 401", async () => {
  const client = newClient();
  await client.signIn(admin);
  const { refreshToken } = reported[0] ?? {};
  await zw.nobody.post("/api/auth/logout", { refreshToken });
  const errors = await Promise.all([1, 2, 3].map(() => failure(client.auth.me.query({}))));
  const refused = recorder.to("/trpc/auth.me");
  expect(refused).toHaveLength(3);
  expect(recorder.to(refreshPath)).toMatchObject([{ status: 401 }]);
  expect(errors).toMatchObject(errors.map(() => ({ code: "UNAUTHORIZED", status: 401 })));
  expect(new Set(errors.map((error) => error.requestId))).toEqual(new Set(refused.map((call) => call.requestId)));
  expect(reported.slice(1)).toEqual([null]);
  await failure(client.auth.me.query({}));
  expect(recorder.to(refreshPath)).toHaveLength(1);
});

test.each([
  ["is lost", () => Promise.reject(new TypeError("fetch failed"))],
  ["is a proxy's", () => Promise.resolve(new Response("<html>Bad Gateway</html>", { status: 502 }))],
])("a refresh whose answer %s is repeated, and the session goes on", async (_, answer) => {
  let isLost = true;
  recorder = recordingFetch(async (url, init) => {
    const response = await fetch(url, init);
    if (!isLost || !url.endsWith(refreshPath)) return response;
    isLost = false;
    await response.text();
    return await answer();
  });
  // The client repeats a refresh only for some seconds, which do not pass however long the machine takes.
  vi.useFakeTimers({ toFake: ["Date"], now: serverTime });
  const client = newClient();
  await client.signIn(admin);
  serverTime += 16 * minute;
  expect((await client.auth.me.query({})).username).toBe("admin");
  // The server takes the old refresh token, used this late, for stolen.
  serverTime += 11_000;
  expect((await client.auth.me.query({})).username).toBe("admin");
  serverTime += 16 * minute;
  expect((await client.auth.me.query({})).username).toBe("admin");
  expect(reported).toHaveLength(3);
});

test("a refresh is not repeated once the server would take its token for stolen", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: serverTime });
  let sent = 0;
  recorder = recordingFetch(async (url, init) => {
    if (!url.endsWith(refreshPath)) return await fetch(url, init);
    sent += 1;
    vi.setSystemTime(Date.now() + 9_000);
    throw new TypeError("fetch failed");
  });
  const client = newClient();
  await client.signIn(admin);
  serverTime += 16 * minute;
  expect(await failure(client.auth.me.query({}))).toMatchObject({ code: "NETWORK_ERROR" });
  expect(sent).toBe(1);
});

test("a refresh that cannot reach the server keeps the session for later", async () => {
  let away = false;
  let sent = 0;
  recorder = recordingFetch(async (url, init) => {
    if (!away || !url.endsWith(refreshPath)) return await fetch(url, init);
    sent += 1;
    throw new TypeError("fetch failed");
  });
  const client = newClient();
  await client.signIn(admin);
  serverTime += 16 * minute;
  away = true;
  // The clock goes with the timers: however long the machine takes, no time is over that the timers have not waited.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  const failing = failure(client.auth.me.query({}));
  // Advances the timers.
  await vi.waitFor(() => expect(sent).toBe(4), patience);
  expect(await failing).toMatchObject({ code: "NETWORK_ERROR", status: null });
  vi.useRealTimers();
  away = false;
  expect((await client.auth.me.query({})).username).toBe("admin");
  expect(reported).toHaveLength(2);
});

test("a wrong password during a session neither refreshes nor ends it", async () => {
  const client = newClient();
  await client.signIn(admin);
  expect(await failure(client.signIn({ ...admin, password: "wrong" }))).toMatchObject({ code: "UNAUTHORIZED" });
  expect(recorder.to("/trpc/auth.login")).toHaveLength(2);
  expect(recorder.to(refreshPath)).toHaveLength(0);
  expect((await client.auth.me.query({})).username).toBe("admin");
});

test("sign-out ends the session at the server and in the client, and can be repeated", async () => {
  const client = newClient();
  await client.signIn(admin);
  await client.signOut();
  await client.signOut();
  expect(reported).toEqual([expect.anything(), null]);
  expect(recorder.to("/api/auth/logout")).toMatchObject([{ status: 200 }]);
  expect(await failure(client.auth.me.query({}))).toMatchObject({ code: "UNAUTHORIZED" });
  const answer = await zw.nobody.post(refreshPath, { refreshToken: reported[0]?.refreshToken });
  expect(answer.status).toBe(401);
});

test("a personal token is sent unchanged and never refreshed", async () => {
  await newClient().signIn(admin);
  const client = createClient({ url: zw.url, fetch: recorder.fetch, token: reported[0]?.accessToken ?? "" });
  expect((await client.auth.me.query({})).username).toBe("admin");
  serverTime += 16 * minute;
  expect(await failure(client.auth.me.query({}))).toMatchObject({ code: "UNAUTHORIZED", status: 401 });
  expect(recorder.to(refreshPath)).toHaveLength(0);
});

test("in cookie mode, the refresh token stays in the browser, and a reloaded page is signed in", async () => {
  recorder = recordingFetch(cookieFetch());
  const page = newClient("cookie");
  expect(await failure(page.auth.me.query({}))).toMatchObject({ code: "UNAUTHORIZED" });
  await page.signIn(admin);
  expect(reported).toMatchObject([null, { refreshToken: null }]);
  serverTime += 16 * minute;
  expect((await page.auth.me.query({})).username).toBe("admin");
  const reloaded = newClient("cookie");
  expect((await reloaded.auth.me.query({})).username).toBe("admin");
  await reloaded.signOut();
  expect(await failure(newClient("cookie").auth.me.query({}))).toMatchObject({ code: "UNAUTHORIZED" });
});

/** Two tabs: ada's, then the administrator's, who signed in last. */
async function twoTabs() {
  const shared = cookieFetch();
  recorder = recordingFetch(shared);
  const tab = newClient("cookie");
  await tab.signIn({ username: "ada", password: memberPassword });
  const first = recorder;
  recorder = recordingFetch(shared);
  const other = createClient({ url: zw.url, fetch: recorder.fetch, session: "cookie" });
  await other.signIn(admin);
  return { tab, first, other };
}

describe("two accounts in one browser, whose tabs share the cookie", () => {
  beforeAll(async () => {
    await zw.member("ada");
  });

  test.each([
    ["was refused because its token expired", 0],
    ["waits for a new token", 16],
  ])("a call that %s is not made as the other account, and the session ends", async (_, minutes) => {
    vi.useFakeTimers({ toFake: ["Date"], now: serverTime });
    const { tab, first, other } = await twoTabs();
    serverTime += 16 * minute;
    vi.advanceTimersByTime(minutes * minute);
    expect(await failure(tab.auth.me.query())).toMatchObject({ code: "UNAUTHORIZED", status: 401 });
    expect(first.to(refreshPath)).toMatchObject([{ status: 200 }]);
    expect(first.to("/trpc/auth.me")).toMatchObject([{ status: 401 }]);
    expect(reported).toEqual([expect.anything(), null]);
    expect(await failure(tab.auth.me.query())).toMatchObject({ code: "UNAUTHORIZED" });
    // The tab of the other account goes on, and so does one that is opened now.
    vi.setSystemTime(serverTime);
    expect((await other.auth.me.query()).username).toBe("admin");
    expect((await newClient("cookie").auth.me.query()).username).toBe("admin");
  });
});

test("a sign-out that cannot reach the server drops tokens, but not a session whose cookie would open it again", async () => {
  let away = false;
  const unless = (send: Fetch): Fetch => {
    return async (url, init) => {
      if (away) throw new TypeError("fetch failed");
      return await send(url, init);
    };
  };
  recorder = recordingFetch(unless(fetch));
  const program = newClient();
  await program.signIn(admin);
  recorder = recordingFetch(unless(cookieFetch()));
  const page = newClient("cookie");
  await page.signIn(admin);
  reported = [];
  away = true;
  expect(await failure(page.signOut())).toMatchObject({ code: "NETWORK_ERROR" });
  expect(reported).toEqual([]);
  expect(await failure(program.signOut())).toMatchObject({ code: "NETWORK_ERROR" });
  expect(reported).toEqual([null]);
  away = false;
  expect((await page.auth.me.query()).username).toBe("admin");
  await page.signOut();
  expect(reported).toEqual([null, null]);
  expect(await failure(newClient("cookie").auth.me.query())).toMatchObject({ code: "UNAUTHORIZED" });
});
