import { randomUUID } from "node:crypto";
import { createServer, type ServerResponse } from "node:http";
import { takeOrders } from "./support/stream-orders.ts";

/**
 * The baseline of the streams: a bare Node server that holds the responses by user and writes the same messages to them. No sign-in, stored notifications or limits.
 * Runs as its own process with PORT.
 */
const readers = new Map<string, ServerResponse>();

const server = createServer((req, res) => {
  const userId = req.headers["x-user"] as string;
  readers.set(userId, res);
  res.once("close", () => readers.delete(userId));
  res.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-cache, no-transform" });
  res.write('data: {"event":"connected"}\n\n');
});

server.listen(Number(process.env["PORT"]), "127.0.0.1", () =>
  takeOrders((userIds, title) => {
    for (const userId of userIds) {
      const id = randomUUID();
      const notification = {
        event: "zone.drift",
        id,
        title,
        content: "A sync would add 1 record, change 0 and delete 0.",
        level: "warning",
        read: false,
        createdAt: new Date(),
        metadata: { domainId: "01a1fb0f-6204-7000-abd4-276e976be8b7", domainName: "example.com" },
      };
      readers.get(userId)?.write(`id: ${id}\ndata: ${JSON.stringify(notification)}\n\n`);
    }
  }),
);
