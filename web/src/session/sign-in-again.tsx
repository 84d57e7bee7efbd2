import type { SecondFactorMethod, SignInResult } from "@zonewright/client";
import { useEffect, useState } from "react";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Notice } from "../ui/notice.tsx";
import { sessionWords } from "../words/session.ts";
import { refreshUser, type CurrentUser } from "./current-user.ts";
import { SecondFactor } from "./second-factor.tsx";
import styles from "./session.module.css";
import { WaysToSignIn } from "./ways-to-sign-in.tsx";

const text = sessionWords;

interface SignInAgainProps {
  /** Whose session ended. */
  user: CurrentUser;
  /** The page that is open. */
  href: string;
  /** Called with the user who signed in, who may be another one. */
  onDone: (user: CurrentUser | null) => void;
  /** Gives the page up. */
  onLeave: () => void;
}

/** Signs in above the page whose session ended, so that everything typed there stays. */
export function SignInAgain({ user, href, onDone, onLeave }: SignInAgainProps) {
  const [methods, setMethods] = useState<readonly SecondFactorMethod[] | null>(null);
  const [before] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      // Once the dialog is gone, which gives the focus to the page.
      setTimeout(() => before instanceof HTMLElement && before.isConnected && before.focus());
    },
    [before],
  );
  const enter = async (result: SignInResult) => {
    if (result.kind === "secondFactorNeeded") setMethods(result.methods);
    else onDone(await refreshUser());
  };
  return (
    <Dialog
      open
      // Nothing behind it works without a session: only the button leads away.
      onClose={() => undefined}
      title={methods ? text.second : text.again}
      description={methods ? text.secondHint : text.againHint}
      footer={
        <Button kind="quiet" onClick={onLeave}>
          {text.leave}
        </Button>
      }
    >
      <div className={styles["again"]}>
        {methods ? (
          <SecondFactor methods={methods} onDone={enter} onBack={() => setMethods(null)} />
        ) : (
          <>
            <Notice kind="info">{text.againKept}</Notice>
            <WaysToSignIn next={href} user={user} onDone={enter} />
          </>
        )}
      </div>
    </Dialog>
  );
}
