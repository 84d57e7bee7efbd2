import { useQuery } from "@tanstack/react-query";
import type { DnsRecord } from "@zonewright/client";
import { useId, useState } from "react";
import { client, issueOf, queries } from "../api.ts";
import { useUser } from "../session/current-user.ts";
import { usePersonSearch } from "../session/use-person-search.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { CheckField, Form, SelectField, TextField } from "../ui/field.tsx";
import { Failure } from "../ui/notice.tsx";
import { PersonField } from "../ui/person-field.tsx";
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
  const contact = useContact(zone, record.ownerId);
  const [tried, setTried] = useState(false);
  const firstDate = record.reviewAt?.toISOString().slice(0, 10) ?? "";
  const [date, setDate] = useState(firstDate);
  const save = useAction(async () => {
    const { name, recordType } = record;
    await client.records.update.mutate({
      id: zone.id,
      recordId: record.id,
      ...(locked === record.locked ? {} : { locked }),
      ...(overrides ? { override: true, message: reason.trim() } : {}),
      ...(contact.id === undefined || contact.id === record.ownerId ? {} : { ownerId: contact.id }),
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
      <Form
        id={form}
        onSubmit={() => {
          setTried(true);
          if (contact.id !== undefined) void save.run();
        }}
      >
        {mayLock && (!unlockNeedsReview || role === "admin") ? (
          <CheckField label={text.lock} checked={locked} onValue={setLocked} />
        ) : null}
        {overrides ? (
          <TextField label={text.overrideReason} maxLength={500} value={reason} onValue={setReason} />
        ) : null}
        {role === "admin" ? (
          <PersonField
            label={text.whoToAsk}
            hint={text.whoToAskHint}
            placeholder={text.personSearch}
            none={text.personNone}
            {...contact.field}
            error={tried && contact.id === undefined ? text.personChoose : issueOf(save.error, "ownerId")}
          />
        ) : (
          <SelectField
            label={text.whoToAsk}
            value={contact.id ?? ""}
            options={[{ value: "", label: text.nobody }, ...contact.choices]}
            onValue={contact.choose}
            error={issueOf(save.error, "ownerId")}
          />
        )}
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

/**
 * Who is asked about a record. Administrators, who see all users, search among those who can see the zone; others choose themselves or nobody.
 * @param present the id of who is asked now
 */
function useContact(zone: Zone, present: string | null) {
  const user = useUser();
  const isAdmin = user.role === "admin";
  const [ownerId, setOwnerId] = useState(present);
  const { data: assigned } = useQuery({
    queryKey: ["assignments", zone.id],
    enabled: isAdmin,
    queryFn: async ({ signal }) => await client.assignments.list.query({ domainId: zone.id, limit: 100 }, { signal }),
  });
  const { id, field } = usePersonSearch({
    present,
    enabled: isAdmin,
    selfDetail: text.contactSelf,
    mayBe: (one) => seesZone(one, zone, assigned),
  });
  return {
    /** Undefined while a text is entered that names nobody. */
    id: isAdmin ? id : ownerId,
    field,
    choices: [
      { value: user.id, label: text.you(user.username) },
      ...(present === null || present === user.id ? [] : [{ value: present, label: text.another }]),
    ],
    choose: (chosen: string) => setOwnerId(chosen || null),
  };
}
