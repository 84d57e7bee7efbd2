export interface ServerEvent {
    id: string | null;
    event: string | null;
    data: string;
}
export declare function serverEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent, void, undefined>;
