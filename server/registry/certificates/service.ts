import type { z } from "zod";
import type { setTlsHostsInput } from "./schemas.ts";
import { isDeepStrictEqual } from "node:util";
import { sql } from "kysely";
import type { Caller } from "../../access/caller.ts";
import { zoneFor, type Zone } from "../../access/zone-access.ts";
import { jsonRows, queries, type EntityManager } from "../../database/database.ts";
import type { tlsModes } from "../../database/tables/registrations.ts";
import { parseOwner } from "../../dns/names/names.ts";
import { writeEntry } from "../../notifications/audit/audit.ts";
import type { Enqueue } from "../../ops/jobs/runner.ts";
import { badField } from "../../platform/errors.ts";
import { checkJobName } from "./check-job.ts";
import { endsSoon } from "./findings.ts";
import type { Problem } from "./read.ts";

type Mode = (typeof tlsModes)[number];

type ListedHost = NonNullable<z.infer<typeof setTlsHostsInput>["hosts"]>[number];

interface Parts {
  enqueue: Enqueue;
  now: () => Date;
}

/** Says which hosts of domains have their certificates watched, and what they show. */
export class TlsHosts {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Returns the hosts that the caller may see. @throws AppError NOT_FOUND */
  async get(em: EntityManager, caller: Caller, id: string) {
    return await shownHosts(em, await zoneFor(em, caller, id, "read"), this.#parts.now());
  }

  /** Sets which hosts are watched, and has them checked soon. @throws AppError NOT_FOUND, FORBIDDEN, BAD_REQUEST */
  async set(
    em: EntityManager,
    caller: Caller,
    { id, mode, hosts }: { id: string; mode: Mode; hosts?: readonly ListedHost[] | undefined },
  ) {
    const zone = await zoneFor(em, caller, id, "manage");
    const listed = hosts && readHosts(hosts, zone.name);
    const now = this.#parts.now();
    await em.transactional(async (tx) => {
      const next = mode === "off" ? null : now;
      // Creates the row if it is missing, and locks it.
      const { rows } = await sql<{ mode: Mode }>`
        with before as (select mode from tls_watches where domain_id = ${id}), set_now as (
          insert into tls_watches (domain_id, mode, next_check_at, left_out)
          values (${id}, ${mode}, ${next}::timestamptz, 0)
          on conflict (domain_id) do update set mode = excluded.mode, next_check_at = excluded.next_check_at, left_out = 0
        )
        select mode from before
      `.execute(queries(tx));
      const before = { mode: rows[0]?.mode ?? "off", hosts: await listedHosts(tx, id) };
      if (listed) await replaceListed(tx, id, listed);
      if (mode !== "all") await sql`delete from tls_hosts where domain_id = ${id} and not listed`.execute(queries(tx));
      // What is not watched has no state that could be out of date.
      if (mode === "off")
        await queries(tx)
          .updateTable("tls_hosts")
          .set({
            not_before: null,
            not_after: null,
            issuer: null,
            fingerprint: null,
            problem: null,
            error: null,
            checked_at: null,
          })
          .where("domain_id", "=", id)
          .execute();
      const after = { mode, hosts: await listedHosts(tx, id) };
      // Without a change, the call only has the hosts checked anew.
      if (!isDeepStrictEqual(before, after))
        await writeEntry(tx, now, caller, {
          action: "domain.change_tls_hosts",
          targetType: "domain",
          targetId: id,
          before,
          after,
        });
      if (mode !== "off") await this.#parts.enqueue(tx, checkJobName, {});
    });
    return await shownHosts(em, zone, now);
  }
}

async function shownHosts(em: EntityManager, { id, rights }: Zone, now: Date) {
  const watch = await queries(em)
    .selectFrom("tls_watches")
    .select(["mode", "left_out"])
    .where("domain_id", "=", id)
    .executeTakeFirst();
  const rows = await queries(em)
    .selectFrom("tls_hosts")
    .select([
      "host",
      "port",
      "starttls",
      "listed",
      "not_before",
      "not_after",
      "issuer",
      "problem",
      "error",
      "checked_at",
    ])
    .where("domain_id", "=", id)
    .orderBy("host")
    .orderBy("port")
    .execute();
  return {
    domainId: id,
    mode: watch?.mode ?? "off",
    hosts: rows
      .filter(({ host }) => rights.sees.includesAllAt(host))
      .map(({ host, port, starttls, listed, issuer, error, ...row }) => ({
        host,
        port,
        starttls,
        listed,
        notAfter: row.not_after,
        endsSoon: endsSoon({ notBefore: row.not_before, notAfter: row.not_after, problem: row.problem }, now),
        issuer,
        problem: row.problem as Problem | null,
        error,
        checkedAt: row.checked_at,
      })),
    leftOut: watch?.left_out ?? 0,
  };
}

/** Returns the listed hosts as the audit trail keeps them. */
async function listedHosts(em: EntityManager, id: string): Promise<string[]> {
  const rows = await queries(em)
    .selectFrom("tls_hosts")
    .select(["host", "port", "starttls"])
    .where("domain_id", "=", id)
    .where("listed", "=", true)
    .orderBy("host")
    .orderBy("port")
    .execute();
  return rows.map(({ host, port, starttls }) => `${host}:${port}${starttls === null ? "" : ` ${starttls}`}`);
}

async function replaceListed(em: EntityManager, id: string, listed: readonly ListedHost[]): Promise<void> {
  const given = sql`${jsonRows(listed)} as g(host text, port int, starttls text)`;
  // A host that is read in another way is another host: nothing is known of it yet.
  await sql`
    delete from tls_hosts h where h.domain_id = ${id}
      and (h.listed and not exists (select from ${given} where g.host = h.host and g.port = h.port)
        or exists (select from ${given} where g.host = h.host and g.port = h.port and g.starttls is distinct from h.starttls))
  `.execute(queries(em));
  await sql`
    insert into tls_hosts (domain_id, host, port, starttls, listed)
    select ${id}::uuid, g.host, g.port, g.starttls, true from ${given}
    on conflict (domain_id, host, port) do update set listed = true
  `.execute(queries(em));
}

/** Returns the hosts relative to the zone. @throws AppError BAD_REQUEST */
function readHosts(hosts: readonly ListedHost[], zone: string): ListedHost[] {
  const seen = new Set<string>();
  return hosts.map(({ host: given, port, starttls }, index) => {
    const owner = parseOwner(given, zone);
    if (!owner.ok) throw badField(["hosts", index, "host"], owner.message);
    const host = owner.value;
    if (!/^(?:@|[a-z0-9-]+(?:\.[a-z0-9-]+)*)$/.test(host))
      throw badField(
        ["hosts", index, "host"],
        `"${given.trim().slice(0, 100)}" is not a host that clients connect to. Name one such as www, or @ for the domain itself.`,
      );
    const place = `${host}:${port}`;
    if (seen.has(place)) throw badField(["hosts", index], `${host}, port ${port}, is listed twice.`);
    seen.add(place);
    return { host, port, starttls };
  });
}
