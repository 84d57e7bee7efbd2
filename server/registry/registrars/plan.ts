import { createHash } from "node:crypto";
import type { KnownCertificates } from "../certificates/findings.ts";
import { standsFor, type Ds, type ZoneKey } from "../../dns/dnssec/keys.ts";
import type { ServedKeys, ServerSeen } from "../delegation/observe.ts";
import { AppError, badField } from "../../platform/errors.ts";
import { readDs, readHostNames } from "../expiry/dates.ts";
import {
  differencesAtParent,
  isSame,
  type ChangeableField,
  type PublishedKey,
  type Refusal,
  type RegistrarChange,
  type RegistrarState,
} from "./registrar.ts";
import type { AcceptedChanges, FailedChanges, FailedTask } from "./stored-reading.ts";

/** What a caller wants of a registration, with names and DS records in canonical form; what is left out stays. */
export interface WantedRegistration {
  nameServers?: string[] | undefined;
  ds?: string[] | undefined;
  locked?: boolean | undefined;
  autoRenew?: boolean | undefined;
}

/** A field that a plan changes. Null: the registrar does not say what it is. */
export interface FieldChange {
  field: ChangeableField;
  before: string[] | boolean | null;
  after: string[] | boolean;
}

/** What the name servers that the registration will have say of the zone. Null: they cannot be asked. */
export interface Probe {
  servers: ServerSeen[];
  /** The keys at each of their addresses that serves the zone. */
  served: ServedKeys[];
}

/** Why a change needs `force`. */
export interface Risk {
  /** What it concerns, whatever the message says of it: two risks about the same thing are one. */
  about: string;
  message: string;
}

export interface RegistrationPlan {
  changes: FieldChange[];
  /** What the change means, which nothing confirms. */
  warnings: string[];
  risks: Risk[];
  /** Why it is refused, whatever is confirmed. */
  refusals: Refusal[];
}

const order: readonly ChangeableField[] = ["autoRenew", "locked", "nameServers", "ds"];

/** How messages name a field. */
const words: Record<ChangeableField, string> = {
  nameServers: "name servers",
  ds: "DS records",
  locked: "the transfer lock",
  autoRenew: "automatic renewal",
};

function minuteOf(time: Date): string {
  return time.toISOString().slice(0, 16).replace("T", " ");
}

/** Name servers and DS records must match, so a change of one is no safer while the other is in flight. */
const delegating: readonly ChangeableField[] = ["nameServers", "ds"];

/** Returns the risks of changes of fields, or of what must match them, that the registrar is still changing. Pure. @param vendor its name */
export function overtaking(vendor: string, accepted: AcceptedChanges, changes: readonly FieldChange[]): Risk[] {
  const touched = new Set(changes.flatMap(({ field }) => (delegating.includes(field) ? delegating : [field])));
  return order.flatMap((field) => {
    if (!touched.has(field)) return [];
    const earlier = accepted[field];
    if (earlier === undefined) return [];
    const isAgain = changes.some((change) => change.field === field && isSame(change.after, earlier.after));
    const advice = isAgain
      ? "This is the same change. Wait until it shows the change, or look in its console, and send it again only if it failed."
      : "It may refuse another one, or carry it out first. Wait until it shows the change, or look in its console.";
    const message = `${vendor} does not show the change of ${words[field]} of ${minuteOf(earlier.at)} UTC yet. ${advice}`;
    return [{ about: `accepted ${field}`, message }];
  });
}

/**
 * Returns what differs from what the registrar accepted or shows. A change that it accepted may have failed since, so it can be sent again.
 * @param state what it will show once it has carried out what it accepted @param shown what it shows now
 */
export function differences(
  state: RegistrarState,
  wanted: WantedRegistration,
  shown: RegistrarState = state,
): FieldChange[] {
  return order.flatMap((field) => {
    const after = wanted[field];
    if (after === undefined) return [];
    const before = [state[field], shown[field]].find((value) => !isSame(value, after));
    return before === undefined ? [] : [{ field, before, after }];
  });
}

