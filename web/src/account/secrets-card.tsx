import { useQuery, type UseQueryOptions } from "@tanstack/react-query";
import { useRef, useState, type ComponentType } from "react";
import { AskFirst } from "../ui/ask-first.tsx";
import { Button } from "../ui/button.tsx";
import { formatDay } from "../ui/format.ts";
import { Failure } from "../ui/notice.tsx";
import { Card } from "../ui/page.tsx";
import { toast } from "../ui/toast.tsx";
import { useAction } from "../ui/use-action.ts";
import { accountWords } from "../words/account.ts";
import { words } from "../words/words.ts";
import styles from "./account.module.css";
import { isPast } from "./expiry.ts";
import { refresh } from "./own-account.ts";
import { Ago } from "./row.tsx";

const text = accountWords;

interface SecretsCardProps<Listed extends { id: string }, Created extends { id: string }> {
  query: UseQueryOptions<Listed[], Error, Listed[], string[]> & { queryKey: string[] };
  says: {
    title: string;
    hint: string;
    create: string;
    empty: string;
    emptyHint: string;
    deleteTitle: (name: string) => string;
    deleteHint: string;
    /** The label of the button that deletes one; "Delete" by default. */
    deleteAction?: string;
    deleted: (name: string) => string;
  };
  nameOf: (each: Listed) => string;
  onDelete: (id: string) => Promise<unknown>;
  NewForm: ComponentType<{ onCreated: (created: Created) => void; onCancel: () => void }>;
  /** Shows a new one with its secret, once. */
  Fresh: ComponentType<{ created: Created; onDone: () => void }>;
  Item: ComponentType<{ item: Listed; pending: boolean; onDelete: () => void }>;
}

/** A list of secrets that act as the user, such as tokens: each is created, shown once, and deleted. */
export function SecretsCard<Listed extends { id: string }, Created extends { id: string }>(
  props: SecretsCardProps<Listed, Created>,
) {
  const { query, says, nameOf, onDelete, NewForm, Fresh, Item } = props;
  const { data, error } = useQuery(query);
  const [creating, setCreating] = useState(false);
  const [created, setCreated] = useState<Created | null>(null);
  const [asked, setAsked] = useState<Listed | null>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const remove = useAction(async (each: Listed) => {
    await onDelete(each.id);
    if (created?.id === each.id) setCreated(null);
    toast({ title: says.deleted(nameOf(each)) });
    await refresh(query);
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
  const onCreated = (next: Created) => {
    setCreating(false);
    setCreated(next);
  };
  return (
    <>
      <Card
        title={says.title}
        hint={says.hint}
        flush
        action={
          <Button
            ref={opener}
            kind={creating ? "plain" : "primary"}
            aria-expanded={creating}
            onClick={() => (creating ? close() : setCreating(true))}
          >
            {says.create}
          </Button>
        }
      >
        {created ? <Fresh key={created.id} created={created} onDone={done} /> : null}
        {creating ? <NewForm onCreated={onCreated} onCancel={close} /> : null}
        <div ref={list} tabIndex={-1}>
          <div className={styles["messages"]}>
            <Failure error={error ?? remove.error} />
          </div>
          {data?.length === 0 && !creating ? (
            <p className={styles["quiet"]}>
              <strong>{says.empty}.</strong> {says.emptyHint}
            </p>
          ) : null}
          <ul className={styles["list"]} aria-label={says.title} aria-busy={data === undefined}>
            {data?.map((each) => (
              <Item key={each.id} item={each} pending={remove.pending} onDelete={() => setAsked(each)} />
            ))}
          </ul>
        </div>
      </Card>
      {asked ? (
        <AskFirst
          title={says.deleteTitle(nameOf(asked))}
          action={says.deleteAction ?? words.ui.delete}
          onClose={() => setAsked(null)}
          onConfirm={() => void remove.run(asked)}
        >
          {says.deleteHint}
        </AskFirst>
      ) : null}
    </>
  );
}

interface UseFactsProps {
  createdAt: Date;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
  /** From where it was used last. */
  from?: string | null;
}

/** When a secret was made, ends and was last used. */
export function UseFacts({ createdAt, expiresAt, lastUsedAt, from = null }: UseFactsProps) {
  return (
    <>
      <span>
        {text.created} <Ago date={createdAt} />
      </span>
      <span>
        {expiresAt === null
          ? text.neverExpires
          : `${isPast(expiresAt) ? text.expired : text.expires} ${formatDay(expiresAt)}`}
      </span>
      <span>
        {lastUsedAt === null ? (
          text.neverUsed
        ) : (
          <>
            {text.lastUsed} <Ago date={lastUsedAt} /> {from === null ? null : text.keyFrom(from)}
          </>
        )}
      </span>
    </>
  );
}
