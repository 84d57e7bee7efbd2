import { useQuery } from "@tanstack/react-query";
import { Link2 } from "lucide-react";
import { useRef, useState } from "react";
import { client } from "../api.ts";
import { beginExternal } from "../session/journey.ts";
import { AskFirst } from "../ui/ask-first.tsx";
import { Button } from "../ui/button.tsx";
import { Failure } from "../ui/notice.tsx";
import { Card } from "../ui/page.tsx";
import { toast } from "../ui/toast.tsx";
import { useAction } from "../ui/use-action.ts";
import { accountWords } from "../words/account.ts";
import styles from "./account.module.css";
import { bindings, refresh, signInProviders } from "./own-account.ts";
import { Ago, Row } from "./row.tsx";

const text = accountWords;

interface Provider {
  providerId: string;
  name: string;
}

/** The identities elsewhere that sign in here, and the providers that could. Absent where there are none. */
export function IdentitiesCard() {
  const bound = useQuery(bindings);
  const offered = useQuery(signInProviders);
  const [asked, setAsked] = useState<Provider | null>(null);
  const list = useRef<HTMLDivElement>(null);
  const connect = useAction(async (providerId: string) => {
    const { authorizeUrl } = await client.identity.bindStart.mutate({ providerId });
    // Not every return says that it was about this page.
    beginExternal({ providerId, next: "/account/security", userId: null });
    location.assign(authorizeUrl);
  });
  const disconnect = useAction(async ({ providerId, name }: Provider) => {
    await client.identity.unbind.mutate({ providerId });
    toast({ title: text.disconnected(name) });
    await refresh(bindings);
    list.current?.focus();
  });
  const own = bound.data ?? [];
  const hostOf = (id: string) => offered.data?.find(({ providerId }) => providerId === id)?.host ?? null;
  const others = (offered.data ?? []).filter(({ providerId }) => own.every((each) => each.providerId !== providerId));
  const error = bound.error ?? offered.error ?? connect.error ?? disconnect.error;
  if (own.length === 0 && others.length === 0 && error === null) return null;
  return (
    <Card title={text.identities} hint={text.identitiesHint} flush>
      <div ref={list} tabIndex={-1}>
        <div className={styles["messages"]}>
          <Failure error={error} />
        </div>
        <ul className={styles["list"]} aria-label={text.identities}>
          {own.map(({ providerId, name, email, displayName, subject, createdAt }) => (
            <Row
              key={providerId}
              icon={<Link2 aria-hidden />}
              title={name}
              facts={
                <>
                  {hostOf(providerId) === null ? null : <span>{hostOf(providerId)}</span>}
                  <span>{[displayName, email].filter(Boolean).join(" · ") || subject}</span>
                  <span>
                    {text.since} <Ago date={createdAt} />
                  </span>
                </>
              }
              actions={
                <Button
                  kind="danger"
                  aria-label={text.disconnectFrom(name)}
                  disabled={disconnect.pending}
                  onClick={() => setAsked({ providerId, name })}
                >
                  {text.disconnect}
                </Button>
              }
            />
          ))}
          {others.map(({ providerId, name, host }) => (
            <Row
              key={providerId}
              icon={<Link2 aria-hidden />}
              title={name}
              facts={host === null ? text.notConnected : `${host} · ${text.notConnected}`}
              actions={
                <Button
                  aria-label={text.connectTo(name)}
                  pending={connect.pending}
                  onClick={() => void connect.run(providerId)}
                >
                  {text.connect}
                </Button>
              }
            />
          ))}
        </ul>
      </div>
      {asked ? (
        <AskFirst
          title={text.disconnectTitle(asked.name)}
          action={text.disconnect}
          onClose={() => setAsked(null)}
          onConfirm={() => void disconnect.run(asked)}
        >
          {text.disconnectHint(asked.name)}
        </AskFirst>
      ) : null}
    </Card>
  );
}
