import type { TRPCClient } from "@trpc/client";
import type { AppRouter } from "./app-router.ts";

/**
 * All procedures, by router. The package contains them written out, with the server's documentation of each
 * (procedures-declaration.ts).
 */
export type Procedures = TRPCClient<AppRouter>;
