import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { RouterInputs } from "@zonewright/client";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useDeferredValue, useState } from "react";
import { client } from "../api.ts";
import { useUser } from "../session/current-user.ts";
import { Button } from "../ui/button.tsx";
import { formatAgo, formatNumber } from "../ui/format.ts";
import field from "../ui/field.module.css";
import { Failure } from "../ui/notice.tsx";
import { Empty, Page } from "../ui/page.tsx";
import { Pager } from "../ui/pager.tsx";
import { adminWords } from "../words/admin.ts";
import { words } from "../words/words.ts";
import { AdminOnly } from "./admin-only.tsx";
import { DeleteUser } from "./user-delete.tsx";
import { UserForm } from "./user-form.tsx";
import type { ManagedUser } from "./users.ts";
import { WaysIn } from "./ways-in.tsx";
import { RowMenu, Table } from "./table.tsx";
import styles from "./admin.module.css";

const text = adminWords.users;

type Role = RouterInputs["users"]["list"]["role"];

const pageSize = 50;

/** The users of the service. Auditors read them. */
export function UsersPage() {
  return (
    <AdminOnly auditors>
      <Users />
    </AdminOnly>
  );
}

type Open = { what: "add" } | { what: "edit" | "ways" | "delete"; user: ManagedUser };

function Users() {
  const search = useSearch({ from: "/inside/admin/users" });
  const navigate = useNavigate({ from: "/admin/users" });
  const filter = (changes: Partial<typeof search>) =>
    void navigate({ search: (before) => ({ ...before, page: undefined, ...changes }), replace: true });
  const filters = useDeferredValue({ search: search.search, role: search.role as Role });
  const page = Math.max(1, Math.trunc(Number(search.page ?? 1)) || 1);
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ["users", filters, page],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => await client.users.list.query({ ...filters, page, limit: pageSize }, { signal }),
  });
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  const total = data?.total ?? 0;
  const manages = useUser().role === "admin";
  return (
    <Page
      title={text.title}
      subtitle={data ? (total === 1 ? text.one : text.count(formatNumber(total))) : null}
      actions={
        manages ? (
          <Button kind="primary" onClick={() => setOpen({ what: "add" })}>
            <Plus aria-hidden /> {text.add}
          </Button>
        ) : null
      }
    >
      <div className={styles["tools"]}>
        <input
          type="search"
          className={field["input"]}
          placeholder={text.search}
          aria-label={text.search}
          maxLength={256}
          value={search.search ?? ""}
          onChange={(event) => filter({ search: event.target.value || undefined })}
        />
        <select
          className={field["input"]}
          aria-label={text.role}
          value={search.role ?? ""}
          onChange={(event) => filter({ role: event.target.value || undefined })}
        >
          <option value="">{text.anyRole}</option>
          {Object.entries(text.roles).map(([role, label]) => (
            <option key={role} value={role}>
              {label}
            </option>
          ))}
        </select>
      </div>
      <Failure error={error} />
      {data && total === 0 ? <Empty title={text.noneFound} /> : null}
      {data && data.users.length > 0 ? (
        <Table
          columns={[text.user, text.role, text.state, { label: text.domains, isNumber: true }, text.lastSignIn]}
          hasActions
        >
          {data.users.map((user) => (
            <Row key={user.id} user={user} manages={manages} onOpen={(what) => setOpen({ what, user })} />
          ))}
        </Table>
      ) : null}
      <Pager
        page={page}
        pages={Math.ceil(total / pageSize)}
        isKnown={data !== undefined && !isPlaceholderData}
        onPage={(next, replace) => void navigate({ search: (before) => ({ ...before, page: String(next) }), replace })}
      />
      {open?.what === "add" ? <UserForm user={null} onClose={close} /> : null}
      {open?.what === "edit" ? <UserForm user={open.user} onClose={close} /> : null}
      {open?.what === "ways" ? <WaysIn user={open.user} onClose={close} /> : null}
      {open?.what === "delete" ? <DeleteUser user={open.user} onClose={close} /> : null}
    </Page>
  );
}

interface RowProps {
  user: ManagedUser;
  /** Whether the reader may change users. */
  manages: boolean;
  onOpen: (what: "edit" | "ways" | "delete") => void;
}

function Row({ user, manages, onOpen }: RowProps) {
  const navigate = useNavigate();
  const onAssignments = () => void navigate({ to: "/admin/assignments", search: { owner: user.id } });
  const self = useUser().id === user.id;
  const address = user.email === null ? null : user.emailVerified ? user.email : `${user.email} (${text.unverified})`;
  const about = [user.displayName, address].filter((each) => each !== null && each !== "").join(" · ");
  return (
    <tr>
      <td className={styles["main"]}>
        {user.username} {self ? <span className={styles["chip"]}>{text.you}</span> : null}
        {about === "" ? null : <small>{about}</small>}
      </td>
      <td>{text.roles[user.role]}</td>
      <td className={user.disabled ? styles["bad"] : ""}>
        <i className={styles["dot"]} data-state={user.disabled ? "bad" : "good"} aria-hidden />
        {user.disabled ? text.disabled : text.active}
      </td>
      <td className={styles["number"]} data-unit={text.owned(user.domainCount)}>
        {formatNumber(user.domainCount)}
      </td>
      <td className={styles["nowrap"]} data-label={text.lastSignIn}>
        {user.lastLoginAt === null ? words.ui.never : formatAgo(user.lastLoginAt)}
      </td>
      <td className={styles["actions"]}>
        <div>
          {manages ? (
            <RowMenu
              label={text.more(user.username)}
              groups={[
                [
                  { id: "edit", label: text.edit, run: () => onOpen("edit") },
                  { id: "ways", label: text.waysIn, run: () => onOpen("ways") },
                  ...(user.role === "member"
                    ? [{ id: "assignments", label: text.assignments, run: onAssignments }]
                    : []),
                ],
                [{ id: "delete", label: text.delete, run: () => onOpen("delete"), danger: true, disabled: self }],
              ]}
            />
          ) : (
            <Button aria-label={text.waysInto(user.username)} onClick={() => onOpen("ways")}>
              {text.waysIn}
            </Button>
          )}
        </div>
      </td>
    </tr>
  );
}
