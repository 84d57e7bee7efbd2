import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { RouterOutputs } from "@zonewright/client";
import { KeySquare } from "lucide-react";
import { useState } from "react";
import { client, queries } from "../api.ts";
import { useUser } from "../session/current-user.ts";
import { AskFirst } from "../ui/ask-first.tsx";
import { Button } from "../ui/button.tsx";
import { formatAgo, formatDay, formatMoment } from "../ui/format.ts";
import { toast } from "../ui/toast.tsx";
import { useQueue } from "../ui/use-queue.ts";
import { adminWords } from "../words/admin.ts";
import { AdminOnly } from "./admin-only.tsx";
import { FilteredPage, useFilteredList } from "./filtered-page.tsx";
import { Table } from "./table.tsx";
import styles from "./admin.module.css";

const text = adminWords.keys;

type Key = RouterOutputs["tsigKeys"]["listAll"]["keys"][number];

const nameOf = ({ name, keyName }: Key) => name ?? keyName;

/** Everybody's TSIG keys: whose they are, what they cover and when they were used. Administrators revoke them. */
export function TsigKeysPage() {
  return (
    <AdminOnly auditors>
      <Keys />
    </AdminOnly>
  );
}

function Keys() {
  const isAdmin = useUser().role === "admin";
  const search = useSearch({ from: "/inside/admin/keys" });
  const navigate = useNavigate({ from: "/admin/keys" });
  const list = useFilteredList({
    queryKey: "tsig-keys",
    search,
    onSearch: (next, replace) => void navigate({ search: next, replace }),
    read: async (asked, signal) => await client.tsigKeys.listAll.query(asked, { signal }),
  });
  const keys = list.data?.keys ?? [];
  const [asked, setAsked] = useState<Key | null>(null);
  const revoke = useQueue(async (key: Key) => {
    await client.tsigKeys.revoke.mutate({ id: key.id });
    await queries.invalidateQueries({ queryKey: ["tsig-keys"] });
    toast({ title: text.revoked(nameOf(key)) });
  });
  return (
    <FilteredPage text={text} list={list} icon={<KeySquare aria-hidden />} error={revoke.error}>
      {keys.length > 0 ? (
        <Table columns={[text.key, text.owner, text.zone, text.covers, text.used, text.ends]} hasActions={isAdmin}>
          {keys.map((key) => (
            <Row
              key={key.id}
              item={key}
              onOwner={() => list.filter({ owner: key.userId })}
              onRevoke={isAdmin ? () => setAsked(key) : null}
            />
          ))}
        </Table>
      ) : null}
      {asked ? (
        <AskFirst
          title={text.revokeTitle(nameOf(asked))}
          action={text.revoke}
          onConfirm={() => void revoke.run(asked)}
          onClose={() => setAsked(null)}
        >
          {text.revokeHint(asked.username, asked.domainName)}
        </AskFirst>
      ) : null}
    </FilteredPage>
  );
}

const isPast = (date: Date) => date.getTime() <= Date.now();

interface RowProps {
  item: Key;
  onOwner: () => void;
  /** Null for those who only read. */
  onRevoke: (() => void) | null;
}

function Row({ item, onOwner, onRevoke }: RowProps) {
  const { keyName, username, domainName, hostPattern, recordTypes, access, expiresAt } = item;
  const { lastUsedAt, lastUsedFrom, lastError, lastErrorAt } = item;
  return (
    <tr>
      <td className={styles["main"]}>
        {nameOf(item)}
        {item.name === null ? null : <small>{keyName}</small>}
        {lastError === null || lastErrorAt === null ? null : (
          <small className={styles["bad"]}>{text.refused(formatAgo(lastErrorAt), lastError)}</small>
        )}
      </td>
      <td data-label={text.owner}>
        <button type="button" className={styles["link"]} onClick={onOwner}>
          {username}
        </button>
      </td>
      <td data-label={text.zone}>
        <Link to="/d/$name/records" params={{ name: domainName }} className={styles["link"]} preload={false}>
          {domainName}
        </Link>
      </td>
      <td data-label={text.covers}>
        {hostPattern === "*" ? text.allHosts : <code>{hostPattern}</code>},{" "}
        {recordTypes.length === 0 ? text.allTypes : recordTypes.join(", ")}
        <small className={styles["small"]}>{text.accesses[access]}</small>
      </td>
      <td data-label={text.used}>
        {lastUsedAt === null ? (
          text.never
        ) : (
          <>
            <time dateTime={lastUsedAt.toISOString()} title={formatMoment(lastUsedAt)}>
              {formatAgo(lastUsedAt)}
            </time>
            {lastUsedFrom === null ? null : <small className={styles["small"]}>{text.usedFrom(lastUsedFrom)}</small>}
          </>
        )}
      </td>
      <td data-label={text.ends} className={styles["nowrap"]}>
        {expiresAt !== null && isPast(expiresAt) ? (
          <span className={styles["bad"]}>{text.expired}</span>
        ) : expiresAt === null ? (
          text.noEnd
        ) : (
          formatDay(expiresAt)
        )}
      </td>
      {onRevoke === null ? null : (
        <td className={styles["actions"]}>
          <div>
            <Button kind="danger" aria-label={text.revokeOf(nameOf(item))} onClick={onRevoke}>
              {text.revoke}
            </Button>
          </div>
        </td>
      )}
    </tr>
  );
}
