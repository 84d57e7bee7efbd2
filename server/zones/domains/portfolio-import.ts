import { createHash } from "node:crypto";
import { LockMode } from "@mikro-orm/core";
import { sql } from "kysely";
import type { z } from "zod";
import type { Caller } from "../../access/caller.ts";
import { visibleDomains } from "../../access/visible-domains.ts";
import { rightsFrom } from "../../access/zone-access.ts";
import { line } from "../../api/schemas.ts";
import { fromJson, jsonTexts, queries, type EntityManager } from "../../database/database.ts";
import { Domain } from "../../database/tables/domains.ts";
import { parseQualified, parseView, qualifiedName, shown } from "../../dns/names/names.ts";
import { writeEntry, changedFields } from "../../notifications/audit/audit.ts";
import { csvRow } from "../../platform/csv.ts";
import { AppError, badField, Fault, faultToAppError } from "../../platform/errors.ts";
import type { Logger } from "../../platform/log.ts";
import { ok, refuse, type Result } from "../../platform/result.ts";
import { inChunks, inSlices, inTurns, type Steps } from "../../platform/slices.ts";
import { expiringFrom, type RegistrationFacts } from "../../registry/expiry/store-finding.ts";
import { groupingOf, judgeMoved, rightsNamed, type Grouping, type Moved } from "./named-by-assignments.ts";
import { applyPatch, auditedFields, setExpiry, unique, uniqueTags, type DomainPatch } from "./patch.ts";
import { portfolioRow, portfolioRows, type SelectedRow } from "./portfolio.ts";
import type { ImportPortfolioInput, portfolioImport, StartPortfolioImportInput } from "./portfolio-schemas.ts";
import {
  ambiguous,
  cellsOf,
  changeableColumns,
  kept,
  partsOf,
  readCost,
  readDate,
  readPortfolio,
  sameText,
  time,
  type ChangeableColumn,
  type PortfolioRow,
  type TableRow,
} from "./portfolio-table.ts";
import { theView } from "./identity.ts";
import { expiryRemindInput, updateDomainInput } from "./schemas.ts";

type Answer = z.input<typeof portfolioImport>;

/** What an import makes of a row. */
type PlannedRow = Answer["rows"][number];

/** The fields of a domain that a row sets. */
type RowPatch = Omit<DomainPatch, "id"> & { registrar?: string | null; expiryRemindDays?: number[] };

/** A row with what is needed to carry it out. */
type Prepared = PlannedRow & {
  row: TableRow;
  before: PortfolioRow | null;
  patch: RowPatch;
  /** The date set by hand that taking the row back sets again, because an account is named by it or by what takes it back; null for none. */
  handDate: string | null;
  /** The group and tags before and after; null if the row changes none. */
  regrouped: { before: Grouping; after: Grouping } | null;
  /** What the audit trail says of rights that move with them. */
  moved: Moved | null;
};

/** How cells are read, and why. */
export type ReadingOptions = Pick<ImportPortfolioInput, "dateOrder" | "emptyCells" | "message">;

/** What rows refer to. */
interface Lookups {
  /** By name in lower case. */
  users: ReadonlyMap<string, { id: string; username: string; disabled_at: Date | null }>;
  registrars: readonly { id: string; name: string }[];
}

/** Rows planned by one statement. */
const plannedAtOnce = 100;
/** Rows changed by one transaction, which other calls wait for on an embedded database. */
const appliedAtOnce = 20;
/** More than the longest notes, of 10,000 characters. */
const longestCell = 20_000;
const mostTags = 50;

/**
 * Plans what a table changes, row by row, or carries out exactly the plan that was shown. A row is applied as a whole or not at all. Rows
 * that change meanwhile are refused, and importing the table again goes on where a crash ended it.
 * @throws AppError BAD_REQUEST, CONFLICT if the plan is another one by now
 */
