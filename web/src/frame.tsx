import { useNavigate, useRouterState } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { client, onSession, queries } from "./api.ts";
import type { LiveState } from "./live/live-connection.tsx";
import { useShortcuts } from "./palette/shortcuts.tsx";
import { useUser } from "./session/current-user.ts";
import { Shell } from "./shell/shell.tsx";
import { isMac } from "./ui/platform.ts";
import { patiently } from "./ui/patiently.ts";

/** Asked for at the earliest by a change of the account, so it is not part of the first page. */
const ReauthenticationDialog = lazy(
  patiently(async () => ({
    default: (await import("./session/reauthentication.tsx")).ReauthenticationDialog,
  })),
);

const LiveConnection = lazy(
  patiently(async () => ({ default: (await import("./live/live-connection.tsx")).LiveConnection })),
);

/** Signs out on purpose: the streams of all tabs end, and the drafts of the user go. */
async function endSession(userId: string): Promise<void> {
  const [{ live }, { deleteDrafts }] = await Promise.all([
    import("./live/live.ts"),
    import("./records/draft/store.ts"),
  ]);
  live.end();
  await queries.cancelQueries();
  await deleteDrafts(userId);
  await client.signOut();
}

/** The frame of the pages behind the sign-in, with what lives as long as the session. */
export function Frame() {
  const user = useUser();
  const navigate = useNavigate();
  const href = useRouterState({ select: (state) => state.location.href });
  const [{ offline, unread }, setLive] = useState<LiveState>({ offline: false, unread: 0 });
  /** Whether the user is signing out, as opposed to a session that ended. */
  const leaving = useRef(false);
  const [isLive, setIsLive] = useState(true);

  useEffect(
    () =>
      onSession((signedIn) => {
        if (signedIn) return;
        // Drafts stay in the browser; everything that the service answered goes.
        const search = leaving.current ? {} : { next: href, ended: true as const };
        leaving.current = false;
        void navigate({ to: "/sign-in", search, replace: true }).then(() => queries.clear());
      }),
    [navigate, href],
  );

  const signOut = () => {
    leaving.current = true;
    // Streams that open from now on would be refused.
    setIsLive(false);
    void endSession(user.id);
  };
  const { openPalette, dialogs } = useShortcuts({ mac: isMac, onSignOut: signOut });
  return (
    <Shell user={user} unread={unread} offline={offline} onJump={openPalette} onSignOut={signOut}>
      <Suspense fallback={null}>
        {isLive && <LiveConnection user={user} onState={setLive} />}
        <ReauthenticationDialog />
      </Suspense>
      {dialogs}
    </Shell>
  );
}
