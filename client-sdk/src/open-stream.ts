import { unexpectedAnswer } from "./answer-errors.ts";
import { authorizedRequest, type Sender } from "./authorized-request.ts";
import { isZonewrightError, signedOutError, abortedError, networkError, type ClientError } from "./errors.ts";
import type { OpenStream } from "./lasting-stream.ts";
import { request, type Fetch } from "./request.ts";

type StreamAnswer = { status: 200; body: ReadableStream<Uint8Array> } | { status: 401; error: ClientError };

/** Returns a function that opens the stream at a URL, always as the user of the first time. */
export function streamOpener(sender: Sender, url: string, signal: AbortSignal | undefined): OpenStream {
  let signIn: number | null = null;
  return async (cursor) => {
    const headers = { accept: "text/event-stream", ...(cursor === null ? {} : { "last-event-id": cursor }) };
    const init = { headers, ...(signal ? { signal } : {}) };
    const answer = await authorizedRequest(sender, url, init, openStream);
    if (answer.status === 401) throw answer.error;
    signIn ??= sender.session.signIn;
    if (signIn === sender.session.signIn) return answer.body;
    await answer.body.cancel();
    throw signedOutError();
  };
}

/** Sends the request. Returns a refusal of the credential, because the caller may have another. @throws ZonewrightError */
async function openStream(fetch: Fetch, url: string, init: RequestInit): Promise<StreamAnswer> {
  let response: Response;
  try {
    response = await fetch(url, init);
  } catch (cause) {
    throw init.signal?.aborted ? abortedError(cause) : networkError(url, cause);
  }
  const { status, headers, body } = response;
  if (status === 200 && body && headers.get("content-type")?.startsWith("text/event-stream")) return { status, body };
  try {
    await request(() => Promise.resolve(response), url, init);
  } catch (error) {
    if (status === 401 && isZonewrightError(error)) return { status, error: error as ClientError };
    throw error;
  }
  throw unexpectedAnswer(url, { status, headers });
}
