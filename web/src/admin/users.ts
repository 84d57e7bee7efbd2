import type { RouterOutputs } from "@zonewright/client";

/** A user, as administrators see them. */
export type ManagedUser = RouterOutputs["users"]["list"]["users"][number];
