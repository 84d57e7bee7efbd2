import { useState } from "react";
import { client, issueOf } from "../../api.ts";
import { Button } from "../../ui/button.tsx";
import { CheckField, Form, TextField } from "../../ui/field.tsx";
import { formatAgo, formatDate } from "../../ui/format.ts";
import { Failure, Notice } from "../../ui/notice.tsx";
import { Card } from "../../ui/page.tsx";
import { toast } from "../../ui/toast.tsx";
import { useAction } from "../../ui/use-action.ts";
import { useEdits } from "../../ui/use-edits.ts";
import { zoneWords } from "../../words/zone.ts";
import { words } from "../../words/words.ts";
import { reminderDays } from "../lists.ts";
import { refreshZone, storeZone, useZoneName, type Zone } from "../use-zone.ts";
import styles from "../zone.module.css";

const text = zoneWords;

const dateOf = (date: Date | null) => date?.toISOString().slice(0, 10) ?? "";

/** The expiry date, its reminders and its lookup. */
export function Registration({ zone }: { zone: Zone }) {
  const name = useZoneName();
  const { id } = zone;
  const { fields, changed, isChanged, set, done } = useEdits({
    date: dateOf(zone.expiresAt),
    days: zone.expiryRemindDays.join(", "),
    auto: zone.autoCheckExpiry,
  });
  const { date, days, auto } = fields;
  const [tried, setTried] = useState(false);
  const parsed = reminderDays(days);
  const save = useAction(async () => {
    const reminders = {
      ...(changed.days !== undefined && { expiryRemindDays: parsed ?? [] }),
      ...(changed.auto !== undefined && { autoCheckExpiry: changed.auto }),
    };
    if (Object.keys(reminders).length > 0)
      storeZone(name, await client.domains.setExpiryRemind.mutate({ id, ...reminders }));
    if (changed.date !== undefined) {
      const expiresAt = changed.date === "" ? null : new Date(`${changed.date}T00:00:00Z`);
      storeZone(name, await client.domains.setExpiry.mutate({ id, expiresAt }));
    }
    done();
    toast({ title: text.saved });
  });
  const check = useAction(async () => {
    const { success, expiresAt, source, error } = await client.domains.checkExpiry.mutate({ id });
    if (!success) throw new Error(error ?? "");
    await refreshZone(name);
    if (expiresAt && source) toast({ title: text.foundDate(formatDate(expiresAt), source.toUpperCase()) });
  });
  const notes = [
    zone.registrar === null ? "" : text.registrar(zone.registrar),
    zone.expiryCheckedAt === null ? "" : text.checked(formatAgo(zone.expiryCheckedAt)),
  ];
  return (
    <Card
      title={text.registration}
      hint={notes.filter(Boolean).join(" ") || undefined}
      action={
        <Button pending={check.pending} onClick={() => void check.run()}>
          {text.checkNow}
        </Button>
      }
    >
      <RegistryFacts registration={zone.registration} />
      {check.error instanceof Error ? <Notice kind="warning">{check.error.message}</Notice> : null}
      <Form
        onSubmit={() => {
          setTried(true);
          if (parsed) void save.run();
        }}
      >
        <div className={styles["pair"]}>
          <TextField
            label={text.expiresOn}
            type="date"
            hint={text.expiryHints[zone.expirySource ?? "none"]}
            error={issueOf(save.error, "expiresAt")}
            value={date}
            onValue={(next) => set({ date: next })}
          />
          <TextField
            label={text.reminders}
            hint={text.remindersHint}
            error={tried && !parsed ? text.remindersWrong : issueOf(save.error, "expiryRemindDays")}
            inputMode="numeric"
            value={days}
            onValue={(next) => set({ days: next })}
          />
        </div>
        <CheckField label={text.autoCheck} checked={auto} onValue={(next) => set({ auto: next })} />
        <Failure error={save.error} />
        <div className={styles["actions"]}>
          <Button type="submit" kind="primary" disabled={!isChanged} pending={save.pending}>
            {words.ui.save}
          </Button>
        </div>
      </Form>
    </Card>
  );
}

/** What the registry says besides dates. */
function RegistryFacts({ registration }: { registration: Zone["registration"] }) {
  if (registration === null) return null;
  const { statuses, nameServers, ds } = registration;
  const shown = [
    { label: text.facts.statuses, values: statuses },
    { label: text.facts.nameServers, values: nameServers },
    { label: text.facts.ds, values: ds?.length === 0 ? [text.facts.unsigned] : ds },
  ].filter(({ values }) => values !== null && values.length > 0);
  if (shown.length === 0) return null;
  return (
    <dl className={styles["registry"]}>
      {shown.map(({ label, values }) => (
        <div key={label}>
          <dt>{label}</dt>
          {values?.map((value) => (
            <dd key={value}>{value}</dd>
          ))}
        </div>
      ))}
    </dl>
  );
}