export async function importPortfolio(
  em: EntityManager,
  caller: Caller,
  input: ImportPortfolioInput,
  { now, log }: { now: () => Date; log: Logger },
) {
  const { table, plan, rows, changed, planHash } = await planned(em, caller, input);
  const undone: Prepared[] = [];
  if (!input.dryRun) {
    refuseOtherPlan(input, planHash);
    const faults: unknown[] = [];
    await inChunks(changed, appliedAtOnce, async (chunk) => {
      const applied = em.fork().transactional(async (tx) => await plan.apply(tx, chunk, now()));
      const done = await applied.catch((error: unknown) => {
        // What others changed stays changed: the answer has to say so, and how to take it back.
        const failure = faultToAppError(error);
        if (failure instanceof Fault) faults.push(error);
        for (const row of chunk) refuseRow(row, failure.message);
        return [];
      });
      undone.push(...done);
      return done;
    });
    if (faults.length > 0 && undone.length === 0) throw faults[0];
    for (const fault of faults) log.error({ err: fault }, "a part of an import of domains failed");
  }
  const refused = rows.filter(({ refusal }) => refusal !== null).length;
  const applied = rows.filter(({ changes, refusal }) => refusal === null && changes.length > 0).length;
  return {
    ignoredColumns: table.ignored,
    needsDateOrder: plan.needsDateOrder,
    changed: applied,
    unchanged: rows.length - refused - applied,
    refused,
    rows: rows.filter(({ changes, warnings, refusal }) => changes.length + warnings.length > 0 || refusal !== null),
    planHash,
    applied: !input.dryRun,
    undo: undone.length === 0 ? null : await inSlices(undoOf(undone)),
  };
}

async function planned(em: EntityManager, caller: Caller, input: ImportPortfolioInput) {
  const table = await inSlices(readPortfolio(input.csv));
  const plan = new ImportPlan(caller, input, await lookupsOf(em, table.rows));
  const lines = new Map<string, number>();
  const rows: Prepared[] = await inChunks(table.rows, plannedAtOnce, (chunk) => plan.rows(em, chunk, lines));
  const changed = rows.filter(({ changes, refusal }) => refusal === null && changes.length > 0);
  return { table, plan, rows, changed, planHash: await inSlices(hashOf(changed)) };
}

/** @throws AppError BAD_REQUEST, CONFLICT */
function refuseOtherPlan(input: { planHash?: string | undefined }, planHash: string): void {
  if (input.planHash === undefined)
    throw badField(["planHash"], "Send the `planHash` of a plan, which `dryRun: true` returns.");
  if (input.planHash !== planHash)
    throw new AppError("CONFLICT", "The domains are no longer what this plan was made for. Plan the import again.");
}

/** A row that changes a domain, to be carried out later. */
export interface PlannedImport {
  domainId: string;
  cells: TableRow["cells"];
  changes: PlannedRow["changes"];
  /** The date set by hand that what takes the row back sets again. */
  handDate?: string;
  /** Sets the date of the row again, whatever it is by now. */
  restoresDate?: boolean;
}

/**
 * Returns the rows of a table that change something, by the plan that was shown, and the table that takes all of them back; null unless the
 * input asks for it.
 * @throws AppError BAD_REQUEST, CONFLICT
 */
export async function planImport(
  em: EntityManager,
  caller: Caller,
  input: StartPortfolioImportInput,
): Promise<{ rows: PlannedImport[]; undo: string | null }> {
  const { changed, planHash } = await planned(em, caller, { ...input, dryRun: true });
  refuseOtherPlan(input, planHash);
  return {
    rows: changed.flatMap(({ domainId, row, changes, handDate }) =>
      domainId ? [{ domainId, cells: row.cells, changes, ...(handDate === null ? {} : { handDate }) }] : [],
    ),
    undo: input.undo ? await inSlices(undoOf(changed)) : null,
  };
}

/** Carries a row out, in the caller's transaction. @throws AppError CONFLICT if it would change anything else by now */
export async function importRow(
  tx: EntityManager,
  caller: Caller,
  { domainId, cells, changes, restoresDate = false }: PlannedImport,
  { input, now }: { input: ReadingOptions; now: Date },
): Promise<void> {
  const row: TableRow = { line: 0, cells, fault: null, restoresDate };
  // The database stores the keys of an object in an order of its own, and plans are compared as text.
  const ordered = changes.map(({ field, before, after }) => ({ field, before, after }));
  const prepared = { ...unplanned(row, domainId), changes: ordered };
  await new ImportPlan(caller, input, await lookupsOf(tx, [row])).apply(tx, [prepared], now);
  if (prepared.refusal !== null) throw new AppError("CONFLICT", prepared.refusal);
}

