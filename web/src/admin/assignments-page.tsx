import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { UserRoundCheck } from "lucide-react";
import { useState } from "react";
import { client } from "../api.ts";
import { useUser } from "../session/current-user.ts";
import { useUserNames } from "../session/use-user-names.ts";
import { Button } from "../ui/button.tsx";
import { formatDay, formatMoment } from "../ui/format.ts";
import { adminWords } from "../words/admin.ts";
import { zoneWords } from "../words/zone.ts";
import { WithdrawDialog, type Assignment } from "../zone/access/assignments.tsx";
import { recordsText } from "../zone/own-rights.ts";
import { AdminOnly } from "./admin-only.tsx";
import { FilteredPage, useFilteredList } from "./filtered-page.tsx";
import { Table } from "./table.tsx";
import styles from "./admin.module.css";

const text = adminWords.assignments;

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
  const list = useFilteredList({
    queryKey: "assignments",
    search,
    onSearch: (next, replace) => void navigate({ search: next, replace }),
    read: async (asked, signal) => await client.assignments.list.query(asked, { signal }),
  });
  const assignments = list.data?.assignments ?? [];
  const names = useUserNames(assignments.map(({ userId }) => userId));
  const [withdrawing, setWithdrawing] = useState<Assignment | null>(null);
  return (
    <FilteredPage text={text} list={list} icon={<UserRoundCheck aria-hidden />}>
      {assignments.length > 0 ? (
        <Table columns={[text.member, text.zones, text.records, text.may, text.ends]} hasActions={isAdmin}>
          {assignments.map((assignment) => (
            <Row
              key={assignment.id}
              assignment={assignment}
              name={names.get(assignment.userId)}
              onMember={() => list.filter({ owner: assignment.userId })}
              onWithdraw={isAdmin ? () => setWithdrawing(assignment) : null}
            />
          ))}
        </Table>
      ) : null}
      {withdrawing ? (
        <WithdrawDialog
          assignment={withdrawing}
          name={names.get(withdrawing.userId) ?? ""}
          onClose={() => setWithdrawing(null)}
        />
      ) : null}
    </FilteredPage>
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
