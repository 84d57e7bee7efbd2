import { useQuery } from "@tanstack/react-query";
import type { DnsRecord } from "@zonewright/client";
import { useDeferredValue, useId, useState } from "react";
import { client, issueOf, queries } from "../api.ts";
import { useUser } from "../session/current-user.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { CheckField, Form, SelectField, TextField } from "../ui/field.tsx";
import { Failure } from "../ui/notice.tsx";
import { toast } from "../ui/toast.tsx";
import { useAction } from "../ui/use-action.ts";
import { recordsWords } from "../words/records.ts";
import { words } from "../words/words.ts";
import { refreshRecords, type Zone } from "../zone/use-zone.ts";
import { isBound } from "../zone/review-rule.ts";
import { seesZone } from "./sees-zone.ts";

const text = recordsWords;

interface RecordDetailsProps {
  zone: Zone;
  record: DnsRecord;
  /** Whether the reader may lock and unlock it. */
  mayLock: boolean;
  onClose: () => void;
}

/** What people note about a record: whether it is locked, whom to ask, and when to look at it again. */
export function RecordDetails({ zone, record, mayLock, onClose }: RecordDetailsProps) {
  const form = useId();
  const { role } = useUser();
  const [locked, setLocked] = useState(record.locked);
  const [reason, setReason] = useState("");
  // To clear a lock takes a review, past which administrators may go with a reason.
  const unlockNeedsReview = record.locked && isBound(zone, role);
  const overrides = unlockNeedsReview && !locked;
  const [owner, setOwner] = useState(record.ownerId ?? "");
  const firstDate = record.reviewAt?.toISOString().slice(0, 10) ?? "";
  const [date, setDate] = useState(firstDate);
  const [search, setSearch] = useState("");
  const people = usePeople(zone, record.ownerId, search);
  // Whoever is chosen stays, also if a later search does not find them.
  const [chosen, setChosen] = useState<Choice | null>(null);
  const isListed = chosen === null || people.some(({ value }) => value === chosen.value);
  const save = useAction(async () => {
    const { name, recordType } = record;
    await client.records.update.mutate({
      id: zone.id,
      recordId: record.id,
      ...(locked === record.locked ? {} : { locked }),
      ...(overrides ? { override: true, message: reason.trim() } : {}),
      ...(owner === (record.ownerId ?? "") ? {} : { ownerId: owner || null }),
      // The service also takes a time of day, which the field does not show: it stays unless another date was chosen.
      ...(date === firstDate ? {} : { reviewAt: date === "" ? null : new Date(`${date}T00:00:00Z`) }),
    });
    await Promise.all([refreshRecords(zone), queries.invalidateQueries({ queryKey: ["history", zone.id] })]);
    toast({ title: text.detailsSaved, description: `${name} ${recordType}` });
    onClose();
  });
  const isElsewhere = !["locked", "ownerId", "reviewAt"].some((field) => issueOf(save.error, field));
  return (
    <Dialog
      open
      onClose={onClose}
      title={text.detailsTitle(record.name, record.recordType)}
      description={text.detailsHint}
      footer={
        <>
          <Button onClick={onClose}>{words.ui.cancel}</Button>
          <Button
            kind={overrides ? "danger" : "primary"}
            type="submit"
            form={form}
            disabled={overrides && reason.trim() === ""}
            pending={save.pending}
          >
            {words.ui.save}
          </Button>
        </>
      }
    >
      <Form id={form} onSubmit={() => void save.run()}>
        {mayLock && (!unlockNeedsReview || role === "admin") ? (
          <CheckField label={text.lock} checked={locked} onValue={setLocked} />
        ) : null}
        {overrides ? (
          <TextField label={text.overrideReason} maxLength={500} value={reason} onValue={setReason} />
        ) : null}
        {role === "admin" ? <TextField label={text.personSearch} value={search} onValue={setSearch} /> : null}
        <SelectField
          label={text.whoToAsk}
          value={owner}
          options={[{ value: "", label: text.nobody }, ...(isListed ? [] : [chosen]), ...people]}
          onValue={(value) => {
            setOwner(value);
            setChosen(people.find((person) => person.value === value) ?? chosen);
          }}
          error={issueOf(save.error, "ownerId")}
        />
        <TextField
          label={text.reviewAt}
          hint={text.reviewAtHint}
          type="date"
          value={date}
          onValue={setDate}
          error={issueOf(save.error, "reviewAt")}
        />
        {isElsewhere ? <Failure error={save.error} /> : null}
      </Form>
    </Dialog>
  );
}

interface Choice {
  /** The id of a user. */
  value: string;
  label: string;
}

/**
 * Who can be asked: for administrators, who see all users, those who match a search and can see the zone; else oneself. And who is asked now.
 * @param present the id of who is asked now
 */
function usePeople(zone: Zone, present: string | null, search: string): Choice[] {
  const user = useUser();
  const isAdmin = user.role === "admin";
  const wanted = useDeferredValue(search.trim());
  const { data: found = [] } = useQuery({
    queryKey: ["users-to-ask", wanted],
    enabled: isAdmin,
    queryFn: async ({ signal }) =>
      (await client.users.list.query({ limit: 100, search: wanted || undefined }, { signal })).users,
    placeholderData: (before) => before,
  });
  const { data: assigned } = useQuery({
    queryKey: ["assignments", zone.id],
    enabled: isAdmin,
    queryFn: async ({ signal }) => await client.assignments.list.query({ domainId: zone.id, limit: 100 }, { signal }),
  });
  const asked = useQuery({
    queryKey: ["user-name", present],
    enabled: isAdmin && present !== null && present !== user.id,
    queryFn: async ({ signal }) => (await client.users.get.query({ id: present ?? "" }, { signal })).username,
    staleTime: Infinity,
  });
  const others = found
    .filter(({ id }) => id !== user.id && id !== present)
    .filter((one) => seesZone(one, zone, assigned));
  return [
    { value: user.id, label: text.you(user.username) },
    ...(present === null || present === user.id ? [] : [{ value: present, label: asked.data ?? text.another }]),
    ...others.map(({ id, username }) => ({ value: id, label: username })),
  ];
}
