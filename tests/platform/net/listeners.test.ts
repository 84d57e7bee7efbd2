import { createSocket } from "node:dgram";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { listenBoth } from "../../../server/platform/net/listeners.ts";

test("a listener at any port has one that is free by UDP as well as by TCP", async () => {
  const address = "127.0.0.7";
  // Every seventieth port of those that the system gives out: hundreds of listeners cannot miss them all.
  const others = Array.from({ length: 400 }, () => createSocket("udp4"));
  onTestFinished(() => {
    for (const socket of others) socket.close();
  });
  await Promise.all(others.map(async (socket) => await once(socket.bind(0, address), "listening")));
  for (let count = 0; count < 400; count++) {
    const [streams, datagrams] = await listenBoth(
      { address, port: 0 },
      (socket) => socket.destroy(),
      () => undefined,
    );
    expect(streams.port).toBe(datagrams.port);
    await Promise.all([streams.close(), datagrams.close()]);
  }
});
