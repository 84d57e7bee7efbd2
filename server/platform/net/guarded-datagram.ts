import { createSocket, type Socket } from "node:dgram";
import { EgressError } from "./egress-error.ts";
import { checkedAddresses, plainHost, type Guard, type Target } from "./guarded-socket.ts";

export interface Datagram {
  /** Returns whether a datagram answers the message. Others are ignored until the time is over. */
  accepts: (answer: Buffer) => boolean;
  message: Buffer;
  milliseconds: number;
}

/** Failures of the way there: this machine has no route, so they say nothing about the server. */
const noRoute: ReadonlySet<unknown> = new Set(["ENETUNREACH", "EADDRNOTAVAIL", "EAFNOSUPPORT", "EINVAL"]);

/**
 * Sends a UDP message to a checked address and returns the answer. The socket is connected and has a random port, so the system drops
 * what comes from other addresses and ports.
 * @throws EgressError, or the signal's reason
 */
export async function exchangeDatagram(target: Target, datagram: Datagram, guard: Guard): Promise<Buffer> {
  const host = plainHost(target.host);
  const [address] = await checkedAddresses(target, host, guard);
  if (!address) throw new EgressError("lookup", `${host} has no usable address.`);
  guard.signal.throwIfAborted();
  const socket = createSocket(address.kind() === "ipv6" ? "udp6" : "udp4");
  try {
    return await exchange(socket, { address: address.toString(), port: target.port }, host, datagram, guard.signal);
  } finally {
    socket.close();
  }
}

async function exchange(
  socket: Socket,
  { address, port }: { address: string; port: number },
  host: string,
  { message, accepts, milliseconds }: Datagram,
  signal: AbortSignal,
): Promise<Buffer> {
  const done = Promise.withResolvers<Buffer>();
  const fail = (error: unknown) => done.reject(failure(host, error));
  const late = () => done.reject(new EgressError("timeout", `${host} did not answer in time.`, { sent: true }));
  // An answer that arrived while this process was busy is read before the timer's verdict.
  const timer = setTimeout(() => setImmediate(late), milliseconds);
  const end = () => done.reject(signal.reason as Error);
  signal.addEventListener("abort", end, { once: true });
  socket.on("error", fail);
  socket.on("message", (answer) => {
    if (accepts(answer)) done.resolve(answer);
  });
  socket.once("connect", () => socket.send(message, (error) => error && fail(error)));
  try {
    socket.connect(port, address);
    return await done.promise;
  } catch (error) {
    throw error instanceof EgressError || error === signal.reason ? error : failure(host, error);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
  }
}

function failure(host: string, error: unknown): EgressError {
  const code = error instanceof Error && "code" in error ? error.code : null;
  if (noRoute.has(code)) return new EgressError("route", `This machine has no route to ${host}.`, { cause: error });
  const reason = code === "ECONNREFUSED" ? "does not accept messages on this port" : "cannot be reached";
  return new EgressError("connect", `${host} ${reason}.`, { sent: true, cause: error });
}
