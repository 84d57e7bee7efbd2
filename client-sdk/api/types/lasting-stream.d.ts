import { type ZonewrightError } from "./errors.js";
import type { ServerEvent } from "./server-events.js";
export type OpenStream = (cursor: string | null) => Promise<AsyncIterable<ServerEvent>>;
export interface Disconnection {
    error: ZonewrightError | null;
    retryInSeconds: number;
}
export interface StreamOptions {
    after: string | null;
    signal: AbortSignal | undefined;
    onDisconnected?: ((disconnection: Disconnection) => void) | undefined;
}
export declare function lastingStream(open: OpenStream, { after, signal, onDisconnected }: StreamOptions): AsyncGenerator<ServerEvent, void, undefined>;
