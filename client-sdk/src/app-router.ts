import type { inferRouterInputs, inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "../app-router.ts";

export type { AppRouter };

/** The inputs of all procedures: `RouterInputs["records"]["create"]`. */
export type RouterInputs = inferRouterInputs<AppRouter>;

/** The outputs of all procedures: `RouterOutputs["domains"]["get"]`. Times are `Date`. */
export type RouterOutputs = inferRouterOutputs<AppRouter>;

/** A user, as returned by a sign-in. */
export type User = RouterOutputs["twoFactor"]["verify"]["user"];

/** A second factor available to a user. */
export type SecondFactorMethod = Extract<RouterOutputs["auth"]["login"], { requires2FA: true }>["methods"][number];

/** A notification to a user. */
export type InAppNotification = RouterOutputs["notifications"]["list"]["notifications"][number];

/** A message of `domains.watch`: a domain has another revision. */
export interface WatchedChange {
  domainId: string;
  /** The revision that its records have now. */
  revision: number;
  /** The change set that made the revision; null in the first message of a domain, and where no change set did. */
  changeSetId: string | null;
}

/** A DNS record. */
export type DnsRecord = RouterOutputs["records"]["list"]["records"][number];

/**
 * A record type. Its type names those with a form, which editors complete, and is open to all others: give every `switch` over it a
 * `default`.
 */
export type RecordType = DnsRecord["recordType"];

/** A domain, as in lists. */
export type Domain = RouterOutputs["domains"]["list"]["domains"][number];

/** The domain that a host name belongs to, and the host relative to it. */
export type ZoneOfName = RouterOutputs["domains"]["zoneOf"];

/** How the name servers of a domain answer for records. */
export type ServedRecords = RouterOutputs["delegation"]["checkServed"];

/** A snapshot of a domain's records. */
export type Snapshot = RouterOutputs["snapshots"]["list"]["snapshots"][number];

/** One change of a plan; its `action` says which fields it takes. */
export type Change = RouterInputs["records"]["plan"]["changes"][number];
