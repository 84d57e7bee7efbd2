import { useQuery } from "@tanstack/react-query";
import type { RouterOutputs } from "@zonewright/client";
import { useDeferredValue, useState } from "react";
import { client, issueOf, queries } from "../../api.ts";
import { useUser } from "../../session/current-user.ts";
import { useUserNames } from "../../session/use-user-names.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { CheckField, Form, SelectField, TextField } from "../../ui/field.tsx";
import { formatDay } from "../../ui/format.ts";
import { Failure, Notice } from "../../ui/notice.tsx";
import { Card } from "../../ui/page.tsx";
import { Pager } from "../../ui/pager.tsx";
import { meantPerson, PersonField, type Person } from "../../ui/person-field.tsx";
import { toast } from "../../ui/toast.tsx";
import { useAction } from "../../ui/use-action.ts";
import { zoneWords } from "../../words/zone.ts";
import { words } from "../../words/words.ts";
import { typeList } from "../lists.ts";
import type { Zone } from "../use-zone.ts";
import styles from "../zone.module.css";
import { recordsText } from "../own-rights.ts";

const text = zoneWords;
const pageSize = 50;

export type Assignment = RouterOutputs["assignments"]["list"]["assignments"][number];
type Access = Assignment["access"];

/** Who is assigned to a domain, for administrators; auditors only read it. */
export function Assignments({ zone }: { zone: Zone }) {
  const isAdmin = useUser().role === "admin";
  const [page, setPage] = useState(1);
  const list = useQuery({
    queryKey: ["assignments", zone.id, page],
    queryFn: async ({ signal }) =>
      await client.assignments.list.query({ domainId: zone.id, page, limit: pageSize }, { signal }),
    placeholderData: (before) => before,
  });
  const { assignments = [], total = 0 } = list.data ?? {};
  const names = useUserNames(assignments.map(({ userId }) => userId));
  const [assigning, setAssigning] = useState(false);
  const [withdrawing, setWithdrawing] = useState<Assignment | null>(null);
  return (
    <Card
      title={text.assignments}
      hint={text.assignmentsHint}
      flush
      action={isAdmin ? <Button onClick={() => setAssigning(true)}>{text.assign}</Button> : null}
    >
      <Failure error={list.error} />
      {list.isSuccess && total === 0 ? <p className={styles["inset"]}>{text.noAssignments}</p> : null}
      <ul className={styles["list"]} aria-label={text.assignments}>
        {assignments.map((assignment) => (
          <li key={assignment.id} className={styles["item"]}>
            <span>
              {names.get(assignment.userId) ?? "…"}
              <small>{factsOf(assignment).join(", ")}</small>
            </span>
            <span className={styles["mono"]}>{recordsText(assignment)}</span>
            {isAdmin ? (
              <Button
                kind="quiet"
                aria-label={text.withdrawTitle(names.get(assignment.userId) ?? "")}
                onClick={() => setWithdrawing(assignment)}
              >
                {text.withdraw}
              </Button>
            ) : null}
          </li>
        ))}
      </ul>
      <div className={total > pageSize ? styles["inset"] : undefined}>
        <Pager
          page={page}
          pages={Math.ceil(total / pageSize)}
          isKnown={list.isSuccess && !list.isPlaceholderData}
          onPage={setPage}
        />
      </div>
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

/** What an assignment lets a member do, and where it comes from. */
function factsOf({ access, groupName, tag, review, expiresAt, createdAt }: Assignment): string[] {
  return [
    text.accesses[access],
    ...(groupName === null ? [] : [text.byGroup(groupName)]),
    ...(tag === null ? [] : [text.byTag(tag)]),
    ...(review ? [text.reviewer] : []),
    expiresAt === null ? text.granted(formatDay(createdAt)) : text.until(formatDay(expiresAt)),
  ];
}

function AssignDialog({ zone, onClose }: { zone: Zone; onClose: () => void }) {
  const [search, setSearch] = useState("");
  const [picked, setPicked] = useState<Person | null>(null);
  const [hosts, setHosts] = useState("*");
  const [access, setAccess] = useState<Access>("read");
  const [covers, setCovers] = useState("domain");
  const [types, setTypes] = useState("");
  const [review, setReview] = useState(false);
  const [ends, setEnds] = useState("");
  const [tried, setTried] = useState(false);
  const wanted = useDeferredValue(search.trim());
  const {
    data: found = [],
    error,
    isPlaceholderData,
  } = useQuery({
    queryKey: ["members", wanted],
    queryFn: async ({ signal }) =>
      (await client.users.list.query({ role: "member", limit: 100, search: wanted || undefined }, { signal })).users,
    placeholderData: (before) => before,
  });
  const members = found.map(({ id, username, displayName }) => ({ id, username, detail: displayName }));
  const isFound = !isPlaceholderData && wanted === search.trim();
  const chosen = meantPerson(picked, search, members, isFound);
  const create = useAction(async () => {
    await client.assignments.create.mutate({
      ...subjectOf(covers, zone),
      userId: chosen?.id ?? "",
      subdomainPattern: hosts,
      access,
      recordTypes: typeList(types),
      review,
      expiresAt: ends === "" ? null : new Date(`${ends}T23:59:59`),
    });
    await queries.invalidateQueries({ queryKey: ["assignments"] });
    toast({ title: text.assigned(chosen?.username ?? "") });
    onClose();
  });
  const isAtField = ["userId", "subdomainPattern", "recordTypes", "expiresAt"].some((field) =>
    issueOf(create.error, field),
  );
  const submit = () => {
    setTried(true);
    if (chosen !== null) void create.run();
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={text.assignTitle}
      footer={
        <>
          <Button onClick={onClose}>{words.ui.cancel}</Button>
          <Button kind="primary" pending={create.pending} onClick={submit}>
            {text.assign.replace("…", "")}
          </Button>
        </>
      }
    >
      <Form onSubmit={submit}>
        <PersonField
          label={text.member}
          placeholder={text.memberSearch}
          none={text.memberNone}
          search={search}
          onSearch={setSearch}
          people={members}
          isFound={isFound}
          chosen={picked}
          onChoose={setPicked}
          error={tried && chosen === null ? text.memberChoose : issueOf(create.error, "userId")}
        />
        <TextField
          label={text.hosts}
          hint={text.hostsHint}
          mono
          value={hosts}
          onValue={setHosts}
          error={issueOf(create.error, "subdomainPattern")}
        />
        <AccessField choices={["read", "propose", "write"]} value={access} onValue={setAccess} />
        {zone.groupName === null && zone.tags.length === 0 ? null : (
          <SelectField
            label={text.covers}
            value={covers}
            onValue={setCovers}
            options={[
              { value: "domain", label: text.thisDomain },
              ...(zone.groupName === null ? [] : [{ value: "group", label: text.ofGroup(zone.groupName) }]),
              ...zone.tags.map((tag) => ({ value: `tag ${tag}`, label: text.ofTag(tag) })),
            ]}
          />
        )}
        <TextField
          label={text.types}
          hint={text.typesHint}
          mono
          value={types}
          onValue={setTypes}
          error={issueOf(create.error, "recordTypes")}
        />
        <TextField
          label={text.endsOn}
          hint={text.endsHint}
          type="date"
          value={ends}
          onValue={setEnds}
          error={issueOf(create.error, "expiresAt")}
        />
        <CheckField label={text.mayReview} checked={review} onValue={setReview} />
        <Failure error={error ?? (isAtField ? null : create.error)} />
      </Form>
    </Dialog>
  );
}

/** The domains that an assignment is about. */
function subjectOf(covers: string, zone: Zone) {
  if (covers === "group" && zone.groupName !== null) return { groupName: zone.groupName };
  return covers.startsWith("tag ") ? { tag: covers.slice(4) } : { domainId: zone.id };
}

interface AccessFieldProps<Choice extends Access> {
  choices: readonly Choice[];
  value: Choice;
  onValue: (access: Choice) => void;
}

/** What a member may do with records. */
export function AccessField<Choice extends Access>({ choices, value, onValue }: AccessFieldProps<Choice>) {
  return (
    <SelectField
      label={text.access}
      value={value}
      options={choices.map((access) => ({ value: access, label: text.accesses[access] }))}
      onValue={onValue}
    />
  );
}

interface WithdrawProps {
  assignment: Assignment;
  name: string;
  onClose: () => void;
}

/** Asks before an assignment ends. */
export function WithdrawDialog({ assignment, name, onClose }: WithdrawProps) {
  const { groupName, tag } = assignment;
  const wider = groupName !== null ? text.byGroup(groupName) : tag !== null ? text.byTag(tag) : null;
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
        {[assignment.domainName, recordsText(assignment), text.accesses[assignment.access]].filter(Boolean).join(" · ")}
      </p>
      {wider === null ? null : <Notice kind="warning">{text.withdrawAll(wider)}</Notice>}
      <Failure error={withdraw.error} />
    </Dialog>
  );
}
