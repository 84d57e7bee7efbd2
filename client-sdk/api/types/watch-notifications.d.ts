import type { InAppNotification } from "./app-router.js";
import { type OpenStream } from "./lasting-stream.js";
export interface WatchOptions {
    after?: string | undefined;
    signal?: AbortSignal | undefined;
    onConnected?: ((connection: {
        gap: boolean;
    }) => void) | undefined;
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
export declare function watchedMessages(open: OpenStream, options: {
    after: string | null;
    signal: AbortSignal | undefined;
}): AsyncGenerator<WatchedMessage, void, undefined>;
export declare function watchNotifications(open: (signal: AbortSignal | undefined) => OpenStream, { after, signal, onConnected }: WatchOptions): AsyncGenerator<InAppNotification, void, undefined>;
