import type { inferRouterInputs, inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "./server/router.js";
export type { AppRouter };
export type RouterInputs = inferRouterInputs<AppRouter>;
export type RouterOutputs = inferRouterOutputs<AppRouter>;
export type User = RouterOutputs["twoFactor"]["verify"]["user"];
export type SecondFactorMethod = Extract<RouterOutputs["auth"]["login"], {
    requires2FA: true;
}>["methods"][number];
export type InAppNotification = RouterOutputs["notifications"]["list"]["notifications"][number];
export interface WatchedChange {
    domainId: string;
    revision: number;
    changeSetId: string | null;
}
export type DnsRecord = RouterOutputs["records"]["list"]["records"][number];
export type RecordType = DnsRecord["recordType"];
export type Domain = RouterOutputs["domains"]["list"]["domains"][number];
export type ZoneOfName = RouterOutputs["domains"]["zoneOf"];
export type ServedRecords = RouterOutputs["delegation"]["checkServed"];
export type Snapshot = RouterOutputs["snapshots"]["list"]["snapshots"][number];
export type Change = RouterInputs["records"]["plan"]["changes"][number];
