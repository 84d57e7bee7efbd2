import { useNavigate, useRouterState } from "@tanstack/react-router";
import { lazy, Suspense, useCallback, useEffect, useState } from "react";
import { onSession, queries, signOut } from "./api.ts";
import type { LiveState } from "./live/live-connection.tsx";
import { useShortcuts } from "./palette/shortcuts.tsx";
import { useUser, type CurrentUser } from "./session/current-user.ts";
import { Shell } from "./shell/shell.tsx";
import { AskFirst } from "./ui/ask-first.tsx";
import { isMac } from "./ui/platform.ts";
import { patiently } from "./ui/patiently.ts";
import { words } from "./words/words.ts";

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
  await signOut();
}

/** The frame of the pages behind the sign-in, with what lives as long as the session. */
export function Frame() {
  const user = useUser();
  const navigate = useNavigate();
  const href = useRouterState({ select: (state) => state.location.href });
  const [{ offline, ...counts }, setLive] = useState<LiveState>({ offline: false, unread: 0, toReview: 0 });
  const [isLive, setIsLive] = useState(true);
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
      }),
    [leave],
  );
  const goOn = (next: CurrentUser | null) => {
    // What another person left on the page is not for this one.
    if (next?.id !== user.id) {
      location.reload();
      return;
    }
    setEnded(false);
    void queries.invalidateQueries();
  };

  /** The number of zones with a draft that signing out would lose; null while nobody asked. */
  const [drafts, setDrafts] = useState<number | null>(null);
  const askToLeave = async () => {
    const { countDrafts } = await import("./records/draft/store.ts");
    const count = await countDrafts(user.id);
    if (count === 0) leaveForGood();
    else setDrafts(count);
  };
  const leaveForGood = () => {
    // Streams that open from now on would be refused.
    setIsLive(false);
    void endSession(user.id);
  };
  const { openPalette, dialogs } = useShortcuts({ mac: isMac, onSignOut: () => void askToLeave() });
  return (
    <Shell user={user} {...counts} offline={offline && !ended} onJump={openPalette} onSignOut={() => void askToLeave()}>
      <Suspense fallback={null}>
        {isLive && !ended && <LiveConnection user={user} onState={setLive} />}
        <ReauthenticationDialog />
        {ended && (
          <SignInAgain user={user} href={href} onDone={goOn} onLeave={() => void leave({ next: href, ended: true })} />
        )}
      </Suspense>
      {dialogs}
      {drafts === null ? null : (
        <AskFirst
          title={words.shell.signOutTitle}
          action={words.shell.signOut}
          onConfirm={leaveForGood}
          onClose={() => setDrafts(null)}
        >
          <p>{words.shell.signOutDrafts(drafts)}</p>
        </AskFirst>
      )}
    </Shell>
  );
}
