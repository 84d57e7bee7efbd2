import { unexpectedAnswer } from "./answer-errors.ts";
import { authorizedRequest, type Sender } from "./authorized-request.ts";
import { isZonewrightError, signedOutError, abortedError, networkError, type ClientError } from "./errors.ts";
import type { OpenStream } from "./lasting-stream.ts";
import { request, type Received, type Send } from "./request.ts";
import { serverEvents, type ServerEvent } from "./server-events.ts";

type Events = AsyncGenerator<ServerEvent, void, undefined>;
type Body = ReadableStream<Uint8Array>;
type StreamAnswer = { status: 200; body: Body; events: Events } | { status: 401; error: ClientError };

/** Begins to read a stream. @throws ZonewrightError if the stream itself says that it was refused */
export type BeginReading = (body: Body) => Events | Promise<Events>;

/** Returns a function that opens the stream at a URL, always as the user of the first time. */
export function streamOpener(
  sender: Sender,
  url: string,
  signal: AbortSignal | undefined,
  begin: BeginReading = serverEvents,
): OpenStream {
  const openStream = opening(begin);
  let signIn: number | null = null;
  return async (cursor) => {
    const headers = { accept: "text/event-stream", ...(cursor === null ? {} : { "last-event-id": cursor }) };
    const init = { headers, ...(signal ? { signal } : {}) };
    const answer = await authorizedRequest(sender, url, init, openStream);
    if (answer.status === 401) throw answer.error;
    signIn ??= sender.session.signIn;
    if (signIn === sender.session.signIn) return answer.events;
    await answer.events.return();
    if (!answer.body.locked) await answer.body.cancel();
    throw signedOutError();
  };
}

/** Sends the request. Returns a refusal of the credential, because the caller may have another. @throws ZonewrightError */
function opening(begin: BeginReading) {
  return async (fetch: Send, url: string, init: RequestInit): Promise<StreamAnswer> => {
    try {
      const body = await openBody(fetch, url, init);
      return { status: 200, body, events: await begin(body) };
    } catch (error) {
      if (init.signal?.aborted) throw abortedError(error);
      if (isZonewrightError(error) && error.status === 401) return { status: 401, error: error as ClientError };
      throw error;
    }
  };
}

async function openBody(fetch: Send, url: string, init: RequestInit): Promise<Body> {
  let response: Received;
  try {
    response = await fetch(url, init);
  } catch (cause) {
    throw init.signal?.aborted ? abortedError(cause) : networkError(url, cause);
  }
  const { status, headers, body } = response;
  if (status === 200 && body && headers.get("content-type")?.startsWith("text/event-stream")) return body;
  await request(() => Promise.resolve(response), url, init);
  throw unexpectedAnswer(url, { status, headers });
}
