import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const compiler = join(import.meta.dirname, "../../node_modules/.bin/tsc");

interface Message {
  id?: number;
  method?: string;
  params?: unknown;
  result?: unknown;
}

/** A TypeScript file as an editor shows it. */
export interface OpenFile {
  /** The hover text at a position, which is the bar in `before|after`. */
  hover(place: string): Promise<string>;
  /** The completions at a position, each with its description. */
  completions(place: string): Promise<Map<string, string>>;
  /** The addresses of the files that declare the symbol at a position. */
  definitions(place: string): Promise<string[]>;
  close(): void;
}

/** Opens a file of a project with the compiler's own language server (Language Server Protocol 3.17). */
export async function openInEditor(folder: string, file: string): Promise<OpenFile> {
  const server = spawn(compiler, ["--lsp", "--stdio"], { cwd: folder, stdio: ["pipe", "pipe", "ignore"] });
  const waiting = new Map<number, (message: Message) => void>();
  let sent = 0;
  let bytes = Buffer.alloc(0);
  const send = (message: Message) => {
    const text = JSON.stringify({ jsonrpc: "2.0", ...message });
    server.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  };
  const take = (message: Message) => {
    // It may ask for editor settings; there are none.
    if (message.method !== undefined && message.id !== undefined) send({ id: message.id, result: [] });
    else waiting.get(message.id ?? 0)?.(message);
  };
  server.stdout.on("data", (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]);
    for (let end = bytes.indexOf("\r\n\r\n"); end >= 0; end = bytes.indexOf("\r\n\r\n")) {
      const length = Number(/Content-Length: (\d+)/i.exec(bytes.subarray(0, end).toString())?.[1]);
      const whole = end + 4 + length;
      if (bytes.length < whole) return;
      const message = JSON.parse(bytes.subarray(end + 4, whole).toString()) as Message;
      bytes = bytes.subarray(whole);
      take(message);
    }
  });
  const ask = async <T>(method: string, params: unknown): Promise<T> => {
    const id = (sent += 1);
    return await new Promise<T>((resolve) => {
      waiting.set(id, ({ result }) => resolve(result as T));
      send({ id, method, params });
    });
  };

  const formats = { hover: { contentFormat: ["markdown"] }, completion: { completionItem: documentation } };
  await ask("initialize", {
    processId: process.pid,
    rootUri: pathToFileURL(folder).href,
    capabilities: { textDocument: formats },
  });
  send({ method: "initialized", params: {} });
  const text = await readFile(join(folder, file), "utf8");
  const uri = pathToFileURL(join(folder, file)).href;
  const document = { uri, languageId: "typescript", version: 1, text };
  send({ method: "textDocument/didOpen", params: { textDocument: document } });

  const at = (place: string) => {
    const start = text.indexOf(place.replace("|", ""));
    if (start < 0) throw new Error(`The file has no ${place}`);
    const lines = text.slice(0, start + place.indexOf("|")).split("\n");
    return {
      textDocument: { uri },
      position: { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 },
    };
  };
  return {
    async hover(place) {
      const shown = await ask<{ contents: { value: string } } | null>("textDocument/hover", at(place));
      return shown?.contents.value ?? "";
    },
    async completions(place) {
      const { items } = await ask<{ items: { label: string }[] }>("textDocument/completion", at(place));
      const whole = items.map(async (item): Promise<[string, string]> => {
        const resolved = await ask<{ documentation?: { value: string } }>("completionItem/resolve", item);
        return [item.label, resolved.documentation?.value ?? ""];
      });
      return new Map(await Promise.all(whole));
    },
    async definitions(place) {
      return (await ask<{ uri: string }[]>("textDocument/definition", at(place))).map(({ uri }) => uri);
    },
    close: () => server.kill(),
  };
}

const documentation = { documentationFormat: ["markdown"] };