async function lookupsOf(em: EntityManager, rows: readonly TableRow[]): Promise<Lookups> {
  const names = unique(rows.flatMap(({ cells }) => cells.owner?.toLowerCase() ?? []).filter((name) => name !== ""));
  const users = await inChunks(names, 1_000, (chunk) =>
    queries(em)
      .selectFrom("users")
      .select(["id", "username", "disabled_at"])
      .where((eb) => eb(eb.fn("lower", ["username"]), "in", textsOf(chunk)))
      .execute(),
  );
  const registrars = await queries(em).selectFrom("registrar_configs").select(["id", "name"]).limit(1_000).execute();
  return { users: new Map(users.map((user) => [user.username.toLowerCase(), user])), registrars };
}

function textsOf(texts: readonly string[]) {
  return sql<string>`(select value from ${jsonTexts(texts)})`;
}

function refuseRow(row: PlannedRow, refusal: string): void {
  Object.assign(row, { refusal, changes: [], warnings: [] });
}

function* hashOf(changed: readonly PlannedRow[]): Steps<string> {
  const hash = createHash("sha256");
  for (const row of changed) {
    hash.update(hashedText(row));
    yield;
  }
  return hash.digest("base64url");
}

function hashedText({ domainId, changes }: PlannedRow): string {
  return JSON.stringify([domainId, changes]);
}

/** Returns a table that takes an import back, if its empty cells clear. Of a row it has only what that row changed. */
function* undoOf(done: readonly Prepared[]): Steps<string> {
  const columns = changeableColumns.filter((column) => done.some((row) => restored(row, column) !== null));
  const lines = [csvRow(["name", "view", ...columns])];
  for (const row of done) {
    yield;
    if (row.before === null) continue;
    const { name, view } = cellsOf(row.before);
    lines.push(csvRow([name, view, ...columns.map((column) => restored(row, column) ?? kept)]));
  }
  return lines.join("");
}

/** Returns the cell that takes back what a row does to a column; null if it does nothing to it. */
function restored({ changes, handDate }: Prepared, column: ChangeableColumn): string | null {
  if (column === "expires" && handDate !== null) return handDate;
  return changes.find(({ field }) => field === column)?.before ?? null;
}

function unplanned(row: TableRow, domainId: string | null): Prepared {
  const { name = "", view = "" } = row.cells;
  return {
    line: row.line,
    name: view === "" ? name : `${name}!${view}`,
    domainId,
    changes: [],
    warnings: [],
    refusal: null,
    row,
    before: null,
    patch: {},
    handDate: null,
    regrouped: null,
    moved: null,
  };
}

class ImportPlan {
  needsDateOrder = false;
  readonly #caller: Caller;
  readonly #input: ReadingOptions;
  readonly #lookups: Lookups;

  constructor(caller: Caller, input: ReadingOptions, lookups: Lookups) {
    this.#caller = caller;
    this.#input = input;
    this.#lookups = lookups;
  }

