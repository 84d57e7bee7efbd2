import type { inferRouterInputs, inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "../../server/router.ts";

/** The server's procedures: what the client is typed by. Types only; nothing of the server is loaded. */
export type { AppRouter };

/** What each procedure takes: `RouterInputs["records"]["create"]`. */
export type RouterInputs = inferRouterInputs<AppRouter>;

/** What each procedure answers with: `RouterOutputs["domains"]["get"]`. Moments are `Date`. */
export type RouterOutputs = inferRouterOutputs<AppRouter>;

/** A user, as told at sign-in. */
export type User = RouterOutputs["auth"]["login"]["user"];

/** A DNS record. */
export type DnsRecord = RouterOutputs["records"]["list"]["records"][number];
