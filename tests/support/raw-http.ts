import { connect, type Socket } from "node:net";
import type { Answer } from "./rest-client.ts";

/** A connection on which tests write raw HTTP/1.1 that no well-behaved client would send. */
export class RawConnection {
  readonly #socket: Socket;
  #received = "";
  #ended = false;
  #onChange: () => void = () => undefined;

  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.#socket = connect({ host: hostname, port: Number(port) });
    this.#socket.on("data", (bytes: Buffer) => {
      this.#received += bytes.toString("utf8");
      this.#onChange();
    });
    const end = () => {
      this.#ended = true;
      this.#onChange();
    };
    this.#socket.on("close", end);
    this.#socket.on("error", end);
  }

  write(text: string | Uint8Array): void {
    this.#socket.write(text);
  }

  /** Waits until the text has arrived. */
  async receive(pattern: RegExp): Promise<string> {
    while (!pattern.test(this.#received)) {
      if (this.#ended) throw new Error(`The connection ended after ${JSON.stringify(this.#received)}.`);
      await this.#change();
    }
    return this.#received;
  }

  /** Waits until the server closes the connection. @returns all that it sent. */
  async end(): Promise<string> {
    while (!this.#ended) await this.#change();
    return this.#received;
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#onChange = resolve;
    });
  }
}

/** Sends one request as it stands (with `Connection: close`) and reads the answer. */
export async function sendRaw(url: string, request: string | Uint8Array): Promise<Answer> {
  const connection = new RawConnection(url);
  connection.write(request);
  return parseAnswer(await connection.end());
}

/** The last answer in what a connection received. Interim answers (1xx) before it are left out. */
export function parseAnswer(text: string): Answer {
  const final = text.replace(/^(?:HTTP\/1\.1 1\d\d [^]*?\r\n\r\n)+/, "");
  const split = final.indexOf("\r\n\r\n");
  const [statusLine = "", ...lines] = final.slice(0, split).split("\r\n");
  const headers = new Headers();
  for (const line of lines) headers.append(line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim());
  const body = final.slice(split + 4);
  const json = /json/.test(headers.get("content-type") ?? "") && body !== "";
  return { status: Number(statusLine.split(" ")[1]), headers, body: json ? JSON.parse(body) : body };
}
