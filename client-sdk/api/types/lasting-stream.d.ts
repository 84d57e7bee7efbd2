import { type ServerEvent } from "./server-events.js";
export type OpenStream = (cursor: string | null) => Promise<ReadableStream<Uint8Array>>;
export declare function lastingStream(open: OpenStream, { after, signal }: {
    after: string | null;
    signal: AbortSignal | undefined;
}): AsyncGenerator<ServerEvent, void, undefined>;
