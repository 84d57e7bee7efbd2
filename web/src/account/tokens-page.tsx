import { useQuery } from "@tanstack/react-query";
import type { RouterOutputs } from "@zonewright/client";
import { KeySquare } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { client } from "../api.ts";
import { AskFirst } from "../ui/ask-first.tsx";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { formatDay } from "../ui/format.ts";
import { Failure } from "../ui/notice.tsx";
import { Card } from "../ui/page.tsx";
import { toast } from "../ui/toast.tsx";
import { useAction } from "../ui/use-action.ts";
import { accountWords } from "../words/account.ts";
import { words } from "../words/words.ts";
import styles from "./account.module.css";
import secretsStyles from "./secrets.module.css";
import { AccountPage } from "./account-page.tsx";
import { isPast } from "./expiry.ts";
import { NewToken } from "./new-token.tsx";
import { refresh, tokens } from "./own-account.ts";
import { Ago, Chip, Row } from "./row.tsx";

const text = accountWords;

type Token = RouterOutputs["tokens"]["list"]["tokens"][number];
type CreatedToken = RouterOutputs["tokens"]["create"];

/** The tokens with which programs act as the user. */
export function TokensPage() {
  const { data, error } = useQuery(tokens);
  const [creating, setCreating] = useState(false);
  const [created, setCreated] = useState<CreatedToken | null>(null);
  const [asked, setAsked] = useState<Token | null>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const remove = useAction(async ({ id, name }: Token) => {
    await client.tokens.delete.mutate({ id });
    if (created?.id === id) setCreated(null);
    toast({ title: text.tokenDeleted(name) });
    await refresh(tokens);
    list.current?.focus();
  });
  const close = () => {
    setCreating(false);
    opener.current?.focus();
  };
  return (
    <AccountPage title={text.tokens}>
      <Card
        title={text.tokensTitle}
        hint={text.tokensHint}
        flush
        action={
          <Button
            ref={opener}
            kind={creating ? "plain" : "primary"}
            aria-expanded={creating}
            onClick={() => (creating ? close() : setCreating(true))}
          >
            {text.tokenNew}
          </Button>
        }
      >
        {created ? (
          <Fresh
            token={created}
            onDone={() => {
              setCreated(null);
              opener.current?.focus();
            }}
          />
        ) : null}
        {creating ? (
          <NewToken
            onCancel={close}
            onCreated={(token) => {
              setCreating(false);
              setCreated(token);
            }}
          />
        ) : null}
        <div ref={list} tabIndex={-1}>
          <div className={styles["messages"]}>
            <Failure error={error ?? remove.error} />
          </div>
          {data?.length === 0 && !creating ? (
            <p className={styles["quiet"]}>
              <strong>{text.tokensEmpty}.</strong> {text.tokensEmptyHint}
            </p>
          ) : null}
          <ul className={styles["list"]} aria-label={text.tokensTitle} aria-busy={data === undefined}>
            {data?.map((token) => (
              <TokenRow key={token.id} token={token} pending={remove.pending} onDelete={() => setAsked(token)} />
            ))}
          </ul>
        </div>
      </Card>
      {asked ? (
        <AskFirst
          title={text.tokenDeleteTitle(asked.name)}
          action={words.ui.delete}
          onClose={() => setAsked(null)}
          onConfirm={() => void remove.run(asked)}
        >
          {text.tokenDeleteHint}
        </AskFirst>
      ) : null}
    </AccountPage>
  );
}

/** A new token with its secret, once. */
function Fresh({ token, onDone }: { token: CreatedToken; onDone: () => void }) {
  const box = useRef<HTMLElement>(null);
  useEffect(() => box.current?.focus(), []);
  return (
    <section ref={box} className={secretsStyles["fresh"]} tabIndex={-1} aria-label={text.tokenSecret}>
      <div>
        <strong>{text.tokenCreated(token.name)}</strong>
        <span className={styles["hint"]}>{text.tokenOnce}</span>
      </div>
      <div className={secretsStyles["secret"]}>
        <code>{token.token}</code>
        <CopyButton text={token.token} />
        <Button onClick={onDone}>{text.tokenDone}</Button>
      </div>
      <div>
        <span className={styles["hint"]}>{text.tokenUse}</span>
        <code>Authorization: Bearer {token.token.slice(0, 6)}…</code>
      </div>
    </section>
  );
}

function TokenRow({ token, pending, onDelete }: { token: Token; pending: boolean; onDelete: () => void }) {
  const { name, permissions, domainIds, hostPattern, recordTypes, createdAt, expiresAt, lastUsedAt } = token;
  const expired = isPast(expiresAt);
  return (
    <Row
      icon={<KeySquare aria-hidden />}
      title={name}
      chips={expired ? <Chip kind="bad">{text.expired}</Chip> : null}
      facts={
        <>
          <span className={styles["perms"]}>
            {permissions.length === 0 ? text.noPermission : permissions.map((each) => <code key={each}>{each}</code>)}
            {[...(hostPattern === null ? [] : [hostPattern]), ...(recordTypes ?? [])].map((each) => (
              <code key={each}>{each}</code>
            ))}
            {domainIds === null ? null : <Chip>{text.narrowed(domainIds.length)}</Chip>}
          </span>
          <span>
            {text.created} <Ago date={createdAt} />
          </span>
          <span>
            {expiresAt === null
              ? text.neverExpires
              : `${expired ? text.expired : text.expires} ${formatDay(expiresAt)}`}
          </span>
          <span>
            {lastUsedAt === null ? (
              text.neverUsed
            ) : (
              <>
                {text.lastUsed} <Ago date={lastUsedAt} />
              </>
            )}
          </span>
        </>
      }
      actions={
        <Button kind="danger" aria-label={text.tokenDelete(name)} disabled={pending} onClick={onDelete}>
          {words.ui.delete}
        </Button>
      }
    />
  );
}
