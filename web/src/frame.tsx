import { useNavigate, useRouterState } from "@tanstack/react-router";
import { lazy, Suspense, useCallback, useEffect, useState } from "react";
import { onSession, queries, showTo } from "./api.ts";
import type { LiveState } from "./live/live-connection.tsx";
import { useShortcuts } from "./palette/shortcuts.tsx";
import { useUser, type CurrentUser } from "./session/current-user.ts";
import { Shell } from "./shell/shell.tsx";
import { isMac } from "./ui/platform.ts";
import { patiently } from "./ui/patiently.ts";

/** Asked for at the earliest by a change of the account, so it is not part of the first page. */
const ReauthenticationDialog = lazy(
  patiently(async () => ({
    default: (await import("./session/reauthentication.tsx")).ReauthenticationDialog,
  })),
);

/** Rarely needed: a session that is in use renews itself. */
const SignInAgain = lazy(
  patiently(async () => ({ default: (await import("./session/sign-in-again.tsx")).SignInAgain })),
);

const Leave = lazy(patiently(async () => ({ default: (await import("./leave.tsx")).Leave })));

const LiveConnection = lazy(
  patiently(async () => ({ default: (await import("./live/live-connection.tsx")).LiveConnection })),
);

/** The frame of the pages behind the sign-in, with what lives as long as the session. */
export function Frame() {
  const user = useUser();
  const navigate = useNavigate();
  const href = useRouterState({ select: (state) => state.location.href });
  const [{ notLive, ...counts }, setLive] = useState<LiveState>({ notLive: null, unread: 0, toReview: 0 });
  /** The session ended without being asked to: the page waits for the next one. */
  const [ended, setEnded] = useState(false);

  /** Drafts stay in the browser; everything that the service answered goes. */
  const leave = useCallback(
    async (search: { next?: string; ended?: true }) => {
      await navigate({ to: "/sign-in", search, replace: true });
      queries.clear();
    },
    [navigate],
  );
  useEffect(
    () =>
      onSession((change) => {
        if (change === "ended") setEnded(true);
        else if (change === "left") void leave({});
        // What one person left on the page is not for another.
        else if (change === "other") location.reload();
      }),
    [leave],
  );
  useEffect(() => showTo(user.id), [user.id]);
  const goOn = (next: CurrentUser | null) => {
    // As above.
    if (next?.id !== user.id) {
      location.reload();
      return;
    }
    setEnded(false);
    // The new session is theirs as well.
    showTo(user.id);
    void queries.invalidateQueries();
  };

  const [isLeaving, setIsLeaving] = useState(false);
  const leaveForGood = () => setIsLeaving(true);
  const { openPalette, dialogs } = useShortcuts({ mac: isMac, onSignOut: leaveForGood });
  return (
    // Drafts and forms of one person are not for another.
    <Shell
      key={user.id}
      user={user}
      {...counts}
      notLive={ended ? null : notLive}
      onJump={openPalette}
      onSignOut={leaveForGood}
    >
      <Suspense fallback={null}>
        {!ended && <LiveConnection user={user} onState={setLive} />}
        <ReauthenticationDialog />
        {isLeaving && <Leave userId={user.id} onCancel={() => setIsLeaving(false)} />}
        {ended && (
          <SignInAgain user={user} href={href} onDone={goOn} onLeave={() => void leave({ next: href, ended: true })} />
        )}
      </Suspense>
      {dialogs}
    </Shell>
  );
}
