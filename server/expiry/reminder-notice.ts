import type { TypedNotice } from "../notifications/notify.ts";
import { expired, type DueReminder } from "./due-reminders.ts";

const day = 24 * 3_600_000;

/** Returns the notice about a registration that expires soon or has expired. */
export function reminderNotice(reminder: DueReminder, now: Date): TypedNotice<"domain.expired" | "domain.expiring"> {
  const { domainId, name, ownerId, expiresAt, days, source } = reminder;
  const about = { domainId, domainName: name, expiresAt: expiresAt.toISOString(), source };
  const to = { userIds: ownerId === null ? [] : [ownerId], administrators: true };
  const on = expiresAt.toISOString().slice(0, 10);
  const origin = originOf(reminder);
  if (days === expired) {
    return {
      event: "domain.expired",
      title: `${name} has expired`,
      content: `Its registration ended on ${on}${origin} Renew it at its registrar while you still can, or correct the date.`,
      level: "error",
      metadata: about,
      to,
    };
  }
  const left = Math.max(0, Math.ceil((expiresAt.getTime() - now.getTime()) / day));
  return {
    event: "domain.expiring",
    title: left <= 1 ? `${name} expires within a day` : `${name} expires in ${left} days`,
    content: `Its registration ends on ${on}${origin} Renew it at its registrar, or make sure that it renews automatically.`,
    level: "warning",
    metadata: { ...about, days, daysLeft: left },
    to,
  };
}

/** Returns the end of a sentence: the date's source, or both dates if registry and registrar differ. */
function originOf({ source, registryExpiresAt, registrarExpiresAt }: DueReminder): string {
  if (source === null || source === "manual") return ", a date set manually.";
  if (!registryExpiresAt || !registrarExpiresAt) return ` (${source.toUpperCase()}).`;
  const [registry, registrar] = [registryExpiresAt, registrarExpiresAt].map((date) => date.toISOString().slice(0, 10));
  if (registry === registrar) return ` (${source.toUpperCase()}).`;
  return `: the registry says ${registry}, the registrar ${registrar}.`;
}
