import { createServer as createHttpsServer } from "node:https";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";

/** A receiver of the audit trail, as a SIEM has it. */
export interface AuditReceiver {
  readonly port: number;
  /** What arrived, in its order: syslog messages, or lines. */
  readonly messages: string[];
  stop(): Promise<void>;
}

interface ReceiverOptions {
  /** Default: any free port. */
  port?: number;
  /** With TLS. */
  tls?: { certificate: string; key: string };
}

/** Syslog over TCP with octet counting (RFC 6587), or over TLS (RFC 5425). Closes a connection once the sender has ended it. */
export async function startSyslogReceiver({ port = 0, tls }: ReceiverOptions = {}): Promise<AuditReceiver> {
  const messages: string[] = [];
  const take = (socket: Socket) => {
    const chunks: Buffer[] = [];
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    socket.on("end", () => messages.push(...framesOf(Buffer.concat(chunks))));
    socket.on("error", () => undefined);
  };
  const server = tls ? createTlsServer({ cert: tls.certificate, key: tls.key }, take) : createServer(take);
  return await listening(server, port, messages);
}

/** Takes `POST` requests of lines. @param answer the status of each, by its number from 1 */
export async function startLineReceiver(
  { port = 0, tls }: Required<Pick<ReceiverOptions, "tls">> & ReceiverOptions,
  answer: (request: { number: number; authorization: string | undefined }) => number = () => 204,
): Promise<AuditReceiver> {
  const messages: string[] = [];
  let number = 0;
  const server = createHttpsServer({ cert: tls.certificate, key: tls.key }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const status = answer({ number: ++number, authorization: request.headers.authorization });
      if (status < 300) messages.push(...Buffer.concat(chunks).toString("utf8").trimEnd().split("\n"));
      response.writeHead(status).end();
    });
  });
  return await listening(server, port, messages);
}

async function listening(server: Server, port: number, messages: string[]): Promise<AuditReceiver> {
  const open = new Set<Socket>();
  server.on("connection", (socket) => {
    open.add(socket);
    socket.on("close", () => open.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => resolve());
  });
  return {
    port: (server.address() as AddressInfo).port,
    messages,
    async stop() {
      for (const socket of open) socket.destroy();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}

/** Splits octet-counted frames. @throws Error if the counts are wrong */
function framesOf(bytes: Buffer): string[] {
  const frames: string[] = [];
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(" ", at);
    const length = Number(bytes.toString("latin1", at, space));
    if (!Number.isInteger(length) || space + 1 + length > bytes.length) throw new Error(`A frame at ${at} is cut.`);
    frames.push(bytes.toString("utf8", space + 1, space + 1 + length));
    at = space + 1 + length;
  }
  return frames;
}

/** The audit entry of a syslog message or line. */
export function entryOf(message: string): Record<string, unknown> {
  return JSON.parse(message.slice(message.indexOf("{"))) as Record<string, unknown>;
}
