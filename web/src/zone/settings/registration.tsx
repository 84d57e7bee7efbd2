import { useState } from "react";
import { client, issueOf } from "../../api.ts";
import { Button } from "../../ui/button.tsx";
import { CheckField, Form, TextField } from "../../ui/field.tsx";
import { formatAgo, formatDay } from "../../ui/format.ts";
import { Failure, Notice } from "../../ui/notice.tsx";
import { Card } from "../../ui/page.tsx";
import { toast } from "../../ui/toast.tsx";
import { useAction } from "../../ui/use-action.ts";
import { zoneWords } from "../../words/zone.ts";
import { words } from "../../words/words.ts";
import { reminderDays } from "../lists.ts";
import { refreshZone, storeZone, useZoneName, type Zone } from "../use-zone.ts";
import styles from "../zone.module.css";

const text = zoneWords;

/** The expiry date, its reminders and its lookup. */
export function Registration({ zone }: { zone: Zone }) {
  // Another date, as a lookup finds it, starts the form anew.
  return <RegistrationForm key={zone.expiresAt?.getTime() ?? 0} zone={zone} />;
}

const dateOf = (date: Date | null) => date?.toISOString().slice(0, 10) ?? "";

function RegistrationForm({ zone }: { zone: Zone }) {
  const name = useZoneName();
  const { id } = zone;
  const [date, setDate] = useState(dateOf(zone.expiresAt));
  const [days, setDays] = useState(zone.expiryRemindDays.join(", "));
  const [auto, setAuto] = useState(zone.autoCheckExpiry);
  const [tried, setTried] = useState(false);
  const parsed = reminderDays(days);
  const save = useAction(async () => {
    let changed = await client.domains.setExpiryRemind.mutate({
      id,
      expiryRemindDays: parsed ?? [],
      autoCheckExpiry: auto,
    });
    if (date !== dateOf(zone.expiresAt)) {
      const expiresAt = date === "" ? null : new Date(`${date}T00:00:00Z`);
      changed = await client.domains.setExpiry.mutate({ id, expiresAt });
    }
    storeZone(name, changed);
    toast({ title: text.saved });
  });
  const check = useAction(async () => {
    const { success, expiresAt, source, error } = await client.domains.checkExpiry.mutate({ id });
    if (!success) throw new Error(error ?? "");
    await refreshZone(name);
    if (expiresAt && source) toast({ title: text.foundDate(formatDay(expiresAt), source.toUpperCase()) });
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
            hint={
              zone.expirySource === null ? text.expiryHint : `${text.expiryHint} (${text.source[zone.expirySource]})`
            }
            error={issueOf(save.error, "expiresAt")}
            value={date}
            onValue={setDate}
          />
          <TextField
            label={text.reminders}
            hint={text.remindersHint}
            error={tried && !parsed ? text.remindersWrong : issueOf(save.error, "expiryRemindDays")}
            inputMode="numeric"
            value={days}
            onValue={setDays}
          />
        </div>
        <CheckField label={text.autoCheck} checked={auto} onValue={setAuto} />
        <Failure error={save.error} />
        <div className={styles["actions"]}>
          <Button type="submit" kind="primary" pending={save.pending}>
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
