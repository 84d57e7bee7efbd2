import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { RouterOutputs } from "@zonewright/client";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Plus, Ticket } from "lucide-react";
import { useState } from "react";
import { client, queries } from "../api.ts";
import { AskFirst } from "../ui/ask-first.tsx";
import { Button } from "../ui/button.tsx";
import { formatAgo, formatDay, formatNumber } from "../ui/format.ts";
import { Failure } from "../ui/notice.tsx";
import { Empty, Page } from "../ui/page.tsx";
import { toast } from "../ui/toast.tsx";
import { useQueue } from "../ui/use-queue.ts";
import { Pager } from "../ui/pager.tsx";
import { adminWords } from "../words/admin.ts";
import { words } from "../words/words.ts";
import { AdminOnly } from "./admin-only.tsx";
import { NewInvitation } from "./invitation-new.tsx";
import { Table } from "./table.tsx";
import styles from "./admin.module.css";

const text = adminWords.invitations;

type Invitation = RouterOutputs["invitations"]["list"]["invitations"][number];

const pageSize = 50;

/** Invitations to register. */
export function InvitationsPage() {
  return (
    <AdminOnly>
      <Invitations />
    </AdminOnly>
  );
}

function Invitations() {
  const search = useSearch({ from: "/inside/admin/invitations" });
  const navigate = useNavigate({ from: "/admin/invitations" });
  const page = Math.max(1, Math.trunc(Number(search.page ?? 1)) || 1);
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ["invitations", page],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => await client.invitations.list.query({ page, limit: pageSize }, { signal }),
  });
  const [adding, setAdding] = useState(false);
  const [leaving, setLeaving] = useState<Invitation | null>(null);
  const withdraw = useQueue(async ({ id }: Invitation) => {
    await client.invitations.delete.mutate({ id });
    await queries.invalidateQueries({ queryKey: ["invitations"] });
    toast({ title: text.withdrawn });
  });
  const total = data?.total ?? 0;
  const add = (
    <Button kind="primary" onClick={() => setAdding(true)}>
      <Plus aria-hidden /> {text.add}
    </Button>
  );
  const none = data !== undefined && total === 0;
  return (
    <Page title={text.title} actions={none ? null : add}>
      <Failure error={error ?? withdraw.error} />
      {none ? (
        <Empty icon={<Ticket aria-hidden />} title={text.emptyTitle} action={add}>
          {text.empty}
        </Empty>
      ) : null}
      {data && data.invitations.length > 0 ? (
        <Table columns={[text.role, text.state, text.uses, text.expires, text.created]} hasActions>
          {data.invitations.map((invitation) => (
            <tr key={invitation.id}>
              <td className={styles["main"]}>{adminWords.users.roles[invitation.role]}</td>
              <td>
                <i
                  className={styles["dot"]}
                  data-state={invitation.state === "open" ? "good" : undefined}
                  aria-hidden
                />
                {text.states[invitation.state]}
              </td>
              <td data-label={text.uses}>
                {text.usesOf(formatNumber(invitation.uses), formatNumber(invitation.maxUses))}
              </td>
              <td data-label={text.expires}>
                {invitation.expiresAt === null ? words.ui.never : formatDay(invitation.expiresAt)}
              </td>
              <td data-label={text.created}>{formatAgo(invitation.createdAt)}</td>
              <td className={styles["actions"]}>
                <div>
                  <Button
                    kind="danger"
                    aria-label={text.withdrawOf(formatAgo(invitation.createdAt))}
                    onClick={() => setLeaving(invitation)}
                  >
                    {text.withdraw}
                  </Button>
                </div>
              </td>
            </tr>
          ))}
        </Table>
      ) : null}
      <Pager
        page={page}
        pages={Math.ceil(total / pageSize)}
        isKnown={data !== undefined && !isPlaceholderData}
        onPage={(next, replace) => void navigate({ search: { page: String(next) }, replace })}
      />
      {adding ? <NewInvitation onClose={() => setAdding(false)} /> : null}
      {leaving ? (
        <AskFirst
          title={text.withdrawTitle}
          action={text.withdraw}
          onConfirm={() => void withdraw.run(leaving)}
          onClose={() => setLeaving(null)}
        >
          {text.withdrawHint}
        </AskFirst>
      ) : null}
    </Page>
  );
}
