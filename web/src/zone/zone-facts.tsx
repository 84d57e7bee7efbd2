import { useUser } from "../session/current-user.ts";
import { useUserNames } from "../session/use-user-names.ts";
import { formatDay, formatNumber } from "../ui/format.ts";
import { locale } from "../words/language.ts";
import { zoneWords } from "../words/zone.ts";
import type { Zone } from "./use-zone.ts";
import styles from "./zone.module.css";

const text = zoneWords;
const none: readonly string[] = [];

/** What people should know of a zone, whichever of its pages they read. What the header says is not repeated. */
export function ZoneFacts({ zone }: { zone: Zone }) {
  const { ownerId, groupName, notes, registrar, yearlyCost, currency, reviewRequired, snapshotSchedule } = zone;
  const { id, role } = useUser();
  const names = useUserNames(ownerId === null || role === "member" ? none : [ownerId]);
  const owner = ownerId === null ? text.aside.nobody : ownerId === id ? text.aside.you : names.get(ownerId);
  const facts = [
    { label: text.owner, value: owner },
    { label: text.group, value: groupName },
    { label: text.reviewRequired, value: text.reviewChoices[reviewRequired] },
    { label: text.aside.snapshots, value: text.schedules[snapshotSchedule] },
    { label: text.aside.registrar, value: registrar },
    { label: text.aside.cost, value: yearlyCost === null ? null : money(yearlyCost, currency) },
    { label: text.aside.since, value: formatDay(zone.createdAt) },
  ];
  return (
    <section className={styles["side"]} aria-label={text.aside.title}>
      <dl>
        {notes === null ? null : <Fact label={text.notes} value={notes} />}
        {facts.map(({ label, value }) =>
          value === null || value === undefined ? null : <Fact key={label} label={label} value={value} />,
        )}
      </dl>
    </section>
  );
}

function Fact({ label, value }: { label: string; value: string }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function money(amount: number, currency: string | null): string {
  if (currency === null) return formatNumber(amount);
  return new Intl.NumberFormat(locale, { style: "currency", currency }).format(amount);
}
