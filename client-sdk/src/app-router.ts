import type { inferRouterInputs, inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "../../server/router.ts";

export type { AppRouter };

/** What each procedure takes: `RouterInputs["records"]["create"]`. */
export type RouterInputs = inferRouterInputs<AppRouter>;

/** What each procedure answers with: `RouterOutputs["domains"]["get"]`. Moments are `Date`. */
export type RouterOutputs = inferRouterOutputs<AppRouter>;

/** A user, as told at sign-in. */
export type User = RouterOutputs["twoFactor"]["verify"]["user"];

/** A second factor that a user can use now. */
export type SecondFactorMethod = Extract<RouterOutputs["auth"]["login"], { requires2FA: true }>["methods"][number];

/** Something that a user was told. */
export type InAppNotification = RouterOutputs["notifications"]["list"]["notifications"][number];

/** A DNS record. */
export type DnsRecord = RouterOutputs["records"]["list"]["records"][number];

/** A domain, as in lists. */
export type Domain = RouterOutputs["domains"]["list"]["domains"][number];

/** The domain that a host name belongs to, and the host relative to it. */
export type ZoneOfName = RouterOutputs["domains"]["zoneOf"];

/** A snapshot of a domain's records. */
export type Snapshot = RouterOutputs["snapshots"]["list"]["snapshots"][number];

/** One change of a plan; its `action` says which fields it takes. */
export type Change = RouterInputs["records"]["plan"]["changes"][number];
