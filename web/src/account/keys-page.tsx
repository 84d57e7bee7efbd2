import { useQuery } from "@tanstack/react-query";
import type { RouterOutputs } from "@zonewright/client";
import { KeySquare } from "lucide-react";
import { useRef, useState } from "react";
import { client } from "../api.ts";
import { AskFirst } from "../ui/ask-first.tsx";
import { Button } from "../ui/button.tsx";
import { formatDay } from "../ui/format.ts";
import { Failure } from "../ui/notice.tsx";
import { Card } from "../ui/page.tsx";
import { toast } from "../ui/toast.tsx";
import { useAction } from "../ui/use-action.ts";
import { accountWords } from "../words/account.ts";
import { words } from "../words/words.ts";
import { AccountPage } from "./account-page.tsx";
import styles from "./account.module.css";
import { isPast } from "./expiry.ts";
import { FreshKey, type CreatedKey } from "./fresh-key.tsx";
import { NewKey } from "./new-key.tsx";
import { keys, refresh } from "./own-account.ts";
import { Ago, Chip, Row } from "./row.tsx";

const text = accountWords;

type Key = RouterOutputs["tsigKeys"]["list"]["keys"][number];

const titleOf = ({ name, keyName }: Key) => name ?? keyName;

/** The keys with which DNS clients act as the user. */
export function KeysPage() {
  const { data, error } = useQuery(keys);
  const [creating, setCreating] = useState(false);
  const [created, setCreated] = useState<CreatedKey | null>(null);
  const [asked, setAsked] = useState<Key | null>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const remove = useAction(async (key: Key) => {
    await client.tsigKeys.delete.mutate({ id: key.id });
    if (created?.id === key.id) setCreated(null);
    toast({ title: text.keyDeleted(titleOf(key)) });
    await refresh(keys);
    list.current?.focus();
  });
  const close = () => {
    setCreating(false);
    opener.current?.focus();
  };
  const done = () => {
    setCreated(null);
    opener.current?.focus();
  };
  return (
    <AccountPage title={text.keys}>
      <Card
        title={text.keysTitle}
        hint={text.keysHint}
        flush
        action={
          <Button
            ref={opener}
            kind={creating ? "plain" : "primary"}
            aria-expanded={creating}
            onClick={() => (creating ? close() : setCreating(true))}
          >
            {text.keyNew}
          </Button>
        }
      >
        {created ? <FreshKey key={created.id} created={created} onDone={done} /> : null}
        {creating ? (
          <NewKey
            onCancel={close}
            onCreated={(key) => {
              setCreating(false);
              setCreated(key);
            }}
          />
        ) : null}
        <div ref={list} tabIndex={-1}>
          <div className={styles["messages"]}>
            <Failure error={error ?? remove.error} />
          </div>
          {data?.length === 0 && !creating ? (
            <p className={styles["quiet"]}>
              <strong>{text.keysEmpty}.</strong> {text.keysEmptyHint}
            </p>
          ) : null}
          <ul className={styles["list"]} aria-label={text.keysTitle} aria-busy={data === undefined}>
            {data?.map((each) => (
              <KeyRow key={each.id} tsigKey={each} pending={remove.pending} onDelete={() => setAsked(each)} />
            ))}
          </ul>
        </div>
      </Card>
      {asked ? (
        <AskFirst
          title={text.keyDeleteTitle(titleOf(asked))}
          action={words.ui.delete}
          onClose={() => setAsked(null)}
          onConfirm={() => void remove.run(asked)}
        >
          {text.keyDeleteHint}
        </AskFirst>
      ) : null}
    </AccountPage>
  );
}

function KeyRow({ tsigKey, pending, onDelete }: { tsigKey: Key; pending: boolean; onDelete: () => void }) {
  const { keyName, domainName, hostPattern, recordTypes, access, createdAt, expiresAt } = tsigKey;
  const { lastUsedAt, lastUsedFrom, lastError, lastErrorAt } = tsigKey;
  const expired = isPast(expiresAt);
  return (
    <Row
      icon={<KeySquare aria-hidden />}
      title={titleOf(tsigKey)}
      chips={
        <>
          <Chip>{text.keyAccesses[access]}</Chip>
          {expired ? <Chip kind="bad">{text.expired}</Chip> : null}
        </>
      }
      facts={
        <>
          <span className={styles["perms"]}>
            <code>{keyName}</code>
            <code>{domainName}</code>
            <code>{hostPattern}</code>
            {recordTypes.length === 0 ? text.keyAllTypes : recordTypes.map((type) => <code key={type}>{type}</code>)}
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
                {text.lastUsed} <Ago date={lastUsedAt} /> {lastUsedFrom === null ? null : text.keyFrom(lastUsedFrom)}
              </>
            )}
          </span>
          {lastError === null || lastErrorAt === null ? null : (
            <span className={styles["refusal"]}>
              {text.keyRefused} <Ago date={lastErrorAt} />: {lastError}
            </span>
          )}
        </>
      }
      actions={
        <Button kind="danger" aria-label={text.keyDelete(titleOf(tsigKey))} disabled={pending} onClick={onDelete}>
          {words.ui.delete}
        </Button>
      }
    />
  );
}
