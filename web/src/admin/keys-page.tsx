import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { RouterOutputs } from "@zonewright/client";
import { KeySquare } from "lucide-react";
import { useState } from "react";
import { client, queries } from "../api.ts";
import { useUser } from "../session/current-user.ts";
import { AskFirst } from "../ui/ask-first.tsx";
import { Button } from "../ui/button.tsx";
import { formatAgo, formatDay, formatMoment, formatNumber } from "../ui/format.ts";
import { Failure } from "../ui/notice.tsx";
import { Empty, Page } from "../ui/page.tsx";
import { Pager } from "../ui/pager.tsx";
import { toast } from "../ui/toast.tsx";
import { useQueue } from "../ui/use-queue.ts";
import { adminWords } from "../words/admin.ts";
import { ZoneField } from "../zone/zone-field.tsx";
import { AdminOnly } from "./admin-only.tsx";
import { PersonFilter } from "./person-filter.tsx";
import { Table } from "./table.tsx";
import { useTypedZone } from "./typed-zone.ts";
import styles from "./admin.module.css";

const text = adminWords.keys;
const pageSize = 50;

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
  const filter = (changes: Partial<typeof search>) =>
    void navigate({ search: (before) => ({ ...before, page: undefined, ...changes }), replace: true });
  /** How often all filters were cleared, with what was typed for an owner. */
  const [clears, setClears] = useState(0);
  const zone = useTypedZone(search.zone);
  const page = Math.max(1, Math.trunc(Number(search.page ?? 1)) || 1);
  const filters = { userId: search.owner, domainId: zone.id };
  const {
    data: answer,
    error,
    isPlaceholderData,
  } = useQuery({
    queryKey: ["tsig-keys", "all", filters, zone.key, page],
    placeholderData: keepPreviousData,
    enabled: zone.isReady,
    queryFn: async ({ signal }) =>
      await client.tsigKeys.listAll.query({ ...filters, page, limit: pageSize }, { signal }),
  });
  const data = zone.isUnknown ? undefined : answer;
  const [asked, setAsked] = useState<Key | null>(null);
  const revoke = useQueue(async (key: Key) => {
    await client.tsigKeys.revoke.mutate({ id: key.id });
    await queries.invalidateQueries({ queryKey: ["tsig-keys"] });
    toast({ title: text.revoked(nameOf(key)) });
  });
  const total = data?.total ?? 0;
  const isFiltered = search.owner !== undefined || search.zone !== undefined;
  return (
    <Page title={text.title} subtitle={data ? (total === 1 ? text.one : text.count(formatNumber(total))) : null}>
      <p className={styles["lead"]}>{text.hint}</p>
      {isFiltered || total > 0 ? (
        <div className={styles["picks"]}>
          <PersonFilter key={clears} text={text} present={search.owner} onPerson={(id) => filter({ owner: id })} />
          <ZoneField
            label={text.zone}
            hint={null}
            value={search.zone ?? ""}
            error={zone.fault && adminWords.zoneFaults[zone.fault]}
            onValue={(typed) => filter({ zone: typed || undefined })}
          />
          {isFiltered ? (
            <Button
              kind="quiet"
              onClick={() => {
                setClears(clears + 1);
                void navigate({ search: {}, replace: true });
              }}
            >
              {text.clear}
            </Button>
          ) : null}
        </div>
      ) : null}
      <Failure error={error ?? zone.error ?? revoke.error} />
      {data && total === 0 ? (
        isFiltered ? (
          <Empty title={text.noneFound} />
        ) : (
          <Empty icon={<KeySquare aria-hidden />} title={text.emptyTitle}>
            {text.empty}
          </Empty>
        )
      ) : null}
      {data && data.keys.length > 0 ? (
        <Table columns={[text.key, text.owner, text.zone, text.covers, text.used, text.ends]} hasActions={isAdmin}>
          {data.keys.map((key) => (
            <Row
              key={key.id}
              item={key}
              onOwner={() => filter({ owner: key.userId })}
              onRevoke={isAdmin ? () => setAsked(key) : null}
            />
          ))}
        </Table>
      ) : null}
      <Pager
        page={page}
        pages={Math.ceil(total / pageSize)}
        isKnown={data !== undefined && !isPlaceholderData}
        onPage={(next, replace) => void navigate({ search: (before) => ({ ...before, page: String(next) }), replace })}
      />
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
    </Page>
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
