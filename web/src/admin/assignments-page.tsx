import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { UserRoundCheck } from "lucide-react";
import { useState } from "react";
import { client } from "../api.ts";
import { useUser } from "../session/current-user.ts";
import { useUserNames } from "../session/use-user-names.ts";
import { Button } from "../ui/button.tsx";
import { formatDay, formatMoment, formatNumber } from "../ui/format.ts";
import { Failure } from "../ui/notice.tsx";
import { Empty, Page } from "../ui/page.tsx";
import { Pager } from "../ui/pager.tsx";
import { adminWords } from "../words/admin.ts";
import { zoneWords } from "../words/zone.ts";
import { WithdrawDialog, type Assignment } from "../zone/access/assignments.tsx";
import { recordsText } from "../zone/own-rights.ts";
import { ZoneField } from "../zone/zone-field.tsx";
import { AdminOnly } from "./admin-only.tsx";
import { PersonFilter } from "./person-filter.tsx";
import { Table } from "./table.tsx";
import { useTypedZone } from "./typed-zone.ts";
import styles from "./admin.module.css";

const text = adminWords.assignments;
const pageSize = 50;

/** What was assigned to everybody or to one person, over all zones, and when it ends. Administrators withdraw it. */
export function AssignmentsPage() {
  return (
    <AdminOnly auditors>
      <Assignments />
    </AdminOnly>
  );
}

function Assignments() {
  const isAdmin = useUser().role === "admin";
  const search = useSearch({ from: "/inside/admin/assignments" });
  const navigate = useNavigate({ from: "/admin/assignments" });
  const filter = (changes: Partial<typeof search>) =>
    void navigate({ search: (before) => ({ ...before, page: undefined, ...changes }), replace: true });
  /** How often all filters were cleared, with what was typed for a person. */
  const [clears, setClears] = useState(0);
  const zone = useTypedZone(search.zone);
  const page = Math.max(1, Math.trunc(Number(search.page ?? 1)) || 1);
  const filters = { userId: search.owner, domainId: zone.id };
  const {
    data: answer,
    error,
    isPlaceholderData,
  } = useQuery({
    queryKey: ["assignments", "all", filters, zone.key, page],
    placeholderData: keepPreviousData,
    enabled: zone.isReady,
    queryFn: async ({ signal }) =>
      await client.assignments.list.query({ ...filters, page, limit: pageSize }, { signal }),
  });
  const data = zone.isUnknown ? undefined : answer;
  const names = useUserNames((data?.assignments ?? []).map(({ userId }) => userId));
  const [withdrawing, setWithdrawing] = useState<Assignment | null>(null);
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
      <Failure error={error ?? zone.error} />
      {data && total === 0 ? (
        isFiltered ? (
          <Empty title={text.noneFound} />
        ) : (
          <Empty icon={<UserRoundCheck aria-hidden />} title={text.emptyTitle}>
            {text.empty}
          </Empty>
        )
      ) : null}
      {data && data.assignments.length > 0 ? (
        <Table columns={[text.member, text.zones, text.records, text.may, text.ends]} hasActions={isAdmin}>
          {data.assignments.map((assignment) => (
            <Row
              key={assignment.id}
              assignment={assignment}
              name={names.get(assignment.userId)}
              onMember={() => filter({ owner: assignment.userId })}
              onWithdraw={isAdmin ? () => setWithdrawing(assignment) : null}
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
      {withdrawing ? (
        <WithdrawDialog
          assignment={withdrawing}
          name={names.get(withdrawing.userId) ?? ""}
          onClose={() => setWithdrawing(null)}
        />
      ) : null}
    </Page>
  );
}

interface RowProps {
  assignment: Assignment;
  /** Undefined until it is known. */
  name: string | null | undefined;
  onMember: () => void;
  /** Null for those who only read. */
  onWithdraw: (() => void) | null;
}

function Row({ assignment, name, onMember, onWithdraw }: RowProps) {
  const { domainName, groupName, tag, access, review, fromGroup, expiresAt } = assignment;
  const may = [zoneWords.accesses[access], ...(review ? [zoneWords.reviewer] : [])];
  return (
    <tr>
      <td className={styles["main"]}>
        <button type="button" className={styles["link"]} onClick={onMember}>
          {name ?? "…"}
        </button>
        {fromGroup ? <small>{text.fromGroup}</small> : null}
      </td>
      <td data-label={text.zones}>
        {groupName !== null ? (
          text.group(groupName)
        ) : tag !== null ? (
          text.tag(tag)
        ) : (
          <Link to="/d/$name/access" params={{ name: domainName }} className={styles["link"]} preload={false}>
            {domainName}
          </Link>
        )}
      </td>
      <td data-label={text.records}>{recordsText(assignment)}</td>
      <td data-label={text.may}>{may.join(", ")}</td>
      <td data-label={text.ends} className={styles["nowrap"]}>
        {expiresAt === null ? (
          text.noEnd
        ) : (
          <time dateTime={expiresAt.toISOString()} title={formatMoment(expiresAt)}>
            {formatDay(expiresAt)}
          </time>
        )}
      </td>
      {onWithdraw === null ? null : (
        <td className={styles["actions"]}>
          <div>
            <Button kind="quiet" aria-label={zoneWords.withdrawTitle(name ?? "")} onClick={onWithdraw}>
              {zoneWords.withdraw}
            </Button>
          </div>
        </td>
      )}
    </tr>
  );
}