/**
 * Judges a change of a registration: what would take the domain off the net. Pure.
 * @param zone the registered name @param state what the registrar will show once it has carried out what it accepted
 * @param probe of the name servers that it will have, and may still have @param confirmed keys that the zone is known to have
 * @param shown what the registrar shows now, which is still in force
 */
export function judgeRegistration(
  zone: string,
  state: RegistrarState,
  changes: FieldChange[],
  probe: Probe | null,
  confirmed: readonly ZoneKey[] = [],
  shown: Pick<RegistrarState, "ds"> = state,
): RegistrationPlan {
  const afterOf = <Field extends ChangeableField>(field: Field) =>
    (changes.find((change) => change.field === field)?.after ?? state[field]) as RegistrarState[Field];
  const changed = (field: ChangeableField) => changes.some((change) => change.field === field);
  const plan: RegistrationPlan = { changes, warnings: [], risks: [], refusals: [] };
  const keys = knownKeys(probe, confirmed);
  const ds = afterOf("ds") ?? [];
  if (changed("nameServers")) plan.risks.push(...silentServers(zone, afterOf("nameServers") ?? [], probe));
  if (changed("ds")) {
    for (const one of ds.filter((record) => ![state, shown].every((one) => one.ds?.includes(record)))) {
      if (keys.length === 0 && !isSaid(probe))
        plan.risks.push({
          about: `ds ${one}`,
          message: `The keys of ${zone} could not be read, so it is not known whether DS ${one} matches one.`,
        });
      else if (!keys.some((key) => standsFor(dsOf(one), key, zone))) {
        const message = `DS ${one} matches no key of ${zone}, so validating resolvers would refuse the domain. Publish the key in the zone first.`;
        plan.refusals.push({ field: "ds", message });
      }
    }
    if (ds.length === 0) plan.warnings.push(`Without a DS record, resolvers no longer validate ${zone}.`);
  }
  const replacesDs = changed("ds") || !isSame(shown.ds, state.ds);
  const before = [...new Set([...(shown.ds ?? []), ...((changed("ds") && state.ds) || [])])];
  if (changed("nameServers") && replacesDs && before.length > 0) {
    const { without, unknown } = serversFor(zone, before, probe);
    const lacking = (said: string) => (name: string) => ({
      about: `ds before ${name}`,
      message: `Resolvers keep the old DS records of ${zone} for their TTL, and ${name} ${said} one of them. Change the DS records first, and the name servers when that time has passed.`,
    });
    plan.risks.push(...without.map(lacking("has no key that matches")));
    plan.risks.push(...unknown.map(lacking("is not known to have a key that matches")));
  }
  if ((changed("nameServers") || changed("ds")) && ds.length > 0 && plan.refusals.length === 0)
    plan.risks.push(...serversWithoutKeys(zone, ds, probe));
  if (changed("locked") && afterOf("locked") === false)
    plan.warnings.push(
      `Without the transfer lock, whoever has the authorization code can transfer ${zone} to another registrar.`,
    );
  if (changed("autoRenew") && afterOf("autoRenew") === false)
    plan.warnings.push(`Without automatic renewal, ${zone} is lost unless somebody renews it.`);
  return plan;
}

function silentServers(zone: string, wanted: readonly string[], probe: Probe | null): Risk[] {
  if (probe === null) {
    const message = "Checks from outside are turned off, so it is not known whether the name servers answer.";
    return [{ about: "servers", message }];
  }
  return wanted.flatMap((name) => {
    const at = probe.servers.filter((server) => server.name === name);
    if (at.some(({ state }) => state === "authoritative")) return [];
    const detail = at.find((server) => server.detail !== null)?.detail;
    const message = `${name} does not answer for ${zone}.${detail ? ` ${detail}` : ""} Set the zone up there first.`;
    return [{ about: `server ${name}`, message }];
  });
}

/** Returns all keys that are known, whichever server has them. */
export function knownKeys(probe: Probe | null, confirmed: readonly ZoneKey[] = []): ZoneKey[] {
  return [...(probe?.served ?? []).flatMap(({ keys }) => keys ?? []), ...confirmed];
}

