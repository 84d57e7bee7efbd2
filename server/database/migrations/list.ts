import type { Migration } from "@mikro-orm/migrations";
import { Foundation } from "./0001-foundation.ts";
import { Drift } from "./0002-drift.ts";
import { Audit } from "./0003-audit.ts";
import { SecondFactors } from "./0004-second-factors.ts";
import { PersonalTokens } from "./0005-personal-tokens.ts";
import { Invitations } from "./0006-invitations.ts";
import { Repairs } from "./0007-repairs.ts";
import { Identity } from "./0008-identity.ts";
import { ScheduledSnapshots } from "./0009-scheduled-snapshots.ts";
import { Expiry } from "./0010-expiry.ts";
import { Assignments } from "./0011-assignments.ts";
import { Channels } from "./0013-channels.ts";
import { IdentityCodes } from "./0016-identity-codes.ts";
import { Confirmations } from "./0017-confirmations.ts";
import { WaysIn } from "./0018-ways-in.ts";
import { ServerManagedRecords } from "./0019-server-managed-records.ts";
import { CanonicalData } from "./0020-canonical-data.ts";
import { NameServers } from "./0021-name-servers.ts";
import { Strings } from "./0022-strings.ts";
import { Installation } from "./0023-installation.ts";
import { HistoryFrom } from "./0024-history-from.ts";
import { IdempotentCalls } from "./0025-idempotent-calls.ts";
import { DomainOrders } from "./0026-domain-orders.ts";
import { NamesAbove } from "./0027-names-above.ts";
import { DriftErrors } from "./0028-drift-errors.ts";
import { TrueCounts } from "./0029-true-counts.ts";
import { Views } from "./0030-views.ts";
import { Pointers } from "./0031-pointers.ts";
import { RecordSearch } from "./0032-record-search.ts";
import { Batches } from "./0033-batches.ts";
import { Reverse } from "./0034-reverse.ts";
import { Templates } from "./0035-templates.ts";
import { ChangeMessages } from "./0036-change-messages.ts";
import { Delegations } from "./0037-delegations.ts";
import { DanglingReports } from "./0038-dangling-reports.ts";

type MigrationClass = new (...parts: ConstructorParameters<typeof Migration>) => Migration;

/** All migrations in the order in which they run, listed by hand. */
export const migrations: { name: string; class: MigrationClass }[] = [
  { name: "0001-foundation", class: Foundation },
  { name: "0002-drift", class: Drift },
  { name: "0003-audit", class: Audit },
  { name: "0004-second-factors", class: SecondFactors },
  { name: "0005-personal-tokens", class: PersonalTokens },
  { name: "0006-invitations", class: Invitations },
  { name: "0007-repairs", class: Repairs },
  { name: "0008-identity", class: Identity },
  { name: "0009-scheduled-snapshots", class: ScheduledSnapshots },
  { name: "0010-expiry", class: Expiry },
  { name: "0011-assignments", class: Assignments },
  { name: "0013-channels", class: Channels },
  { name: "0016-identity-codes", class: IdentityCodes },
  { name: "0017-confirmations", class: Confirmations },
  { name: "0018-ways-in", class: WaysIn },
  { name: "0019-server-managed-records", class: ServerManagedRecords },
  { name: "0020-canonical-data", class: CanonicalData },
  { name: "0021-name-servers", class: NameServers },
  { name: "0022-strings", class: Strings },
  { name: "0023-installation", class: Installation },
  { name: "0024-history-from", class: HistoryFrom },
  { name: "0025-idempotent-calls", class: IdempotentCalls },
  { name: "0026-domain-orders", class: DomainOrders },
  { name: "0027-names-above", class: NamesAbove },
  { name: "0028-drift-errors", class: DriftErrors },
  { name: "0029-true-counts", class: TrueCounts },
  { name: "0030-views", class: Views },
  { name: "0031-pointers", class: Pointers },
  { name: "0032-record-search", class: RecordSearch },
  { name: "0033-batches", class: Batches },
  { name: "0034-reverse", class: Reverse },
  { name: "0035-templates", class: Templates },
  { name: "0036-change-messages", class: ChangeMessages },
  { name: "0037-delegations", class: Delegations },
  { name: "0038-dangling-reports", class: DanglingReports },
];
