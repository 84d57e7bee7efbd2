import { useQuery } from "@tanstack/react-query";
import type { RouterOutputs } from "@zonewright/client";
import { useState } from "react";
import { client, queries } from "../../api.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { formatDay } from "../../ui/format.ts";
import { Failure } from "../../ui/notice.tsx";
import { Card } from "../../ui/page.tsx";
import { toast } from "../../ui/toast.tsx";
import { useAction } from "../../ui/use-action.ts";
import { zoneWords } from "../../words/zone.ts";
import { words } from "../../words/words.ts";
import type { Zone } from "../use-zone.ts";
import styles from "../zone.module.css";
import { AssignDialog } from "./assign-dialog.tsx";
import { hostsText } from "./own-access.tsx";
import { useUserNames } from "./use-user-names.ts";

const text = zoneWords;

type Assignment = RouterOutputs["assignments"]["list"]["assignments"][number];

/** Who is assigned to a domain, for administrators. */
export function Assignments({ zone }: { zone: Zone }) {
  const list = useQuery({
    queryKey: ["assignments", zone.id],
    queryFn: async ({ signal }) => await client.assignments.list.query({ domainId: zone.id, limit: 100 }, { signal }),
  });
  const assignments = list.data?.assignments ?? [];
  const names = useUserNames(assignments.map(({ userId }) => userId));
  const [assigning, setAssigning] = useState(false);
  const [withdrawing, setWithdrawing] = useState<Assignment | null>(null);
  return (
    <Card
      title={text.assignments}
      hint={text.assignmentsHint}
      flush
      action={<Button onClick={() => setAssigning(true)}>{text.assign}</Button>}
    >
      <Failure error={list.error} />
      {list.isSuccess && assignments.length === 0 ? <p className={styles["inset"]}>{text.noAssignments}</p> : null}
      <ul className={styles["list"]} aria-label={text.assignments}>
        {assignments.map((assignment) => (
          <li key={assignment.id} className={styles["item"]}>
            <span>
              {names.get(assignment.userId) ?? "…"}
              <small>
                {text.accesses[assignment.access]}, {formatDay(assignment.createdAt)}
              </small>
            </span>
            <span className={styles["mono"]}>
              {hostsText(assignment.subdomainPattern)}
              <Limits assignment={assignment} />
            </span>
            <Button
              kind="quiet"
              aria-label={text.withdrawTitle(names.get(assignment.userId) ?? "")}
              onClick={() => setWithdrawing(assignment)}
            >
              {text.withdraw}
            </Button>
          </li>
        ))}
      </ul>
      {assigning ? <AssignDialog zone={zone} onClose={() => setAssigning(false)} /> : null}
      {withdrawing ? (
        <WithdrawDialog
          assignment={withdrawing}
          name={names.get(withdrawing.userId) ?? ""}
          onClose={() => setWithdrawing(null)}
        />
      ) : null}
    </Card>
  );
}

/** What else an assignment says: its types, its group or tag, its end. */
function Limits({ assignment: { groupName, tag, recordTypes, review, expiresAt } }: { assignment: Assignment }) {
  const limits = [
    ...(groupName === null ? [] : [text.ofGroup(groupName)]),
    ...(tag === null ? [] : [text.ofTag(tag)]),
    ...(recordTypes.length === 0 ? [] : [recordTypes.join(", ")]),
    ...(review ? [text.reviewing] : []),
    ...(expiresAt === null ? [] : [text.until(formatDay(expiresAt))]),
  ];
  return limits.length === 0 ? null : <small>{limits.join(" · ")}</small>;
}

interface WithdrawProps {
  assignment: Assignment;
  name: string;
  onClose: () => void;
}

function WithdrawDialog({ assignment, name, onClose }: WithdrawProps) {
  const withdraw = useAction(async () => {
    await client.assignments.delete.mutate({ id: assignment.id });
    await queries.invalidateQueries({ queryKey: ["assignments"] });
    toast({ title: text.withdrawn });
    onClose();
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={text.withdrawTitle(name)}
      description={text.withdrawHint}
      footer={
        <>
          <Button onClick={onClose}>{words.ui.cancel}</Button>
          <Button kind="danger" pending={withdraw.pending} onClick={() => void withdraw.run()}>
            {text.withdraw}
          </Button>
        </>
      }
    >
      <p className={styles["mono"]}>
        {hostsText(assignment.subdomainPattern)} · {text.accesses[assignment.access]}
      </p>
      <Failure error={withdraw.error} />
    </Dialog>
  );
}
