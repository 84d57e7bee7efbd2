/** A client of Zonewright's API, typed by the server's procedures. */
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
export type { ConfirmationProof, OnReauthentication, ReauthenticationRequest } from "./reauthentication.ts";
export { isZonewrightError } from "./errors.ts";
export type { Issue, ZonewrightError, ZonewrightErrorCode } from "./errors.ts";
export type {
  AppRouter,
  Change,
  DnsRecord,
  Domain,
  InAppNotification,
  RecordType,
  RouterInputs,
  RouterOutputs,
  SecondFactorMethod,
  ServedRecords,
  Snapshot,
  User,
  WatchedChange,
  ZoneOfName,
} from "./app-router.ts";
export type * from "./results.ts";
export type {
  EachDomainInput,
  EachOptions,
  EachRecordInput,
  EachSnapshotInput,
  ItemOf,
  ListHelpers,
  PagedProcedure,
} from "./each.ts";
export type { DeleteRecordInput, EnsuredRecord, EnsureRecordInput, ZoneHelpers } from "./zones.ts";
export type { ServedInput, ServingHelpers, WaitUntilServedOptions } from "./wait-until-served.ts";
export type { Fetch } from "./request.ts";
export type { Disconnection } from "./lasting-stream.ts";
export type { Session } from "./session.ts";
export type { WatchOptions } from "./watch-notifications.ts";
