export interface HttpPort {
    header(name: string): string | undefined;
    cookie(name: string): string | undefined;
    setHeader(name: string, value: string): void;
    setCookie(cookie: CookieToSet): void;
    noteProcedure(name: string): void;
    readonly ip: string | null;
    readonly claimedIp: string | null;
    cut(): void;
}
export interface CookieToSet {
    name: string;
    value: string;
    path: string;
    maxAgeSeconds: number | undefined;
}
