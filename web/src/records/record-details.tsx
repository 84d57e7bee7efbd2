import { useQuery } from "@tanstack/react-query";
import type { DnsRecord } from "@zonewright/client";
import { useId, useState } from "react";
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
import { isBound } from "./needs-review.ts";

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
  const people = usePeople(record.ownerId);
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
        <SelectField
          label={text.whoToAsk}
          value={owner}
          options={[{ value: "", label: text.nobody }, ...people]}
          onValue={setOwner}
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

/** Who can be asked: everybody for administrators, who see all users; else oneself, and who is asked now. */
function usePeople(present: string | null): { value: string; label: string }[] {
  const user = useUser();
  const isAdmin = user.role === "admin";
  const { data = [] } = useQuery({
    queryKey: ["users-to-ask"],
    enabled: isAdmin,
    queryFn: async ({ signal }) => (await client.users.list.query({ limit: 100 }, { signal })).users,
  });
  const others = data.flatMap(({ id, username }) => (id === user.id ? [] : [{ value: id, label: username }]));
  const isListed = present === null || present === user.id || others.some(({ value }) => value === present);
  return [
    { value: user.id, label: text.you(user.username) },
    ...(isListed || present === null ? [] : [{ value: present, label: text.another }]),
    ...others,
  ];
}
