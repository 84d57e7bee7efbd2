import { describe, expect, test } from "vitest";
import { failureOf, listen, openDoor } from "./door.ts";

/** Spellings of addresses that must not be called; most lead to this machine. */
const forms = [
  "127.0.0.1",
  "127.0.0.1.",
  "127.1",
  "127.0.1",
  "127.255.255.254",
  "2130706433",
  "0x7f000001",
  "0x7f.0.0.1",
  "0x7f.1",
  "0177.0.0.1",
  "0177.0.0.01",
  "017700000001",
  "127.0.0.0x1",
  "0",
  "0.0.0.0",
  "10.0.0.1",
  "10.1",
  "172.16.0.1",
  "192.168.0.1",
  "0xc0a80001",
  "100.64.0.1",
  "100.100.100.200",
  "169.254.169.254",
  "2852039166",
  "0xa9fea9fe",
  "192.0.0.192",
  "192.0.2.1",
  "198.18.0.1",
  "224.0.0.1",
  "240.0.0.1",
  "255.255.255.255",
  "[::]",
  "[::1]",
  "[0:0:0:0:0:0:0:1]",
  "[::127.0.0.1]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[::ffff:0:127.0.0.1]",
  "[64:ff9b::127.0.0.1]",
  "[64:ff9b:1::7f00:1]",
  "[2002:7f00:1::1]",
  "[2001:0:7f00:1::1]",
  "[100::1]",
  "[fe80::1]",
  "[fec0::1]",
  "[fc00::1]",
  "[fd00:ec2::254]",
  "[2001:db8::1]",
  "[ff02::1]",
  "[4000::1]",
  "[5f00::1]",
  "１２７.0.0.1",
  "127。0。0。1",
  "①②⑦.0.0.1",
];

describe("non-public addresses", () => {
  test.each(forms)("the non-public address %s is not called", async (host) => {
    const { port, connections } = await listen();
    const door = openDoor();
    const failures = [
      await failureOf(door.guardedFetch(`https://${host}:${port}/`, { reach: "public" })),
      await failureOf(door.guardedFetch(`http://${host}:${port}/`, { reach: "public" })),
      await failureOf(door.guardedConnect({ host, port, reach: "public", ports: [port] })),
    ];
    for (const { failure, sent } of failures) expect({ failure, sent }).toEqual({ failure: "refused", sent: false });
    expect(connections).toEqual([]);
  });

  test.each([
    ["127.0.0.1"],
    ["10.0.0.1"],
    ["169.254.169.254"],
    ["::1"],
    ["::ffff:127.0.0.1"],
    ["fe80::1%lo"],
    ["93.184.215.14", "127.0.0.1"],
  ])("a name that resolves to %s is not called", async (...addresses) => {
    const { port, connections } = await listen();
    const door = openDoor({ "name.example": [addresses] });
    const failures = [
      await failureOf(door.guardedFetch(`https://name.example:${port}/`, { reach: "public" })),
      await failureOf(door.guardedFetch(`https://name.example.:${port}/`, { reach: "public" })),
      await failureOf(door.guardedConnect({ host: "NAME.example.", port, reach: "public", ports: [port] })),
    ];
    expect(failures.map(({ failure }) => failure)).toEqual(["refused", "refused", "refused"]);
    // Where a name leads within the network must not be revealed.
    for (const address of addresses) expect(failures[0]?.message).not.toContain(address);
    expect(connections).toEqual([]);
  });

  test("localhost is not called, even with the system resolver", async () => {
    const { port, connections } = await listen();
    const { systemAddresses } = await import("../../../server/platform/net/guarded-socket.ts");
    const door = openDoor({}, { lookup: systemAddresses });
    for (const host of ["localhost", "localhost.", "LocalHost"]) {
      const { failure } = await failureOf(door.guardedFetch(`https://${host}:${port}/`, { reach: "public" }));
      expect(failure).toBe("refused");
    }
    expect(connections).toEqual([]);
  });
});

test.each([
  "127.0.0.1.5",
  "0300.168.0.999",
  "0x7g.1.0x7f",
  "fe80::1%eth0x",
  "a b",
  "",
  "name/../x",
  "x@127.0.0.1",
  "\u0000",
])("an invalid host such as %j is not resolved", async (host) => {
  const door = openDoor();
  const { failure } = await failureOf(door.guardedConnect({ host, port: 443, reach: "public", ports: [443] }));
  expect(["address", "refused"]).toContain(failure);
  expect(door.lookUps).toEqual([]);
});

test("a name that changes its address between two calls is checked again", async () => {
  const { port, connections } = await listen();
  const names = { "rebind.example": [["127.0.0.2"], ["127.0.0.1"]] };
  const door = openDoor(names, { allow: ["127.0.0.2"] });
  const socket = await door.guardedConnect({ host: "rebind.example", port, reach: "public" });
  socket.destroy();
  const { failure } = await failureOf(door.guardedConnect({ host: "rebind.example", port, reach: "public" }));
  expect(failure).toBe("refused");
  expect(connections).toEqual(["127.0.0.2"]);
  // One lookup per connection, so that no second lookup can return another address.
  expect(door.lookUps).toHaveLength(2);
});

