import { createServer, request, type Server } from "node:http";
import { createServer as createTcpServer, type AddressInfo, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createClient, type ClientOptions, type Session } from "../../client-sdk/src/index.ts";
import { publish } from "../notifications/publish.ts";
import { patience } from "../support/patience.ts";
import { adminPassword, useZonewright } from "../support/zonewright.ts";
import { failure } from "./failure.ts";
import { recordingFetch } from "./recording-fetch.ts";

let serverTime = Date.now();
const zw = useZonewright({ now: () => new Date(serverTime) });
const admin = { username: "admin", password: adminPassword };

/** Serves Zonewright below /dns/, and nothing else. */
let proxy: Server;
let proxyUrl: string;
beforeAll(async () => {
  proxy = createServer((req, res) => {
    const { method, headers, url = "" } = req;
    if (!url.startsWith("/dns/")) {
      res.writeHead(404, { "content-type": "text/html" }).end("<h1>Another site</h1>");
      return;
    }
    const passedOn = request(zw.url + url.slice("/dns".length), { method, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(res);
    });
    res.on("close", () => passedOn.destroy());
    req.pipe(passedOn);
  });
  await new Promise<void>((resolve) => {
    proxy.listen(0, "127.0.0.1", resolve);
  });
  proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
});
afterAll(() => {
  proxy.close();
});

function tellAdministrators() {
  void publish(zw, { administrators: true }, "Told");
}

describe("the url option", () => {
  test.each(["", "/", "//"])("the service's URL may end with %j", async (end) => {
    const result = await createClient({ url: zw.url + end }).signIn(admin);
    expect(result).toMatchObject({ kind: "signedIn" });
    expect(await createClient({ url: new URL(zw.url) }).signIn(admin)).toMatchObject({ kind: "signedIn" });
  });

  test.each(["/dns", "/dns/"])(
    "the URL may contain a proxy's prefix such as %s, which calls, refreshes, streams and sign-out use",
    async (path) => {
      const { fetch, to } = recordingFetch();
      const client = createClient({ url: proxyUrl + path, fetch });
      await client.signIn(admin);
      serverTime += 16 * 60_000;
      expect((await client.auth.me.query()).username).toBe("admin");
      expect(to("/dns/api/auth/refresh")).toMatchObject([{ status: 200 }]);
      for await (const { title } of client.watchNotifications({ onConnected: tellAdministrators })) {
        expect(title).toBe("Told");
        break;
      }
      expect(to("/dns/api/notifications/stream")).toMatchObject([{ status: 200 }]);
      await client.signOut();
      expect(to("/dns/api/auth/logout")).toMatchObject([{ status: 200 }]);
    },
  );

  test("a URL that leads elsewhere throws an error that names it", async () => {
    const error = await failure(createClient({ url: `${proxyUrl}/dsn` }).domains.list.query());
    expect(error).toMatchObject({ code: "UNEXPECTED_ANSWER", status: 404 });
    expect(error.message).toContain(`${proxyUrl}/dsn/trpc/domains.list`);
  });

  test.each([
    ["", "url must be the full address of the service, such as https://dns.example.com."],
    ["dns.example.com", "url must be the full address"],
    ["localhost:3000", "url must be the full address"],
    ["/dns", "url must be the full address"],
    ["ftp://dns.example.com", "url must be the full address"],
    ["https://", "url must be the full address"],
    ["https://dns.example.com/?tenant=1", "url must not contain a query or fragment (? or #)."],
    ["https://dns.example.com/#top", "url must not contain a query or fragment (? or #)."],
    ["https://dns.example.com/api", "url must be the address of the service itself, without /api."],
    ["https://dns.example.com/trpc/", "url must be the address of the service itself, without /trpc."],
  ])("the URL %j is refused when the client is created", (url, message) => {
    expect(() => createClient({ url })).toThrow(TypeError);
    expect(() => createClient({ url })).toThrow(message);
  });

  test("a URL with a password is refused without repeating the password", () => {
    expect(() => createClient({ url: "https://admin:hunter2@dns.example.com" })).toThrow(
      /^url must not contain a username or password\. Sign in with them, or pass a token\.$/,
    );
    const mistaken = { url: undefined } as unknown as ClientOptions;
    expect(() => createClient(mistaken)).toThrow("url must be the full address");
  });
});

