/** The client of Zonewright's API, typed from the server's procedures. */
export { createClient } from "./client.ts";
export type {
  Client,
  ClientHelpers,
  Credentials,
  ExternalRegistration,
  ExternalSignIn,
  PasskeyCredentials,
  SecondFactor,
  SignInResult,
} from "./client.ts";
export type { ClientOptions } from "./options.ts";
export { isZonewrightError } from "./errors.ts";
export type { Issue, ZonewrightError, ZonewrightErrorCode } from "./errors.ts";
export type {
  AppRouter,
  DnsRecord,
  InAppNotification,
  RouterInputs,
  RouterOutputs,
  SecondFactorMethod,
  User,
} from "./app-router.ts";
export type { EachRecordInput } from "./each-record.ts";
export type { Fetch } from "./request.ts";
export type { Session } from "./session.ts";
export type { WatchOptions } from "./watch-notifications.ts";