  /**
   * Plans rows as the domains are now.
   * @param lines the lines of domains that earlier rows are about: of two rows about one domain, only the first counts
   */
  async rows(em: EntityManager, rows: readonly TableRow[], lines: Map<string, number>): Promise<Prepared[]> {
    const named = rows.map(({ cells, fault }) => (fault === null ? nameOf(cells) : refuse(fault)));
    const names = unique(named.flatMap((name) => (name.ok ? name.value.name : [])));
    const visible = await visibleDomains(em, this.#caller);
    const found = await portfolioRows(em)
      // A job plans row by row: for one name, the planner need not guess how many there are, and uses the index.
      .where((eb) =>
        names.length === 1 ? eb("domains.name", "=", names[0] ?? "") : eb("domains.name", "in", textsOf(names)),
      )
      .where((eb) => eb.and([visible.condition(eb), visible.wholly()]))
      .execute();
    const byName = Map.groupBy(found, ({ name }) => name);
    const planned: Prepared[] = [];
    for await (const [index, row] of inTurns(rows.entries())) {
      const name = named[index] ?? refuse("");
      const domain = name.ok ? chosen(byName.get(name.value.name) ?? [], name.value) : name;
      planned.push(this.#row(row, domain, lines));
    }
    await this.#judge(em, planned);
    return planned;
  }

  /** Judges what rows do to rights that groups and tags give. */
  async #judge(em: EntityManager, planned: readonly Prepared[]): Promise<void> {
    const regrouped = planned.flatMap((row) => row.regrouped ?? []);
    const rights = await rightsNamed(em, this.#caller, regrouped, this.#caller.at);
    for (const row of planned) {
      if (row.regrouped === null) continue;
      const moved = judgeMoved(rights, row.regrouped);
      if (!moved.ok) refuseRow(row, moved.message);
      else if (moved.value) {
        row.moved = moved.value;
        row.warnings.push("This changes who has rights here: assignments name the group or a tag.");
      }
    }
  }

  /** Carries rows out in a transaction, except those that changed meanwhile, which become refused. @returns those that were */
  async apply(tx: EntityManager, rows: readonly Prepared[], now: Date): Promise<Prepared[]> {
    const ids = rows.flatMap(({ domainId }) => domainId ?? []);
    const domains = await tx.find(
      Domain,
      { id: { $in: ids } },
      { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { id: "asc" } },
    );
    const byId = new Map(domains.map((domain) => [domain.id, domain]));
    const again = await this.rows(
      tx,
      rows.map(({ row }) => row),
      new Map(),
    );
    const owners = await keptOf(tx, "users", unique(again.flatMap(({ patch }) => patch.ownerId ?? [])));
    const accounts = await keptOf(
      tx,
      "registrar_configs",
      unique(again.flatMap(({ patch }) => patch.registrarConfigId ?? [])),
    );
    const done: Prepared[] = [];
    for (const [index, planned] of rows.entries()) {
      const present = again[index];
      const domain = byId.get(planned.domainId ?? "");
      if (!domain || !present || present.refusal !== null || hashedText(present) !== hashedText(planned)) {
        refuseRow(planned, "The domain was changed meanwhile. Plan the import again.");
        continue;
      }
      const { ownerId, registrarConfigId } = present.patch;
      if ((ownerId && !owners.has(ownerId)) || (registrarConfigId && !accounts.has(registrarConfigId))) {
        refuseRow(
          planned,
          "The owner was disabled or the registrar's account deleted meanwhile. Plan the import again.",
        );
        continue;
      }
      await this.#change(tx, domain, present, now);
      done.push(planned);
    }
    return done;
  }

  async #change(tx: EntityManager, domain: Domain, { patch, moved }: Prepared, now: Date): Promise<void> {
    const before = { ...auditedFields(domain), registrar: domain.registrar ?? null };
    applyPatch(domain, { id: domain.id, ...patch });
    // Naming an account has an older date looked up, not the one of this table.
    if (patch.expiresAt !== undefined) setExpiry(domain, patch.expiresAt);
    if (patch.registrar !== undefined) domain.registrar = patch.registrar;
    if (patch.expiryRemindDays !== undefined) domain.expiryRemindDays = patch.expiryRemindDays;
    domain.expiringFrom = expiringFrom(domain.expiresAt ?? null, domain.expiryRemindDays);
    domain.updatedAt = now;
    const current = { ...auditedFields(domain), registrar: domain.registrar ?? null };
    const { message } = this.#input;
    const audited = changedFields(before, current);
    await writeEntry(tx, now, this.#caller, {
      action: "domain.update",
      targetType: "domain",
      targetId: domain.id,
      ...audited,
      after: { ...audited?.after, ...moved, ...(message === undefined ? {} : { message }) },
    });
  }

