import type { InAppNotification, RouterInputs, RouterOutputs, SecondFactorMethod, User } from "./app-router.js";
import { type ListHelpers } from "./each.js";
import { type ClientOptions } from "./options.js";
import type { Procedures } from "./procedures.js";
import { type ConfirmationProof } from "./reauthentication.js";
import { type ZoneHelpers } from "./zones.js";
import { type ServingHelpers } from "./wait-until-served.js";
import { type WatchOptions } from "./watch-notifications.js";
export interface Credentials {
    username: string;
    password: string;
    rememberMe?: boolean | undefined;
}
export type SignInResult = {
    kind: "signedIn";
    user: User;
}
 | {
    kind: "secondFactorNeeded";
    methods: SecondFactorMethod[];
};
export type SecondFactor = {
    method: "totp" | "email" | "recovery";
    code: string;
} | {
    method: "passkey";
    credential: NonNullable<RouterInputs["twoFactor"]["verify"]["credential"]>;
};
export type PasskeyCredentials = RouterInputs["auth"]["passkey"];
export type ExternalSignIn = {
    ticket: string;
} | {
    url: string | URL;
};
export interface ExternalRegistration {
    providerId: string;
    pendingToken: string;
    inviteCode: string;
}
export interface ClientHelpers extends ListHelpers, ZoneHelpers, ServingHelpers {
    signIn(credentials: Credentials): Promise<SignInResult>;
    completeSecondFactor(proof: SecondFactor): Promise<Extract<SignInResult, {
        kind: "signedIn";
    }>>;
    signInWithPasskey(credentials: PasskeyCredentials): Promise<Extract<SignInResult, {
        kind: "signedIn";
    }>>;
    completeExternalSignIn(from: ExternalSignIn): Promise<SignInResult>;
    completeExternalRegistration(account: ExternalRegistration): Promise<Extract<SignInResult, {
        kind: "signedIn";
    }>>;
    confirm(proof: ConfirmationProof): Promise<RouterOutputs["auth"]["confirm"]>;
    signOut(): Promise<void>;
    watchNotifications(options?: WatchOptions): AsyncGenerator<InAppNotification, void, undefined>;
}
export type Client = Procedures & ClientHelpers;
export declare function createClient(options: ClientOptions): Client;
