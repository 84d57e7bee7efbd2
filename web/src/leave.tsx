import { useEffect, useEffectEvent, useRef, useState } from "react";
import { client, hint, isOther, leaving, mayHaveSession, queries, report, tab } from "./api.ts";
import { live } from "./live/live.ts";
import { countDrafts, deleteDrafts } from "./zone/draft/store.ts";
import { Button } from "./ui/button.tsx";
import { Dialog } from "./ui/dialog.tsx";
import { Failure } from "./ui/notice.tsx";
import { local } from "./ui/storage.ts";
import { useAction } from "./ui/use-action.ts";
import { useSettled } from "./ui/use-settled.ts";
import { sessionWords } from "./words/session.ts";
import { words } from "./words/words.ts";

const text = sessionWords;
/** A sign-out that takes longer says so. */
const patientMilliseconds = 1_000;

/**
 * Ends the session on purpose, in all tabs.
 * @param afterwards what goes with it, before the pages do
 * @throws what the service answers; then the session goes on
 */
async function signOut(afterwards: () => Promise<void>): Promise<void> {
  const before = local.getItem(hint);
  if (isOther(before)) {
    report("other");
    return;
  }
  if (before !== null) local.setItem(hint, leaving);
  tab.isLeaving = true;
  try {
    await client.signOut();
    // The session is over, whatever the browser does to its drafts.
    await afterwards().catch(() => undefined);
  } catch (error) {
    // Unless another tab has left meanwhile.
    if (before !== null && mayHaveSession()) local.setItem(hint, before);
    throw error;
  } finally {
    tab.isLeaving = false;
  }
  local.removeItem(hint);
  report("left");
}

interface LeaveProps {
  userId: string;
  onCancel: () => void;
}

/**
 * Signs out on purpose: the streams of all tabs end, and the drafts of the user go. Asks first if there are any. Without a connection, nothing
 * ends: the browser's cookie would open the session again, for whoever comes next.
 */
export function Leave({ userId, onCancel }: LeaveProps) {
  const [drafts, setDrafts] = useState(0);
  const cancel = useRef<HTMLButtonElement>(null);
  const leave = useAction(async () => {
    // Streams that open from now on would be refused.
    live.end();
    await queries.cancelQueries();
    try {
      await signOut(async () => await deleteDrafts(userId));
    } catch (error) {
      live.goOn();
      void queries.invalidateQueries();
      throw error;
    }
  });
  const leaveUnasked = useEffectEvent(leave.run);
  useEffect(() => {
    const askOrLeave = async () => {
      const count = await countDrafts(userId);
      if (count > 0) setDrafts(count);
      else await leaveUnasked();
    };
    void askOrLeave();
  }, [userId]);
  const close = () => {
    if (!leave.pending) onCancel();
  };
  const isSlow = useSettled(leave.pending, patientMilliseconds) && leave.pending;
  // For good: another attempt shows in the same dialog.
  const [hasFailed, setHasFailed] = useState(false);
  if (leave.error !== null && !hasFailed) setHasFailed(true);
  if (drafts === 0 && !hasFailed && !isSlow) return null;
  return (
    <Dialog
      open
      onClose={close}
      title={hasFailed ? text.notSignedOut : drafts === 0 ? text.signingOut : text.signOutTitle}
      initialFocus={cancel}
      alert={<Failure error={leave.error} />}
      footer={
        <>
          <Button ref={cancel} disabled={leave.pending} onClick={close}>
            {words.ui.cancel}
          </Button>
          <Button kind="danger" pending={leave.pending} onClick={() => void leave.run()}>
            {words.shell.signOut}
          </Button>
        </>
      }
    >
      {hasFailed ? <p>{text.notSignedOutHint}</p> : null}
      {drafts === 0 ? null : <p>{text.signOutDrafts(drafts)}</p>}
      {isSlow ? <p role="status">{text.signingOutHint}</p> : null}
    </Dialog>
  );
}
