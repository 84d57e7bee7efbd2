import { useQuery } from "@tanstack/react-query";
import { isZonewrightError, type RouterOutputs } from "@zonewright/client";
import { Monitor, Smartphone, SquareTerminal } from "lucide-react";
import { useRef, useState } from "react";
import { client } from "../api.ts";
import { AskFirst } from "../ui/ask-first.tsx";
import { Button } from "../ui/button.tsx";
import { Failure } from "../ui/notice.tsx";
import { Card } from "../ui/page.tsx";
import { toast } from "../ui/toast.tsx";
import { useAction } from "../ui/use-action.ts";
import { accountWords } from "../words/account.ts";
import styles from "./account.module.css";
import { AccountPage } from "./account-page.tsx";
import { deviceName } from "./device-name.ts";
import { deviceOf } from "./device.ts";
import { refresh, sessions } from "./own-account.ts";
import { Ago, Chip, Row } from "./row.tsx";

const text = accountWords;

type Session = RouterOutputs["sessions"]["list"]["sessions"][number];

const icons = {
  computer: <Monitor aria-hidden />,
  phone: <Smartphone aria-hidden />,
  program: <SquareTerminal aria-hidden />,
};

/** Where the user is signed in. */
export function SessionsPage() {
  const { data, error } = useQuery(sessions);
  const [asked, setAsked] = useState<Session | "others" | null>(null);
  const list = useRef<HTMLDivElement>(null);
  const others = data?.filter(({ current }) => !current) ?? [];
  const end = useAction(async (ended: readonly Session[]) => {
    try {
      for (const { id } of ended) await endSession(id);
      toast({ title: ended.length === 1 ? text.sessionEnded : text.sessionsEnded });
    } finally {
      await refresh(sessions);
      list.current?.focus();
    }
  });
  return (
    <AccountPage title={text.sessions}>
      <Card
        title={text.sessionsTitle}
        hint={text.sessionsHint}
        flush
        action={
          others.length > 0 ? (
            <Button kind="danger" pending={end.pending} onClick={() => setAsked("others")}>
              {text.sessionsEndOthers}
            </Button>
          ) : null
        }
      >
        <div ref={list} tabIndex={-1}>
          <div className={styles["messages"]}>
            <Failure error={error ?? end.error} />
          </div>
          <ul className={styles["list"]} aria-label={text.sessionsTitle} aria-busy={data === undefined}>
            {data?.map((session) => (
              <SessionRow key={session.id} session={session} pending={end.pending} onEnd={() => setAsked(session)} />
            ))}
          </ul>
        </div>
      </Card>
      {asked ? (
        <AskFirst
          title={asked === "others" ? text.sessionsEndOthersTitle : text.sessionEndTitle(deviceName(asked.userAgent))}
          action={asked === "others" ? text.sessionsEndOthers : text.sessionEnd}
          onClose={() => setAsked(null)}
          onConfirm={() => void end.run(asked === "others" ? others : [asked])}
        >
          {asked === "others" ? text.sessionsEndOthersHint : text.sessionEndHint}
        </AskFirst>
      ) : null}
    </AccountPage>
  );
}

function SessionRow({ session, pending, onEnd }: { session: Session; pending: boolean; onEnd: () => void }) {
  const { current, userAgent, ip, createdAt, lastUsedAt } = session;
  const device = deviceName(userAgent);
  return (
    <Row
      icon={icons[deviceOf(userAgent).kind]}
      title={<span title={userAgent ?? undefined}>{device}</span>}
      chips={current ? <Chip kind="good">{text.thisBrowser}</Chip> : null}
      facts={
        <>
          <code>{ip ?? text.unknownAddress}</code>
          <span>
            {text.signedInAt} <Ago date={createdAt} />
          </span>
          <span>
            {text.lastUsed} <Ago date={lastUsedAt} />
          </span>
        </>
      }
      actions={
        current ? null : (
          <Button kind="danger" aria-label={text.sessionEndOf(device)} disabled={pending} onClick={onEnd}>
            {text.sessionEnd}
          </Button>
        )
      }
    />
  );
}

/** Ends a session; one that has ended meanwhile is fine. */
async function endSession(id: string): Promise<void> {
  try {
    await client.sessions.delete.mutate({ id });
  } catch (error) {
    if (!isZonewrightError(error) || error.code !== "NOT_FOUND") throw error;
  }
}