/** Returns whether a server said which keys it has. */
function isSaid(probe: Probe | null): boolean {
  return probe?.served.some(({ keys }) => keys !== null) === true;
}

/**
 * Returns the name servers that have no key for any of the DS records, and those whose keys are not known. One key at each is enough: zones
 * that several providers sign have a DS record for the key of each (RFC 8901).
 */
function serversFor(zone: string, ds: readonly string[], probe: Probe | null) {
  const named = (of: (keys: ZoneKey[] | null) => boolean) => [
    ...new Set((probe?.served ?? []).flatMap(({ name, keys }) => (of(keys) ? [name] : []))),
  ];
  const matches = (keys: readonly ZoneKey[]) => ds.some((one) => keys.some((key) => standsFor(dsOf(one), key, zone)));
  const without = named((keys) => keys !== null && !matches(keys));
  return { without, unknown: named((keys) => keys === null).filter((name) => !without.includes(name)) };
}

function serversWithoutKeys(zone: string, ds: readonly string[], probe: Probe | null): Risk[] {
  const { without, unknown } = serversFor(zone, ds, probe);
  return [
    ...without.map((name) => ({
      about: `keys ${name}`,
      message: `${name} has no key of ${zone} that matches a planned DS record, so validating resolvers that ask it would refuse ${zone}. Serve the signed zone there first, or remove the DS records and wait for their TTL.`,
    })),
    ...unknown.map((name) => ({
      about: `keys ${name}`,
      message: `${name} does not say which keys of ${zone} it has, so it is not known whether one matches a planned DS record. Without one, validating resolvers that ask it would refuse ${zone}.`,
    })),
  ];
}

/** @throws AppError BAD_REQUEST for what is refused whatever is confirmed */
export function refuseImpossible({ refusals }: RegistrationPlan): void {
  if (refusals.length === 0) return;
  const issues = refusals.map(({ field, message }) => ({ path: [field], message }));
  throw new AppError("BAD_REQUEST", issues.map(({ message }) => message).join(" "), { issues });
}

/** The refusal of a change with risks that nobody has accepted. */
export function needsForce(risks: readonly Risk[]): AppError {
  const messages = risks.map(({ message }) => message).join(" ");
  return new AppError(
    "CONFIRMATION_REQUIRED",
    `${messages} To change it nevertheless, repeat the call with force: true.`,
  );
}

/** Returns what is wanted with names and DS records in canonical form. @throws AppError BAD_REQUEST */
export function canonical({ nameServers, ds, locked, autoRenew }: WantedRegistration): WantedRegistration {
  const hosts = nameServers?.map((text, index) => {
    const [host] = readHostNames([text]);
    if (host === undefined)
      throw badField(["nameServers", index], "This must be a host name, such as ns1.example.net.");
    return host;
  });
  const records = ds?.map((text, index) => {
    const record = readDs(text);
    if (record === null)
      throw badField(
        ["ds", index],
        "This must be a DS record as in a zone file: key tag, algorithm, digest type and digest.",
      );
    return record;
  });
  return {
    ...(hosts && { nameServers: [...new Set(hosts)].toSorted() }),
    ...(records && { ds: [...new Set(records)].toSorted() }),
    ...(locked === undefined ? {} : { locked }),
    ...(autoRenew === undefined ? {} : { autoRenew }),
  };
}

/** Returns the change to send for one field. DS records come with their keys, for registrars that take these. */
export function changeOf({ field, after }: FieldChange, zone: string, keys: readonly ZoneKey[]): RegistrarChange {
  if (field !== "ds") return { [field]: after };
  const wanted = Array.isArray(after) ? after : [];
  return {
    ds: wanted.map((ds) => {
      const key = keys.find((one) => standsFor(dsOf(ds), one, zone));
      return { ds, key: key ? published(key) : null };
    }),
  };
}

