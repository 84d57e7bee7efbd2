import { connect, createServer, type AddressInfo, type Server } from "node:net";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createLog } from "../../server/platform/log.ts";
import { Redis } from "../../server/platform/redis.ts";
import { startRedis, type RedisServer } from "../support/servers/redis.ts";

let upstream: RedisServer;
let proxy: Server;
/** How many further subscriptions end their connection. */
let cuts = 0;

beforeAll(async () => {
  upstream = await startRedis();
  const port = Number(new URL(upstream.url).port);
  proxy = createServer((client) => {
    const server = connect(port, "127.0.0.1");
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const)
      socket.on("error", () => other.destroy()).on("close", () => other.destroy());
    server.pipe(client);
    client.on("data", (bytes) => {
      if (cuts > 0 && /subscribe/i.test(bytes.toString("latin1"))) {
        cuts -= 1;
        client.destroy();
      } else server.write(bytes);
    });
  });
  await new Promise<void>((resolve) => {
    proxy.listen(0, "127.0.0.1", resolve);
  });
});

afterAll(async () => {
  proxy.close();
  await upstream.stop();
});

test("an instance whose first Redis subscription failed receives the others' messages once it has reconnected", async () => {
  cuts = 1;
  const url = new URL(upstream.url);
  url.port = String((proxy.address() as AddressInfo).port);
  const redis = await Redis.at(url.href, createLog("silent"));
  const heard: string[] = [];
  let here = false;
  redis.listen({
    name: "told",
    onMessage: (text) => void heard.push(text),
    onConnected: () => {
      here = true;
    },
    onDisconnected: () => undefined,
  });
  await redis.connect();
  await vi.waitFor(() => expect(here).toBe(true), { timeout: 60_000, interval: 20 });
  expect(cuts).toBe(0);
  await redis.client.publish("told", "hello");
  await redis.caughtUp();
  expect(heard).toEqual(["hello"]);
  redis.close();
});
