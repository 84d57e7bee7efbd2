import type { TRPCClient } from "@trpc/client";
import type { AppRouter } from "./app-router.ts";

/**
 * All procedures, by their routers. In the package this is written out with what the server says of each of them
 * (procedures-declaration.ts).
 */
export type Procedures = TRPCClient<AppRouter>;
