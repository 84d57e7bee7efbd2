import type { TRPCLink } from "@trpc/client";
import type { AppRouter, RouterInputs, RouterOutputs } from "./app-router.js";
import { type ZonewrightError } from "./errors.js";
import type { SessionKeeper } from "./session.js";
type Credential = NonNullable<RouterInputs["auth"]["confirm"]["credential"]>;
export type ConfirmationProof = {
    password: string;
    method?: undefined;
    code?: undefined;
    credential?: undefined;
} | {
    password: string;
    method: "totp" | "recovery";
    code: string;
    credential?: undefined;
} | {
    password?: string | undefined;
    method: "passkey";
    credential: Credential;
    code?: undefined;
};
export interface ReauthenticationRequest {
    error: ZonewrightError;
    confirm: (proof: ConfirmationProof) => Promise<RouterOutputs["auth"]["confirm"]>;
}
export type OnReauthentication = (request: ReauthenticationRequest) => unknown;
interface Moment {
    signIn: number;
    confirmations: number;
    prompts: number;
}
export declare class Reauthentication {
    #private;
    constructor(session: SessionKeeper, ask: (error: ZonewrightError) => Promise<unknown>);
    get moment(): Moment;
    confirmed(): void;
    answered(sent: Moment, error: ZonewrightError): Promise<boolean>;
}
export declare function reauthenticationLink(reauthentication: Reauthentication): TRPCLink<AppRouter>;
export {};