  #row(row: TableRow, domain: Result<SelectedRow>, lines: Map<string, number>): Prepared {
    const planned = unplanned(row, domain.ok ? domain.value.id : null);
    const refused = (message: string) => {
      refuseRow(planned, message);
      return planned;
    };
    if (!domain.ok) return refused(domain.message);
    const stored = domain.value;
    const before = portfolioRow(stored);
    planned.name = qualifiedName(stored);
    planned.before = before;
    const first = lines.get(stored.id);
    if (first !== undefined) return refused(`Line ${first} is about this domain, too. Remove one of them.`);
    lines.set(stored.id, row.line);
    const rights = rightsFrom(this.#caller, {
      accessed_id: stored.id,
      owner_id: stored.owner_id,
      protect_mail: false,
      grants: [],
    });
    if (rights?.owns !== true) return refused("Only the owner and administrators can change this domain.");
    const read = this.#patch(row, stored, planned.warnings);
    if (!read.ok) return refused(read.message);
    const after = this.#after(stored, before, read.value);
    if (!after.ok) return refused(after.message);
    const [was, is] = [cellsOf(before), cellsOf(after.value)];
    planned.patch = read.value;
    planned.handDate = handDateOf(stored, read.value);
    planned.changes = changeableColumns
      .filter((field) => was[field] !== is[field] && !(field === "expires" && row.restoresDate))
      .map((field) => ({ field, before: was[field], after: is[field] }));
    if (planned.changes.some(({ field }) => field === "group" || field === "tags"))
      planned.regrouped = { before: groupingOf(before), after: groupingOf(after.value) };
    return planned;
  }

  /** Reads the cells that differ from what the domain has. */
  #patch({ cells }: TableRow, stored: SelectedRow, warnings: string[]): Result<RowPatch> {
    const present = cellsOf(portfolioRow(stored));
    const patch: RowPatch = {};
    for (const column of changeableColumns) {
      const cell = cells[column];
      if (cell === undefined || sameText(cell, present[column])) continue;
      if (cell === "" && this.#input.emptyCells === "keep") continue;
      const read = this.#cell(column, cell, { stored, cells, warnings });
      if (!read.ok) return refuse(`${column}: ${read.message}`);
      Object.assign(patch, read.value);
    }
    // A day that is the same leaves the time as it is, and the date looked up. An undo writes the time of a date to set again.
    if (patch.expiresAt && patch.expiresAt.toISOString().slice(0, 10) === present.expires) {
      if (patch.registrarConfigId !== undefined && time.test(cells.expires ?? "")) patch.expiresAt = stored.expires_at;
      else delete patch.expiresAt;
    } else if (patch.expiresAt !== undefined && stored.expiry_source !== null && stored.expiry_source !== "manual")
      warnings.push(`The date was looked up (${stored.expiry_source}). A date of yours is no longer looked up.`);
    if (isLookedUpNow(stored, patch)) {
      // The date of a table is one of its own, also if it is the date by hand.
      if (cells.expires) patch.expiresAt = stored.expires_at;
      else warnings.push("The date was set by hand. From now on it is looked up at the registrar.");
    }
    return ok(patch);
  }

  #cell(
    column: ChangeableColumn,
    cell: string,
    about: { stored: SelectedRow; cells: TableRow["cells"]; warnings: string[] },
  ): Result<RowPatch> {
    if (cell.length > longestCell) return refuse(`This must have at most ${longestCell} characters.`);
    const { shape } = updateDomainInput;
    switch (column) {
      case "group":
        return fieldOf("groupName", checked(shape.groupName, cell));
      case "tags": {
        const tags = checked(shape.tags, partsOf(cell, mostTags));
        return fieldOf("tags", tags.ok ? ok(uniqueTags(tags.value ?? [])) : tags);
      }
      case "notes":
        return fieldOf("notes", checked(shape.notes, cell === "" ? null : cell));
      case "currency":
        return fieldOf("currency", checked(shape.currency, cell === "" ? null : cell.toUpperCase()));
      case "reminders": {
        const days = partsOf(cell, mostTags).map((part) => (/^\d{1,5}$/.test(part) ? Number(part) : Number.NaN));
        const read = checked(expiryRemindInput.shape.expiryRemindDays, days);
        const sorted = read.ok ? ok(unique(read.value ?? []).toSorted((one, other) => other - one)) : read;
        return fieldOf("expiryRemindDays", sorted);
      }
      case "expires":
        return this.#expires(cell);
      case "yearlyCost":
        return costIn(cell, about.cells.currency ?? "", about.stored.currency);
      case "owner":
        return this.#owner(cell);
      case "registrar":
        return this.#registrar(cell, about);
      default:
        return column satisfies never;
    }
  }

  #expires(cell: string): Result<RowPatch> {
    if (cell === "") return ok({ expiresAt: null });
    const date = readDate(cell, this.#input.dateOrder);
    if (date !== ambiguous) return fieldOf("expiresAt", date);
    this.needsDateOrder = true;
    return refuse(`${shown(cell)} can be several days. Send the order of day and month in \`dateOrder\`.`);
  }

  #owner(cell: string): Result<RowPatch> {
    if (this.#caller.role !== "admin") return refuse("Only administrators can change a domain's owner.");
    if (cell === "") return ok({ ownerId: null });
    const user = this.#lookups.users.get(cell.toLowerCase());
    return user && user.disabled_at === null
      ? ok({ ownerId: user.id })
      : refuse(`No user is called ${shown(cell)}. Write the user name of a user who is not disabled.`);
  }

  #registrar(cell: string, { stored, warnings }: { stored: SelectedRow; warnings: string[] }): Result<RowPatch> {
    const account = this.#account(cell);
    if (account && account.id === stored.registrar_config_id) return ok({});
    const isNamed = stored.registrar_config_id !== null;
    const known = knownRegistrar(stored);
    const clears = cell === "" || (stored.registrar !== null && sameText(cell, stored.registrar));
    if (account || (isNamed && clears))
      return this.#caller.role === "admin"
        ? ok({ registrarConfigId: account?.id ?? null })
        : refuse("Only administrators can change the registrar's account.");
    if (isNamed)
      return refuse(
        `No registrar account is called ${shown(cell)}. Write the name of an account, or leave the cell empty.`,
      );
    if (known !== null) {
      warnings.push(`The registry says that the registrar is ${known}, which stays.`);
      return ok({});
    }
    return fieldOf("registrar", cell === "" ? ok(null) : checked(line(253), cell));
  }

  #account(name: string): { id: string; name: string } | undefined {
    const { registrars } = this.#lookups;
    const folded = registrars.filter((one) => one.name.toLowerCase() === name.toLowerCase());
    return registrars.find((one) => one.name === name) ?? (folded.length === 1 ? folded[0] : undefined);
  }

  /** Returns the row that a table shows after the change. */
  #after(stored: SelectedRow, before: PortfolioRow, patch: RowPatch): Result<PortfolioRow> {
    const { yearlyCost, registrarConfigId, ownerId } = patch;
    const text = patch.registrar === undefined ? stored.registrar : patch.registrar;
    const account = registrarConfigId === undefined ? stored.registrar_config_id : registrarConfigId;
    const accountName = this.#lookups.registrars.find(({ id }) => id === account)?.name ?? null;
    const owner = [...this.#lookups.users.values()].find(({ id }) => id === ownerId)?.username ?? null;
    const after: PortfolioRow = {
      ...before,
      groupName: patch.groupName === undefined ? before.groupName : patch.groupName,
      tags: patch.tags ?? before.tags,
      expiresAt: patch.expiresAt === undefined ? before.expiresAt : patch.expiresAt,
      registrar: accountName ?? text,
      notes: patch.notes === undefined ? before.notes : patch.notes,
      owner: ownerId === undefined ? before.owner : owner,
      costHundredths: yearlyCost === undefined ? before.costHundredths : toHundredths(yearlyCost),
      currency: patch.currency === undefined ? before.currency : patch.currency,
      remindDays: patch.expiryRemindDays ?? before.remindDays,
    };
    const touchesCost = yearlyCost !== undefined || patch.currency !== undefined;
    return touchesCost && after.costHundredths !== null && after.currency === null
      ? refuse("currency: A cost needs a currency, such as EUR. Write it in a column currency.")
      : ok(after);
  }
}