/** Returns the order in which to send changes: DS records go before name servers that do not serve their keys. */
export function sendingOrder(changes: readonly FieldChange[]): FieldChange[] {
  const removesDs = changes.find(({ field, after }) => field === "ds" && Array.isArray(after) && after.length === 0);
  return removesDs ? [removesDs, ...changes.filter((change) => change !== removesDs)] : [...changes];
}

/**
 * Identifies a plan: the fields that it changes, before and after; then, behind a dot, each risk that goes with it, as eight characters.
 * So a hash that somebody approved says which risks they accepted.
 */
export function registrationHash(
  configId: string,
  changes: readonly FieldChange[],
  risks: readonly Risk[] = [],
): string {
  const accepted = risks.map(({ about }) => digest(about).slice(0, riskCharacters)).toSorted();
  return [digest(JSON.stringify([configId, changes])), ...(accepted.length > 0 ? [accepted.join("")] : [])].join(".");
}

const riskCharacters = 8;

function digest(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}

/** Returns whether the approval of one hash covers a plan with another: the same changes, and no risk that was not accepted. */
export function approvalCovers(approved: string, present: string): boolean {
  const [changes, risks] = hashParts(approved);
  const [others, found] = hashParts(present);
  return changes === others && found.every((risk) => risks.includes(risk));
}

/** Returns the hash of the changes, and those of the risks. Hashes of records have none. */
function hashParts(hash: string): [changes: string, risks: string[]] {
  const [changes = "", risks = ""] = hash.split(".");
  return [changes, risks.match(riskPattern) ?? []];
}

const riskPattern = /.{8}/g;

/** Returns whether two hashes stand for the same changes, whatever the risks. */
export function changesAlike(one: string, other: string): boolean {
  return hashParts(one)[0] === hashParts(other)[0];
}

function published({ rdata }: ZoneKey): PublishedKey {
  const octets = Buffer.from(rdata, "hex");
  return {
    flags: octets.readUInt16BE(0),
    algorithm: octets.readUInt8(3),
    publicKey: octets.subarray(4).toString("base64"),
  };
}

function dsOf(text: string): Ds {
  const [tag = 0, algorithm = 0, digestType = 0] = text.split(" ").slice(0, 3).map(Number);
  return { tag, algorithm, digestType, digest: text.split(" ").slice(3).join("") };
}

export const registrationFindings = [
  "expired",
  "expires_without_renewal",
  "expires_soon",
  "certificate_invalid",
  "certificate_expiring",
  "ds_differ",
  "name_servers_differ",
  "change_failed",
  "unlocked",
  "registrar_failed",
  "auto_renew_off",
  "dates_differ",
] as const;

/** Something to do about a registration. */
export interface RegistrationFinding {
  code: (typeof registrationFindings)[number];
  severity: "error" | "warning" | "info";
  /** What is wrong and what to do. */
  message: string;
}

interface Known {
  name: string;
  expiresAt: Date | null;
  registryExpiresAt: Date | null;
  registrar: RegistrarState | null;
  registrarError: string | null;
  /** What the registrar accepted and could not carry out. Left out: nothing. */
  failed?: FailedChanges;
  /** What the parent zone says of the registered name; null: not known, as of a zone below that name, whose parent zone is another one. */
  parent: { nameServers: string[]; ds: string[] | null } | null;
  /** Null: nothing is wrong, or the caller may not see all hosts. */
  certificates: KnownCertificates | null;
}

const day = 24 * 3_600_000;
const soonDays = 30;

