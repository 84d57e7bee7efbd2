import type { Fetch } from "./request.js";
import type { Session } from "./session.js";
export interface ClientOptions {
    url: string | URL;
    token?: string | undefined;
    session?: Session | "cookie" | null | undefined;
    retries?: number | undefined;
    fetch?: Fetch | undefined;
    onSessionChange?: ((session: Session | null) => void) | undefined;
}
export interface Settings {
    url: string;
    token: string | null;
    session: Session | "cookie" | null;
    retries: number;
    fetch: Fetch;
    onSessionChange: (session: Session | null) => void;
}
export declare function settingsOf(options: ClientOptions): Settings;
