import { createAppRouter } from "../server/router.ts";

/** The procedures with their schemas and texts, for what describes them. Without services none can be called. */
export const appRouter = createAppRouter({} as Parameters<typeof createAppRouter>[0]);

/** The type of that table: what clients are typed by. Types only; nothing of the server is loaded. */
export type AppRouter = typeof appRouter;
