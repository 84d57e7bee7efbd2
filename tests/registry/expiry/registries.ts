import { createServer, type AddressInfo, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { startLoopbackVendor, type LoopbackVendor, type VendorReply } from "../../support/vendors/loopback-vendor.ts";

export interface RdapServer {
  url: string;
  /** The names asked for, in order. */
  asked: string[];
  stop(): Promise<void>;
}

/** An RDAP server on loopback. @param answer a domain object, or a whole reply, to the path behind the server's address. */
export async function startRdapServer(
  answer: (path: string, url: string) => object | VendorReply,
): Promise<RdapServer> {
  const server: LoopbackVendor = await startLoopbackVendor(({ url }) => {
    const said = answer(url.pathname.slice(1), server.url);
    if ("status" in said && "body" in said) return said;
    return { status: 200, headers: { "content-type": "application/rdap+json" }, body: JSON.stringify(said) };
  });
  return {
    url: server.url,
    get asked() {
      return server.calls.map(({ url }) => url.pathname.replace(/^.*\//, ""));
    },
    stop: () => server.stop(),
  };
}

/** The file that names RDAP servers (RFC 9224). */
export function bootstrapFile(servers: Readonly<Record<string, string>>): object {
  const services = Object.entries(servers).map(([suffixes, url]) => [suffixes.split(" "), [url]]);
  return { version: "1.0", publication: "2026-11-01T00:00:00Z", services };
}

export interface WhoisTestServer {
  /** `127.0.0.1:port` */
  address: string;
  /** The lines received, in order. */
  asked: string[];
  stop(): Promise<void>;
}

/** A WHOIS server on loopback. @param answer what it writes to a query before it closes; null: it never closes. */
export async function startWhoisServer(answer: (query: string) => string | Buffer | null): Promise<WhoisTestServer> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    let read = "";
    socket.on("data", (chunk: Buffer) => {
      read += chunk.toString("latin1");
      if (!read.endsWith("\r\n")) return;
      asked.push(read.slice(0, -2));
      const text = answer(read.slice(0, -2));
      if (text !== null) socket.end(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Ends a server after the test. */
export async function duringTest<T extends { stop(): Promise<void> }>(starting: Promise<T>): Promise<T> {
  const server = await starting;
  onTestFinished(() => server.stop());
  return server;
}
