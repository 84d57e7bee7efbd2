import type { InAppNotification } from "./app-router.js";
import { type Disconnection, type OpenStream, type StreamOptions } from "./lasting-stream.js";
export interface WatchOptions {
    after?: string | undefined;
    signal?: AbortSignal | undefined;
    onConnected?: ((connection: {
        gap: boolean;
    }) => void) | undefined;
    onDisconnected?: ((disconnection: Disconnection) => void) | undefined;
}
export type WatchedMessage = {
    id: string;
    data: {
        event: "connected";
        gap: boolean;
    };
} | {
    id: string;
    data: InAppNotification;
};
export declare function watchedMessages(open: OpenStream, options: StreamOptions): AsyncGenerator<WatchedMessage, void, undefined>;
export declare function watchNotifications(open: (signal: AbortSignal | undefined) => OpenStream, { after, signal, onConnected, onDisconnected }: WatchOptions): AsyncGenerator<InAppNotification, void, undefined>;
