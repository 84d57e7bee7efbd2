import { useEffect, useEffectEvent, useState } from "react";
import { queries, signOut } from "./api.ts";
import { live } from "./live/live.ts";
import { countDrafts, deleteDrafts } from "./zone/draft/store.ts";
import { AskFirst } from "./ui/ask-first.tsx";
import { sessionWords } from "./words/session.ts";
import { words } from "./words/words.ts";

interface LeaveProps {
  userId: string;
  /** Called before the session ends: streams that open from now on would be refused. */
  onLeave: () => void;
  onCancel: () => void;
}

/** Signs out on purpose: the streams of all tabs end, and the drafts of the user go. Asks first if there are any. */
export function Leave({ userId, onLeave, onCancel }: LeaveProps) {
  const [drafts, setDrafts] = useState(0);
  const leave = async () => {
    onLeave();
    live.end();
    await queries.cancelQueries();
    await deleteDrafts(userId);
    await signOut();
  };
  const leaveUnasked = useEffectEvent(leave);
  useEffect(() => {
    const askOrLeave = async () => {
      const count = await countDrafts(userId);
      if (count > 0) setDrafts(count);
      else await leaveUnasked();
    };
    void askOrLeave();
  }, [userId]);
  if (drafts === 0) return null;
  return (
    <AskFirst
      title={sessionWords.signOutTitle}
      action={words.shell.signOut}
      onConfirm={() => void leave()}
      onClose={onCancel}
    >
      <p>{sessionWords.signOutDrafts(drafts)}</p>
    </AskFirst>
  );
}
