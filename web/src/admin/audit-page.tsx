import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useDeferredValue } from "react";
import { client } from "../api.ts";
import { useUserNames } from "../session/use-user-names.ts";
import { Button } from "../ui/button.tsx";
import field from "../ui/field.module.css";
import { formatNumber } from "../ui/format.ts";
import { Failure } from "../ui/notice.tsx";
import { Empty, Page } from "../ui/page.tsx";
import { Pager } from "../ui/pager.tsx";
import { adminWords } from "../words/admin.ts";
import { AdminOnly } from "./admin-only.tsx";
import { AuditRow } from "./audit-row.tsx";
import { Table } from "./table.tsx";
import styles from "./admin.module.css";

const text = adminWords.audit;
const pageSize = 50;

/** Who did what in the service, for administrators and auditors. */
export function AuditPage() {
  return (
    <AdminOnly auditors>
      <Trail />
    </AdminOnly>
  );
}

function Trail() {
  const search = useSearch({ from: "/inside/admin/audit" });
  const navigate = useNavigate({ from: "/admin/audit" });
  const filter = (changes: Partial<typeof search>) =>
    void navigate({ search: (before) => ({ ...before, page: undefined, ...changes }), replace: true });
  const { actor, action, target, from, until } = useDeferredValue(search);
  const page = Math.max(1, Math.trunc(Number(search.page ?? 1)) || 1);
  const filters = {
    actorId: actor,
    action,
    targetId: target,
    from: startOf(from, 0),
    // The last day is part of what is shown.
    to: startOf(until, 1),
  };
  const { data, error } = useQuery({
    queryKey: ["audit", filters, page],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => await client.audit.list.query({ ...filters, page, limit: pageSize }, { signal }),
  });
  const names = useUserNames(data?.entries.flatMap(({ actorId }) => actorId ?? []) ?? []);
  const total = data?.total ?? 0;
  const isFiltered = [search.actor, search.action, search.target, search.from, search.until].some(Boolean);
  return (
    <Page title={text.title} subtitle={data ? (total === 1 ? text.one : text.count(formatNumber(total))) : null}>
      <div className={styles["tools"]}>
        <input
          type="search"
          className={field["input"]}
          placeholder={text.actionExample}
          aria-label={text.action}
          maxLength={64}
          value={search.action ?? ""}
          onChange={(event) => filter({ action: event.target.value || undefined })}
        />
        {(["from", "until"] as const).map((bound) => (
          <label key={bound} className={styles["day"]}>
            {text[bound]}
            <input
              type="date"
              className={field["input"]}
              value={search[bound] ?? ""}
              onChange={(event) => filter({ [bound]: event.target.value || undefined })}
            />
          </label>
        ))}
        {isFiltered ? (
          <Button kind="quiet" onClick={() => void navigate({ search: {}, replace: true })}>
            {text.clear}
          </Button>
        ) : null}
      </div>
      <Failure error={error} />
      {data && total === 0 ? <Empty title={text.noneFound} /> : null}
      {data && data.entries.length > 0 ? (
        <Table columns={[text.action, text.who, text.target, text.when, text.address]}>
          {data.entries.map((entry) => (
            <AuditRow key={entry.id} entry={entry} names={names} onFilter={filter} />
          ))}
        </Table>
      ) : null}
      <Pager
        page={page}
        pages={Math.ceil(total / pageSize)}
        onPage={(next) => void navigate({ search: (before) => ({ ...before, page: String(next) }) })}
      />
    </Page>
  );
}

/** The start of a day of the address, here, some days later; undefined for anything else. */
function startOf(day: string | undefined, later: number): Date | undefined {
  if (day === undefined || !/^\d{4}-\d\d-\d\d$/.test(day)) return undefined;
  const start = new Date(`${day}T00:00`);
  start.setDate(start.getDate() + later);
  return Number.isNaN(start.getTime()) ? undefined : start;
}