/** Returns what is wrong with a registration, worst first. Pure. */
export function judgeKnown(
  { name, expiresAt, registryExpiresAt, registrar, registrarError, failed = {}, parent, certificates }: Known,
  now: Date,
): RegistrationFinding[] {
  const found: RegistrationFinding[] = [];
  const add = (code: RegistrationFinding["code"], severity: RegistrationFinding["severity"], message: string) =>
    found.push({ code, severity, message });
  const days = expiresAt === null ? null : Math.ceil((expiresAt.getTime() - now.getTime()) / day);
  if (days !== null && days <= 0)
    add("expired", "error", `${name} has expired. Renew it at its registrar while you still can.`);
  else if (days !== null && days <= soonDays && registrar?.autoRenew === false)
    add(
      "expires_without_renewal",
      "error",
      `${name} expires in ${days} days and does not renew itself. Renew it, or turn automatic renewal on.`,
    );
  else if (days !== null && days <= soonDays && (registrar?.autoRenew ?? null) === null)
    add(
      "expires_soon",
      "warning",
      `${name} expires in ${days} days, and whether it renews itself is not known. Check it at its registrar.`,
    );
  else if (registrar?.autoRenew === false)
    add(
      "auto_renew_off",
      "info",
      `${name} does not renew itself. Turn automatic renewal on, unless you want to let it go.`,
    );
  addCertificates(certificates, now, add);
  const differ = differencesAtParent(registrar, parent);
  if (differ.ds)
    add(
      "ds_differ",
      "warning",
      `The DS records of ${name} at the registrar are not those in the parent zone. If it stays so for a day, ask the registrar.`,
    );
  if (differ.nameServers)
    add(
      "name_servers_differ",
      "warning",
      `The name servers of ${name} at the registrar are not those in the parent zone. If it stays so for a day, ask the registrar.`,
    );
  for (const field of order) {
    const change = failed[field];
    if (change === undefined) continue;
    add("change_failed", "error", failureMessage(name, { field, ...change }));
  }
  if (registrar?.locked === false)
    add("unlocked", "warning", `${name} can be transferred to another registrar. Turn its transfer lock on.`);
  if (registrarError !== null)
    add("registrar_failed", "warning", `The registrar's account could not be read: ${registrarError}`);
  const dates = [registryExpiresAt, registrar?.expiresAt ?? null].map((date) => date?.toISOString().slice(0, 10));
  if (dates[0] !== undefined && dates[1] !== undefined && dates[0] !== dates[1]) {
    const counting = dates.indexOf(expiresAt?.toISOString().slice(0, 10));
    const counts = counting === -1 ? "" : ` The ${counting === 0 ? "registry" : "registrar"}'s date counts.`;
    add(
      "dates_differ",
      "info",
      `The registry says that ${name} expires on ${dates[0]}, the registrar ${registrarError === null ? "says" : "said"} ${dates[1]}.${counts}`,
    );
  }
  const severities = ["error", "warning", "info"];
  return found.toSorted((one, other) => severities.indexOf(one.severity) - severities.indexOf(other.severity));
}

/** Says that a change of a registration was not carried out, and what to do. */
export function failureMessage(
  name: string,
  { field, at, reason }: Pick<FailedTask, "field" | "at" | "reason">,
): string {
  const said = reason === "" ? "It gave no reason." : `It says: ${reason}`;
  return `The registrar accepted the change of ${words[field]} of ${name} of ${minuteOf(at)} UTC, and did not carry it out. ${said} Look in its console, then send the change again.`;
}

function alsoOf(others: number, what: string): string {
  return others === 0
    ? ""
    : ` ${others === 1 ? "One more host has" : `${others} more hosts have`} a certificate that ${what}.`;
}

function addCertificates(
  known: KnownCertificates | null,
  now: Date,
  add: (code: RegistrationFinding["code"], severity: RegistrationFinding["severity"], message: string) => void,
): void {
  const { invalid = null, expiring = null } = known ?? {};
  if (invalid) add("certificate_invalid", "error", `${invalid.error ?? ""}${alsoOf(invalid.others, "is not valid")}`);
  if (expiring?.notAfter) {
    const days = Math.ceil((expiring.notAfter.getTime() - now.getTime()) / day);
    const when = days <= 0 ? "has expired" : days === 1 ? "expires within a day" : `expires in ${days} days`;
    add(
      "certificate_expiring",
      "warning",
      `The certificate of ${expiring.name} ${when}. Renew it, or find out why it was not renewed automatically.${alsoOf(expiring.others, "expires soon")}`,
    );
  }
}
