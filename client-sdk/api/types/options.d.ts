import type { OnReauthentication } from "./reauthentication.js";
import type { Fetch } from "./request.js";
import type { Session } from "./session.js";
export interface ClientOptions {
    url: string | URL;
    token?: string | null | undefined;
    session?: Session | "cookie" | null | undefined;
    retries?: number | undefined;
    timeoutSeconds?: number | undefined;
    fetch?: Fetch | undefined;
    onSessionChange?: ((session: Session | null) => void) | undefined;
    onReauthentication?: OnReauthentication | undefined;
}
export interface Settings {
    url: string;
    token: string | null;
    session: Session | "cookie" | null;
    retries: number;
    timeoutSeconds: number;
    fetch: Fetch;
    onSessionChange: (session: Session | null) => void;
    onReauthentication: OnReauthentication | null;
}
export declare function settingsOf(options: ClientOptions): Settings;
