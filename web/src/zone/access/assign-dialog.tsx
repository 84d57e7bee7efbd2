import { useQuery } from "@tanstack/react-query";
import type { RouterOutputs } from "@zonewright/client";
import { useDeferredValue, useState } from "react";
import { client, issueOf, queries } from "../../api.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { CheckField, Form, SelectField, TextField } from "../../ui/field.tsx";
import { Failure } from "../../ui/notice.tsx";
import { toast } from "../../ui/toast.tsx";
import { useAction } from "../../ui/use-action.ts";
import { words } from "../../words/words.ts";
import { zoneWords } from "../../words/zone.ts";
import type { Zone } from "../use-zone.ts";
import { AccessField } from "./access-field.tsx";

const text = zoneWords;

type Access = RouterOutputs["assignments"]["list"]["assignments"][number]["access"];

/** Assigns a domain, or all domains in its group or with one of its tags. */
export function AssignDialog({ zone, onClose }: { zone: Zone; onClose: () => void }) {
  const [search, setSearch] = useState("");
  const [userId, setUserId] = useState("");
  const [hosts, setHosts] = useState("*");
  const [access, setAccess] = useState<Access>("read");
  const [where, setWhere] = useState("domain");
  const [types, setTypes] = useState("");
  const [end, setEnd] = useState("");
  const [review, setReview] = useState(false);
  const [tried, setTried] = useState(false);
  const wanted = useDeferredValue(search.trim());
  const { data: members = [], error } = useQuery({
    queryKey: ["members", wanted],
    queryFn: async ({ signal }) =>
      (await client.users.list.query({ role: "member", limit: 100, search: wanted || undefined }, { signal })).users,
    placeholderData: (before) => before,
  });
  const chosen = members.some(({ id }) => id === userId) ? userId : members.length === 1 ? (members[0]?.id ?? "") : "";
  const create = useAction(async () => {
    await client.assignments.create.mutate({
      ...targetOf(zone, where),
      userId: chosen,
      subdomainPattern: hosts,
      access,
      recordTypes: types.split(/[\s,]+/).filter(Boolean),
      review,
      expiresAt: end === "" ? null : endOf(end),
    });
    await queries.invalidateQueries({ queryKey: ["assignments"] });
    toast({ title: text.assigned(members.find(({ id }) => id === chosen)?.username ?? "") });
    onClose();
  });
  const submit = () => {
    setTried(true);
    if (chosen !== "") void create.run();
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
        <TextField label={text.memberSearch} value={search} onValue={setSearch} />
        <SelectField
          label={text.member}
          value={chosen}
          options={[
            { value: "", label: text.memberChoose },
            ...members.map(({ id, username, displayName }) => ({
              value: id,
              label: displayName ? `${username} (${displayName})` : username,
            })),
          ]}
          onValue={setUserId}
          error={tried && chosen === "" ? words.ui.required : issueOf(create.error, "userId")}
        />
        <TextField
          label={text.hosts}
          hint={text.hostsHint}
          mono
          value={hosts}
          onValue={setHosts}
          error={issueOf(create.error, "subdomainPattern")}
        />
        {zone.groupName === null && zone.tags.length === 0 ? null : (
          <SelectField
            label={text.assignWhere}
            value={where}
            options={[
              { value: "domain", label: text.onlyThis },
              ...(zone.groupName === null ? [] : [{ value: "group", label: text.ofGroup(zone.groupName) }]),
              ...zone.tags.map((tag) => ({ value: `tag ${tag}`, label: text.ofTag(tag) })),
            ]}
            onValue={setWhere}
          />
        )}
        <AccessField value={access} accesses={["read", "propose", "write"]} onValue={setAccess} />
        <TextField
          label={text.types}
          hint={text.typesHint}
          mono
          value={types}
          onValue={setTypes}
          error={issueOf(create.error, "recordTypes")}
        />
        <TextField
          label={text.end}
          hint={text.endHint}
          type="date"
          value={end}
          onValue={setEnd}
          error={issueOf(create.error, "expiresAt")}
        />
        <CheckField label={text.mayReview} checked={review} onValue={setReview} />
        <Failure error={error ?? create.error} />
      </Form>
    </Dialog>
  );
}

/** What an assignment names: the domain, its group, or one of its tags. */
function targetOf({ id, groupName }: Zone, where: string) {
  if (where === "group" && groupName !== null) return { groupName };
  return where.startsWith("tag ") ? { tag: where.slice("tag ".length) } : { domainId: id };
}

/** The end of a day here. */
function endOf(day: string): Date {
  return new Date(`${day}T23:59:59`);
}
