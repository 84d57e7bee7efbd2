import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useDeferredValue } from "react";
import { client } from "../api.ts";
import { useUserNames } from "../session/use-user-names.ts";
import { Button } from "../ui/button.tsx";
import { formatNumber } from "../ui/format.ts";
import { Failure } from "../ui/notice.tsx";
import { Empty, Page } from "../ui/page.tsx";
import { adminWords } from "../words/admin.ts";
import { AdminOnly } from "./admin-only.tsx";
import { AuditExport } from "./audit-export.tsx";
import { AuditFilters } from "./audit-filters.tsx";
import { AuditRow, otherUser } from "./audit-row.tsx";
import { Table } from "./table.tsx";
import { useTypedZone } from "./typed-zone.ts";
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
    void navigate({ search: (present) => ({ ...present, before: undefined, ...changes }), replace: true });
  const { actor, action, target, domain, zone, from, until, before } = useDeferredValue(search);
  const typed = useTypedZone(zone);
  const filters = {
    actorId: actor,
    action,
    targetId: target,
    domainId: domain ?? typed.id,
    from: startOf(from, 0),
    // The last day is part of what is shown.
    to: startOf(until, 1),
  };
  const { data: answer, error } = useQuery({
    queryKey: ["audit", filters, typed.key, before],
    placeholderData: keepPreviousData,
    enabled: typed.isReady,
    queryFn: async ({ signal }) =>
      // To count a long trail takes longer than to read a page of it.
      await client.audit.list.query({ ...filters, before, limit: pageSize, count: "false" }, { signal }),
  });
  const data = typed.isUnknown ? undefined : answer;
  const { data: total } = useQuery({
    queryKey: ["audit", filters, typed.key, "total"],
    placeholderData: keepPreviousData,
    enabled: typed.isReady && data !== undefined,
    queryFn: async ({ signal }) => (await client.audit.list.query({ ...filters, limit: 1 }, { signal })).total,
  });
  const entries = data?.entries ?? [];
  const others = useUserNames(entries.flatMap((entry) => otherUser(entry) ?? []));
  const last = entries.at(-1);
  return (
    <Page
      title={text.title}
      subtitle={
        total === undefined || typed.isUnknown ? null : total === 1 ? text.one : text.count(formatNumber(total))
      }
      actions={<AuditExport filters={filters} disabled={!typed.isReady || entries.length === 0} />}
    >
      <AuditFilters
        search={search}
        zone={
          zone ?? (domain === undefined ? "" : (entries.find(({ domainId }) => domainId === domain)?.domainName ?? ""))
        }
        zoneError={typed.fault && adminWords.zoneFaults[typed.fault]}
        onFilter={filter}
        onClear={() => void navigate({ search: {}, replace: true })}
      />
      <Failure error={error ?? typed.error} />
      {data && entries.length === 0 ? <Empty title={text.noneFound} /> : null}
      {entries.length > 0 ? (
        <Table columns={[text.what, text.when, text.address]}>
          {entries.map((entry) => (
            <AuditRow key={entry.id} entry={entry} names={others} onFilter={filter} />
          ))}
        </Table>
      ) : null}
      {before !== undefined || (data?.total ?? 0) > pageSize ? (
        <div className={styles["turn"]}>
          {before === undefined ? null : (
            <Button onClick={() => void navigate({ search: (present) => ({ ...present, before: undefined }) })}>
              {text.newest}
            </Button>
          )}
          <Button
            disabled={(data?.total ?? 0) <= pageSize}
            onClick={() => void navigate({ search: (present) => ({ ...present, before: last?.id }) })}
          >
            {text.older}
          </Button>
        </div>
      ) : null}
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
