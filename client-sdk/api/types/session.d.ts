export interface Session {
    accessToken: string;
    refreshToken: string | null;
}
export interface Credential {
    token: string;
    signIn: number;
}
export interface SessionOptions {
    initial: Session | "cookie" | null;
    onChange: (session: Session | null) => void;
    renew: (refreshToken: string | null) => Promise<{
        accessToken: string;
        refreshToken: string;
    }>;
}
export declare class SessionKeeper {
    #private;
    constructor(options: SessionOptions);
    get session(): Session | null;
    get signIn(): number;
    get mayExist(): boolean;
    replace(tokens: Session | null): void;
    credential(): Promise<Credential | null>;
    credentialAfter(refused: Credential): Promise<Credential | null>;
}
