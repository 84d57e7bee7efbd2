import { request, type ClientRequest, type IncomingMessage } from "node:http";
import { once } from "node:events";

/** One message of a stream, or a comment. */
export interface StreamMessage {
  event: string | null;
  id: string | null;
  retry: number | null;
  comment: boolean;
  // oxlint-disable-next-line typescript/no-explicit-any -- data of any shape; tests assert on it.
  data: any;
}

/** A client of the raw event stream, without reconnection. */
export class StreamClient {
  readonly response: IncomingMessage;
  readonly #request: ClientRequest;
  readonly #messages: StreamMessage[] = [];
  readonly #comments: StreamMessage[] = [];
  #text = "";
  #raw = "";
  #wake: () => void = () => undefined;
  readonly closed: Promise<unknown>;
  #closed = false;

  private constructor(sent: ClientRequest, response: IncomingMessage) {
    this.#request = sent;
    this.response = response;
    response.setEncoding("utf8");
    response.on("error", () => undefined);
    this.closed = once(response, "close");
    response.once("close", () => {
      this.#closed = true;
      this.#wake();
    });
  }

  /** Opens the stream; whatever the answer is. */
  static async open(url: string, headers: Record<string, string> = {}): Promise<StreamClient> {
    const sent = request(url, { headers, agent: false });
    sent.on("error", () => undefined);
    sent.end();
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    const client = new StreamClient(sent, response);
    if (response.statusCode === 200) response.on("data", (text: string) => client.#take(text));
    return client;
  }

  get status(): number {
    return this.response.statusCode ?? 0;
  }

  /** Everything received so far. */
  get raw(): string {
    return this.#raw;
  }

  /** The next message; null when the stream has ended. Skips comments, which come whenever nothing else did for a while. */
  async next(): Promise<StreamMessage | null> {
    return await this.#first(this.#messages);
  }

  /** The next comment; null when the stream has ended. */
  async nextComment(): Promise<StreamMessage | null> {
    return await this.#first(this.#comments);
  }

  async #first(waiting: StreamMessage[]): Promise<StreamMessage | null> {
    while (waiting.length === 0) {
      if (this.#closed) return null;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return waiting.shift() ?? null;
  }

  /** Like tRPC, which reports a refusal within the stream. */
  async trpcStatus(): Promise<number> {
    await this.next();
    const message = await this.next();
    return message?.event === "serialized-error" ? message.data.json.data.httpStatus : this.status;
  }

  /** The body of an answer that is not a stream. */
  // oxlint-disable-next-line typescript/no-explicit-any -- as above.
  async problem(): Promise<any> {
    let text = "";
    for await (const chunk of this.response) text += String(chunk);
    return JSON.parse(text);
  }

  cut(): void {
    this.#request.destroy();
    this.response.destroy();
  }

  #take(text: string): void {
    this.#raw += text;
    this.#text += text;
    const blocks = this.#text.split("\n\n");
    this.#text = blocks.pop() ?? "";
    for (const message of blocks.map(messageOf)) (message.comment ? this.#comments : this.#messages).push(message);
    this.#wake();
  }
}

function messageOf(block: string): StreamMessage {
  const fields = new Map(block.split("\n").map((line) => [line.split(":")[0], line.replace(/^\w*: ?/, "")]));
  const data = fields.get("data");
  return {
    event: fields.get("event") ?? null,
    id: fields.get("id") ?? null,
    retry: fields.has("retry") ? Number(fields.get("retry")) : null,
    comment: block.startsWith(":"),
    data: data ? JSON.parse(data) : null,
  };
}
