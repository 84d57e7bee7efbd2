/** One message of an event stream. */
export interface ServerEvent {
  /** The cursor to reopen the stream after; null if the message has none. */
  id: string | null;
  /** The event's name; null for a plain message. */
  event: string | null;
  data: string;
}

/** The service sends a ping every 15 seconds; a connection that is silent for longer than this is dead. */
const longestSilence = 40_000;

/** Reads an event stream (WHATWG HTML §9.2.6) to its end. @throws if the connection breaks, or is silent for too long */
export async function* serverEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let event: Partial<ServerEvent> = {};
  try {
    for (;;) {
      const { done, value } = await withinSilence(reader.read());
      if (done) return;
      text += decoder.decode(value, { stream: true });
      // A trailing carriage return may be half of a line ending.
      const lines = text.split(/\r\n|\n|\r(?!$)/);
      text = lines.pop() ?? "";
      for (const line of lines) {
        if (line !== "") {
          take(line, event);
          continue;
        }
        if (event.data !== undefined) yield { id: event.id ?? null, event: event.event ?? null, data: event.data };
        event = {};
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function take(line: string, event: Partial<ServerEvent>): void {
  const [, field, value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
  if (field === "id") event.id = value;
  if (field === "event") event.event = value;
  if (field === "data") event.data = event.data === undefined ? value : `${event.data}\n${value}`;
}

async function withinSilence<T>(read: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error("The stream stopped sending.")), longestSilence);
  });
  try {
    return await Promise.race([read, silence]);
  } finally {
    clearTimeout(timer);
  }
}