test("a name that changes its address is called at the checked address", async () => {
  const { port, connections } = await listen();
  const door = openDoor({ "rebind.example": [["127.0.0.2"], ["127.0.0.1"]] }, { allow: ["127.0.0.2"] });
  const answer = await door.guardedFetch(`http://rebind.example:${port}/`, { reach: "public" });
  expect(await answer.text()).toBe("here");
  expect(connections).toEqual(["127.0.0.2"]);
  expect(door.lookUps).toHaveLength(1);
});

describe("EGRESS_ALLOW", () => {
  test.each([
    [["127.0.0.1"], "127.0.0.1"],
    [["127.0.0.0/8"], "127.0.0.1"],
    [["127.0.0.0/8"], "hook.internal"],
    [["hook.internal"], "hook.internal"],
    [["Hook.Internal"], "HOOK.internal."],
    [["*.internal"], "hook.internal"],
  ])("EGRESS_ALLOW %j allows %s, on any port and without TLS", async (allow, host) => {
    const { port } = await listen();
    const door = openDoor({ "hook.internal": [["127.0.0.1"]] }, { allow });
    const answer = await door.guardedFetch(`http://${host}:${port}/`, { reach: "public" });
    expect([answer.status, await answer.text()]).toEqual([200, "here"]);
  });

  test.each([
    [["127.0.0.2", "10.0.0.0/8", "::1"], "127.0.0.1"],
    [["internal", "*.hook.internal", "k.internal"], "hook.internal"],
    [["*.internal"], "internal"],
  ])("EGRESS_ALLOW %j does not allow %s", async (allow, host) => {
    const { port, connections } = await listen();
    const door = openDoor({ "hook.internal": [["127.0.0.1"]], internal: [["127.0.0.1"]] }, { allow });
    const { failure } = await failureOf(door.guardedFetch(`https://${host}:${port}/`, { reach: "public" }));
    expect(failure).toBe("refused");
    expect(connections).toEqual([]);
  });
});

describe("calls to internal servers", () => {
  test.each(["127.0.0.1", "localhost.internal"])("a call to an internal server reaches %s", async (host) => {
    const { port } = await listen();
    const door = openDoor({ "localhost.internal": [["127.0.0.1"]] });
    const answer = await door.guardedFetch(`http://${host}:${port}/`, { reach: "inside" });
    expect(answer.status).toBe(200);
    const socket = await door.guardedConnect({ host, port, reach: "inside" });
    socket.destroy();
  });

  test.each([
    "169.254.169.254",
    "[fd00:ec2::254]",
    "0xa9fea9fe",
    "[::ffff:169.254.169.254]",
    "100.100.100.200",
    "0.0.0.0",
    "metadata.example",
  ])("a call to an internal server does not reach cloud metadata as %s", async (host) => {
    const door = openDoor({ "metadata.example": [["169.254.169.254"]] });
    const failures = [
      await failureOf(door.guardedFetch(`http://${host}/`, { reach: "inside" })),
      await failureOf(door.guardedConnect({ host, port: 80, reach: "inside" })),
    ];
    expect(failures.map(({ failure }) => failure)).toEqual(["refused", "refused"]);
  });

  test("the connection of an internal call is not reused for other calls", async () => {
    const { port, connections } = await listen();
    const door = openDoor();
    await door.guardedFetch(`http://127.0.0.1:${port}/`, { reach: "inside" });
    const { failure } = await failureOf(door.guardedFetch(`http://127.0.0.1:${port}/`, { reach: "public" }));
    expect(failure).toBe("refused");
    expect(connections).toHaveLength(1);
  });

  test("a call to an internal server sends nothing unencrypted to the public internet", async () => {
    const door = openDoor({ "dns.example": [["93.184.215.14"]] });
    const { failure, message } = await failureOf(door.guardedFetch("http://dns.example:8081/", { reach: "inside" }));
    expect([failure, message]).toEqual(["refused", expect.stringContaining("https")]);
  });
});

test.each([
  "ftp://a.example/",
  "file:///etc/passwd",
  "javascript:1",
  "a.example",
  "https://user:word@a.example/",
  "https://user@a.example/",
])("%s is not a valid URL to call", async (url) => {
  const { failure, message } = await failureOf(openDoor().guardedFetch(url, { reach: "public" }));
  expect(failure).toBe("address");
  expect(message).not.toContain("word@");
});

test.each([22, 25, 3306, 6379])("port %i of a public host is not called", async (port) => {
  const door = openDoor({ "a.example": [["93.184.215.14"]] });
  const { failure } = await failureOf(door.guardedFetch(`https://a.example:${port}/`, { reach: "public" }));
  expect(failure).toBe("refused");
});