/** Returns whether a patch has a date looked up that was set by hand, because it names a registrar's account. */
function isLookedUpNow({ expiry_source }: SelectedRow, patch: RowPatch): boolean {
  return expiry_source === "manual" && Boolean(patch.registrarConfigId) && patch.expiresAt === undefined;
}

/**
 * Returns the date set by hand that has to be set again when a patch is taken back: it is looked up by then, or would be, because the account
 * of before is named again. Null for none, and for a date that the patch changes.
 */
function handDateOf(stored: SelectedRow, patch: RowPatch): string | null {
  const { expiry_source, expires_at, registrar_config_id } = stored;
  if (expiry_source !== "manual" || patch.registrarConfigId === undefined) return null;
  const isLost = isLookedUpNow(stored, patch) || registrar_config_id !== null;
  const stays = patch.expiresAt === undefined || patch.expiresAt?.getTime() === expires_at?.getTime();
  return isLost && stays ? (expires_at?.toISOString() ?? null) : null;
}

/** Returns the domain that a row is about. */
function nameOf({ name = "", view = "" }: TableRow["cells"]): Result<{ name: string; view: string | null }> {
  const parsed = parseQualified(name);
  if (!parsed.ok || view === "") return parsed;
  const named = parseView(view);
  if (!named.ok) return named;
  return parsed.value.view === null || parsed.value.view === named.value
    ? ok({ name: parsed.value.name, view: named.value })
    : refuse("The name contains another view than the column view. Write only one.");
}