describe("the token and session options", () => {
  const session: Session = { accessToken: "a", refreshToken: "b" };

  test("a token and a session together are refused", () => {
    for (const both of [session, "cookie"] as const) {
      expect(() => createClient({ url: zw.url, token: "zw_1", session: both })).toThrow(
        "Pass token or session, not both",
      );
    }
  });

  test.each(["", " ", "zw_1\n", "zw 1", "zw_ü"])("a token like %j is refused without repeating it", (token) => {
    expect(() => createClient({ url: zw.url, token })).toThrow(/^token is empty or contains invalid characters/);
  });

  test.each([JSON.stringify(session), { accessToken: "a" }, { accessToken: 1, refreshToken: null }, 7])(
    "a session like %j is refused",
    (wrong) => {
      expect(() => createClient({ url: zw.url, session: wrong as unknown as Session })).toThrow(
        /^session must be the object/,
      );
    },
  );

  test("the token and session options may be omitted or null", async () => {
    const client = createClient({ url: zw.url, token: null, session: null, fetch: undefined, retries: undefined });
    expect(await failure(client.auth.me.query())).toMatchObject({ code: "UNAUTHORIZED" });
  });

  test("an undefined token throws an error instead of creating a signed-out client", () => {
    expect(() => createClient({ url: zw.url, token: process.env["ZONEWRIGHT_NO_SUCH_VARIABLE"] })).toThrow(
      "token is undefined. Set the variable it comes from",
    );
  });
});

/** A server that accepts connections and never responds. */
async function silentServer() {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => void sockets.add(socket));
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    end: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** Passes on every call except `auth.me`, which hangs until it is aborted. */
const slow: typeof fetch = (url, init) =>
  String(url instanceof Request ? url.url : url).includes("auth.me")
    ? new Promise((_, reject) => init?.signal?.addEventListener("abort", () => reject(new Error("given up"))))
    : fetch(url, init);

describe("the timeoutSeconds option", () => {
  test("a call without a response fails as TIMEOUT, but one that was aborted fails as ABORTED", async () => {
    const { url, end } = await silentServer();
    const client = createClient({ url, token: "zw_pt_x", timeoutSeconds: 0.05 });
    const error = await failure(client.domains.list.query({}));
    expect(error).toMatchObject({ code: "TIMEOUT", status: null });
    expect(error.message).toMatch(/within 0\.05 seconds/);
    expect(await failure(client.signIn(admin))).toMatchObject({ code: "TIMEOUT" });
    const signal = AbortSignal.abort();
    expect(await failure(client.domains.list.query({}, { signal }))).toMatchObject({ code: "ABORTED" });
    end();
  });

  test.each([-1, Number.NaN, Infinity, 2_147_484])("a timeout of %d seconds is refused", (timeoutSeconds) => {
    expect(() => createClient({ url: zw.url, timeoutSeconds })).toThrow(/^timeoutSeconds must be a number/);
  });

  test("a timeout of 0 means none, and streams never time out", async () => {
    expect(await createClient({ url: zw.url, timeoutSeconds: 0 }).signIn(admin)).toMatchObject({ kind: "signedIn" });
    let session: Session | null = null;
    await createClient({ url: zw.url, onSessionChange: (changed) => (session = changed) }).signIn(admin);
    const client = createClient({ url: zw.url, session, timeoutSeconds: 0.01, fetch: slow });
    const connections: unknown[] = [];
    const watched = client.watchNotifications({
      onConnected: (one) => connections.push(one),
      onDisconnected: (one) => connections.push(one),
    });
    const first = watched.next();
    expect(await failure(client.auth.me.query())).toMatchObject({ code: "TIMEOUT" });
    await vi.waitFor(() => expect(connections).toEqual([{ gap: false }]), patience);
    await publish(zw, { administrators: true }, "Late");
    expect((await first).value).toMatchObject({ title: "Late" });
    expect(connections).toEqual([{ gap: false }]);
    await watched.return();
  });
});
