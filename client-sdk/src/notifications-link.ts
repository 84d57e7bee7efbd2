import { TRPCClientError, type TRPCLink } from "@trpc/client";
import { observable } from "@trpc/server/observable";
import type { AppRouter, RouterInputs } from "./app-router.ts";
import type { OpenStream } from "./lasting-stream.ts";
import { watchedMessages } from "./watch-notifications.ts";

/** Feeds `notifications.stream.subscribe` like `watchNotifications`. */
export function notificationsLink(open: (signal: AbortSignal | undefined) => OpenStream): TRPCLink<AppRouter> {
  return () =>
    ({ op, next }) => {
      if (op.path !== "notifications.stream") return next(op);
      return observable((observer) => {
        const leaving = new AbortController();
        const leave = () => leaving.abort();
        op.signal?.addEventListener("abort", leave, { once: true });
        const after = (op.input as RouterInputs["notifications"]["stream"])?.lastEventId ?? null;
        const watch = async () => {
          for await (const message of watchedMessages(open(leaving.signal), { after, signal: leaving.signal })) {
            if (message.data.event === "connected") observer.next({ result: { type: "started" } });
            observer.next({ result: { type: "data", id: message.id, data: message } });
          }
        };
        watch().catch((error: unknown) => {
          if (!leaving.signal.aborted) observer.error(TRPCClientError.from<AppRouter>(error as Error));
        });
        return () => {
          op.signal?.removeEventListener("abort", leave);
          leave();
        };
      });
    };
}