/** Returns the domain of a name; without a view the default one, or the only one. */
function chosen(
  rows: readonly SelectedRow[],
  { name, view }: { name: string; view: string | null },
): Result<SelectedRow> {
  const views = rows.map((row) => row.view).toSorted();
  if (view === null && views.length > 1 && views[0] !== "")
    return refuse(`${name} has several views here. Name one of them in a column view.`);
  const wanted = view ?? theView(name, views);
  const row = rows.find((one) => one.view === wanted);
  if (row) return ok(row);
  return refuse(`No domain ${shown(qualifiedName({ name, view: wanted }))} is managed here. Add it first.`);
}

/** Reads a cost in the currency that its cell names; else its sign must be one of the domain's. */
function costIn(cell: string, currencyCell: string, stored: string | null): Result<RowPatch> {
  if (cell === "") return ok({ yearlyCost: null });
  const cost = readCost(cell);
  if (!cost.ok) return cost;
  const { hundredths, currencies } = cost.value;
  const named = currencyCell.toUpperCase();
  if (currencies !== null && named !== "" && !currencies.includes(named))
    return refuse(`${shown(cell)} is not in ${shown(currencyCell)}. Write the cost and its currency alike.`);
  const [only = "", ...others] = currencies ?? [];
  if (others.length > 0 && named === "" && !currencies?.includes(stored ?? ""))
    return refuse(`${shown(cell)} can be in several currencies. Write which one in a column currency.`);
  const checkedCost = checked(updateDomainInput.shape.yearlyCost, hundredths / 100);
  if (!checkedCost.ok) return checkedCost;
  const takesOnly = only !== "" && others.length === 0 && named === "";
  return ok({ yearlyCost: hundredths / 100, ...(takesOnly ? { currency: only } : {}) });
}

function toHundredths(cost: number | null): number | null {
  return cost === null ? null : Math.round(cost * 100);
}

/** Returns what the registry says of the registrar, which lookups write; null if it says nothing. */
function knownRegistrar({ registration }: SelectedRow): string | null {
  const facts = fromJson(registration) as RegistrationFacts | null;
  return facts?.registrar ?? null;
}

function checked<T>(schema: z.ZodType<T>, value: unknown): Result<T> {
  const parsed = schema.safeParse(value);
  return parsed.success ? ok(parsed.data) : refuse(parsed.error.issues[0]?.message ?? "This is not valid.");
}

function fieldOf<Field extends keyof RowPatch>(field: Field, value: Result<RowPatch[Field]>): Result<RowPatch> {
  return value.ok ? ok({ [field]: value.value }) : value;
}

/** Keeps what rows refer to from being deleted until the transaction ends. @returns the ids of those that there are */
async function keptOf(tx: EntityManager, table: "users" | "registrar_configs", ids: readonly string[]) {
  if (ids.length === 0) return new Set<string>();
  const rows = await queries(tx)
    .selectFrom(table)
    .select("id")
    .where(sql<boolean>`id in (select value::uuid from ${jsonTexts(ids)})`)
    .$if(table === "users", (query) => query.where(sql<boolean>`disabled_at is null`))
    .orderBy("id")
    .forKeyShare()
    .execute();
  return new Set(rows.map(({ id }) => id));
}
