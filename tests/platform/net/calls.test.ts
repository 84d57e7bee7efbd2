import { readFile } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { expect, onTestFinished, test, vi } from "vitest";
import { Clock, second } from "../../support/clock.ts";
import { patience } from "../../support/patience.ts";
import { freePorts } from "../../support/programs.ts";
import { failureOf, listen, openDoor } from "./door.ts";

async function serve(handler: RequestListener): Promise<string> {
  const { port } = await listen(createServer(handler));
  return `http://127.0.0.1:${port}`;
}

const fixture = (name: string) => readFile(new URL(`fixtures/${name}`, import.meta.url), "utf8");

const inside = { reach: "inside" } as const;

test("a call sends method, headers and body, and its response is complete", async () => {
  const url = await serve((request, answer) => {
    request.setEncoding("utf8");
    request.once("data", (body: string) => {
      answer.writeHead(201, { "x-echo": String(request.headers["x-key"]), "set-cookie": ["a=1", "b=2"] });
      answer.end(`${request.method} ${request.url} ${body}`);
    });
  });
  const headers = { "x-key": "k" };
  const answer = await openDoor().guardedFetch(`${url}/a?b=c`, { ...inside, method: "PATCH", headers, body: "text" });
  expect([answer.status, await answer.text()]).toEqual([201, "PATCH /a?b=c text"]);
  expect(answer.headers.get("x-echo")).toBe("k");
  expect(answer.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
});

test.each([301, 302, 303, 307, 308])("a redirect by %i is not followed", async (status) => {
  const { port, connections } = await listen();
  const url = await serve((_request, answer) => {
    answer.writeHead(status, { location: `http://127.0.0.1:${port}/` }).end();
  });
  const { failure, sent } = await failureOf(openDoor().guardedFetch(url, inside));
  expect([failure, sent]).toEqual(["redirect", true]);
  expect(connections).toEqual([]);
});

test("a redirect is returned to callers that request it, and not followed either", async () => {
  const { port, connections } = await listen();
  const location = `http://127.0.0.1:${port}/`;
  const url = await serve((_request, answer) => {
    answer.writeHead(307, { location }).end("elsewhere");
  });
  const answer = await openDoor().guardedFetch(url, { ...inside, redirects: "answer" });
  expect([answer.status, answer.headers.get("location")]).toEqual([307, location]);
  expect(connections).toEqual([]);
});

test("a response over the size limit is aborted as soon as that is known", async () => {
  let written = 0;
  const url = await serve((_request, answer) => {
    const more = () => {
      if (answer.destroyed || written > 50_000_000) return;
      written += 10_000;
      answer.write("x".repeat(10_000));
      setImmediate(more);
    };
    more();
  });
  const { failure } = await failureOf(openDoor().guardedFetch(url, { ...inside, maxBytes: 100_000 }));
  expect(failure).toBe("size");
  expect(written).toBeLessThan(50_000_000);
});

test.each<[string, RequestListener]>([
  ["says nothing", () => undefined],
  ["never ends", (_request, answer) => answer.writeHead(200).write("begun")],
  [
    "drips",
    (_request, answer) => {
      const timer = setInterval(() => answer.write("."), 20);
      answer.once("close", () => clearInterval(timer));
    },
  ],
])("a server that %s is abandoned at the deadline", async (_what, handler) => {
  const url = await serve(handler);
  const { failure, sent } = await failureOf(openDoor().guardedFetch(url, { ...inside, deadlineMilliseconds: 150 }));
  expect([failure, sent]).toEqual(["timeout", true]);
});

test("a connection closed during the response is reported as such, with the request sent", async () => {
  const url = await serve((_request, answer) => {
    answer.writeHead(200, { "content-length": 100 });
    answer.write("half");
    setImmediate(() => answer.destroy());
  });
  const { failure, sent } = await failureOf(openDoor().guardedFetch(url, inside));
  expect([failure, sent]).toEqual(["cut", true]);
});

test("a closed port is reported as such, with nothing sent", async () => {
  const [port = 0] = await freePorts(1);
  const door = openDoor();
  const failures = [
    await failureOf(door.guardedFetch(`http://127.0.0.1:${port}/`, inside)),
    await failureOf(door.guardedConnect({ host: "127.0.0.1", port, reach: "inside" })),
  ];
  for (const { failure, sent } of failures) expect([failure, sent]).toEqual(["connect", false]);
});

test("a name with several addresses is called at the first that accepts the connection", async () => {
  const { port, connections } = await listen();
  const door = openDoor({ "two.internal": [["::1", "127.0.0.1"]] });
  expect((await door.guardedFetch(`http://two.internal:${port}/`, inside)).status).toBe(200);
  expect(connections).toEqual(["127.0.0.1"]);
});

test("a DNS lookup that never ends is abandoned at the connection timeout", async () => {
  const door = openDoor({}, { lookup: () => new Promise(() => undefined) });
  const call = door.guardedConnect({ host: "slow.example", port: 53, ...inside, connectTimeoutMilliseconds: 50 });
  expect((await failureOf(call)).failure).toBe("connect");
});

test("the caller can abort a call", async () => {
  const url = await serve(() => undefined);
  const giveUp = new AbortController();
  const call = openDoor().guardedFetch(url, { ...inside, signal: giveUp.signal });
  giveUp.abort(new Error("no longer wanted"));
  await expect(call).rejects.toThrow("no longer wanted");
});

test("after five consecutive failures a host is not called for thirty seconds, then one trial call is made", async () => {
  let works = false;
  const url = await serve((request, answer) => (works ? answer.end("back") : request.socket.destroy()));
  const clock = new Clock();
  const door = openDoor({}, { now: clock.now });
  const failure = async () => (await failureOf(door.guardedFetch(url, inside))).failure;
  for (let count = 1; count <= 5; count++) expect(await failure()).toBe("cut");
  expect(await failure()).toBe("breaker");
  clock.advance(25 * second);
  expect(await failure()).toBe("breaker");
  clock.advance(6 * second);
  expect(await failure()).toBe("cut");
  expect(await failure()).toBe("breaker");
  works = true;
  clock.advance(31 * second);
  expect((await door.guardedFetch(url, inside)).status).toBe(200);
  works = false;
  expect(await failure()).toBe("cut");
  expect(await failure()).toBe("cut");
});

test("responses of any status and refused addresses do not open the circuit breaker", async () => {
  const url = await serve((_request, answer) => answer.writeHead(500).end());
  const door = openDoor();
  for (let count = 0; count < 8; count++) {
    expect((await door.guardedFetch(url, inside)).status).toBe(500);
    expect((await failureOf(door.guardedFetch(url, { reach: "public" }))).failure).toBe("refused");
  }
});

test("at most 64 calls are in flight, and others wait for a slot", async () => {
  let now = 0;
  let most = 0;
  const handler: RequestListener = (_request, answer) => {
    most = Math.max(most, ++now);
    setTimeout(() => {
      now--;
      answer.end();
    }, 5);
  };
  const urls = await Promise.all(Array.from({ length: 12 }, () => serve(handler)));
  const door = openDoor();
  const calls = urls.flatMap((url) => Array.from({ length: 10 }, () => door.guardedFetch(url, inside)));
  expect((await Promise.all(calls)).every(({ status }) => status === 200)).toBe(true);
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThanOrEqual(64);
});

test("a host that hangs does not block calls to other hosts", async () => {
  let asked = 0;
  const slow = await serve(() => void asked++);
  const quick = await serve((_request, answer) => answer.end());
  const door = openDoor();
  const giveUp = new AbortController();
  const hanging = Array.from({ length: 140 }, () => door.guardedFetch(slow, { ...inside, signal: giveUp.signal }));
  const ends = Promise.allSettled(hanging);
  expect((await door.guardedFetch(quick, inside)).status).toBe(200);
  await vi.waitFor(() => expect(asked).toBe(8), patience);
  expect((await failureOf(door.guardedFetch(slow, inside))).failure).toBe("busy");
  giveUp.abort(new Error("enough"));
  const reasons = (await ends).map((end) => (end.status === "rejected" ? String(end.reason) : "answered"));
  expect(reasons.filter((reason) => reason === "Error: enough")).toHaveLength(136);
  expect(reasons.filter((reason) => reason.includes("Too many outgoing calls"))).toHaveLength(4);
});

test("a call with a client certificate that waits for a slot is sent, although fifty others came meanwhile", async () => {
  const answers: (() => void)[] = [];
  const url = await serve((_request, answer) => void answers.push(() => answer.end("here")));
  const elsewhere = await serve((_request, answer) => answer.end("there"));
  const door = openDoor();
  const fetchAs = (at: string, certificate: string) =>
    door.guardedFetch(at, { ...inside, clientCertificate: { certificate, key: certificate } });
  const calls = Array.from({ length: 9 }, () => fetchAs(url, "first"));
  await vi.waitFor(() => expect(answers).toHaveLength(8), patience);
  for (let index = 0; index < 51; index++) await fetchAs(elsewhere, `other ${index}`);
  answers.shift()?.();
  await vi.waitFor(() => expect(answers).toHaveLength(8), patience);
  for (const answer of answers) answer();
  const texts = await Promise.all(calls.map(async (call) => await (await call).text()));
  expect(new Set(texts)).toEqual(new Set(["here"]));
});

test("TLS uses the requested name, and invalid certificates are refused", async () => {
  const [cert, key] = await Promise.all([fixture("secure.example.pem"), fixture("secure.example.key.pem")]);
  const { port } = await listen(createSecureServer({ cert, key }, (_request, answer) => answer.end("secure")));
  const names = { "secure.example": [["127.0.0.1"]], "other.example": [["127.0.0.1"]] };
  const ask = (name: string) => openDoor(names).guardedFetch(`https://${name}:${port}/`, inside);
  expect((await failureOf(ask("secure.example"))).failure).toBe("tls");
  const before = getCACertificates("default");
  setDefaultCACertificates([...before, cert]);
  onTestFinished(() => setDefaultCACertificates(before));
  expect(await (await ask("secure.example")).text()).toBe("secure");
  const { failure, sent } = await failureOf(ask("other.example"));
  expect([failure, sent]).toEqual(["tls", false]);
  const plain = await serve((_request, answer) => answer.end());
  expect((await failureOf(openDoor().guardedFetch(plain.replace("http:", "https:"), inside))).failure).toBe("tls");
});
