import { TRPCClientError, type TRPCLink } from "@trpc/client";
import { observable } from "@trpc/server/observable";
import { trpcAnswerError } from "./answer-errors.ts";
import type { AppRouter, WatchedChange } from "./app-router.ts";
import { isZonewrightError } from "./errors.ts";
import { lastingStream, type Disconnection, type OpenStream } from "./lasting-stream.ts";
import type { BeginReading } from "./open-stream.ts";
import { serverEvents, type ServerEvent } from "./server-events.ts";
import { transformer } from "./transformer.ts";

type Open = (path: string, signal: AbortSignal, begin: BeginReading) => OpenStream;

/**
 * Feeds `domains.watch.subscribe`: reopens the stream whenever it breaks or ends, with a fresh access token if needed. The first message of
 * each domain has its revision, so a change missed in between shows there.
 */
export function zoneWatchLink(open: Open): TRPCLink<AppRouter> {
  return () =>
    ({ op, next }) => {
      if (op.path !== "domains.watch") return next(op);
      return observable((observer) => {
        const leaving = new AbortController();
        const leave = () => leaving.abort();
        op.signal?.addEventListener("abort", leave, { once: true });
        const connecting = ({ error }: Pick<Disconnection, "error">) =>
          observer.next({
            result: { type: "state", state: "connecting", error: error as TRPCClientError<AppRouter> | null },
          });
        const watch = async () => {
          const input = encodeURIComponent(JSON.stringify(transformer.input.serialize(op.input)));
          const opened = open(`/domains.watch?input=${input}`, leaving.signal, beginTrpc);
          const connected: OpenStream = async (cursor) => {
            const events = await opened(cursor);
            observer.next({ result: { type: "started" } });
            observer.next({ result: { type: "state", state: "pending", error: null } });
            return untilExpiry(events);
          };
          connecting({ error: null });
          const options = { after: null, signal: leaving.signal, onDisconnected: connecting };
          for await (const { data } of lastingStream(connected, options)) {
            const change = transformer.output.deserialize(JSON.parse(data)) as WatchedChange;
            observer.next({ result: { type: "data", data: change } });
          }
        };
        watch().catch((error: unknown) => {
          if (!leaving.signal.aborted) observer.error(TRPCClientError.from<AppRouter>(error as Error));
        });
        return () => {
          op.signal?.removeEventListener("abort", leave);
          leave();
        };
      });
    };
}

/** Reads up to the first message: tRPC reports a refusal within the stream, whose status is 200. @throws ZonewrightError */
async function beginTrpc(body: ReadableStream<Uint8Array>): Promise<AsyncGenerator<ServerEvent, void, undefined>> {
  const messages = trpcMessages(serverEvents(body));
  const first = await messages.next();
  return (async function* read() {
    try {
      if (!first.done) yield first.value;
      yield* messages;
    } finally {
      await messages.return();
    }
  })();
}

/** Passes on what the procedure sends. @throws ZonewrightError */
async function* trpcMessages(events: AsyncIterable<ServerEvent>): AsyncGenerator<ServerEvent, void, undefined> {
  for await (const message of events) {
    if (message.event === "serialized-error") throw reportedError(message.data);
    if (message.event === "return") return;
    if (message.event === null) yield message;
  }
}

function reportedError(data: string): Error {
  const shape = transformer.output.deserialize(JSON.parse(data)) as { data?: { httpStatus?: number } };
  const error = TRPCClientError.from<AppRouter>({ error: shape } as Parameters<typeof TRPCClientError.from>[0]);
  return trpcAnswerError(error, { status: shape.data?.httpStatus ?? 500, headers: new Headers() });
}

/** Ends normally where the service ends a stream because its token expired: the next one gets a fresh token. */
async function* untilExpiry(events: AsyncIterable<ServerEvent>): AsyncGenerator<ServerEvent, void, undefined> {
  try {
    yield* events;
  } catch (error) {
    if (!isZonewrightError(error) || error.status !== 401) throw error;
  }
}
