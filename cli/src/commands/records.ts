import type { Command } from "commander";
import type { Change, Client, DnsRecord, Domain } from "@zonewright/client";
import {
  changeInput,
  command,
  group,
  ttlOf,
  wholeNumber,
  withChanges,
  withJson,
  type ChangeOptions,
} from "../command.ts";
import { connect } from "../credentials.ts";
import { Failure } from "../failure.ts";
import { carryOut, offeredPointers, planFor, requested } from "../plans.ts";
import { printJson, printTable, progress, type Column } from "../terminal.ts";
import { domainNamed, every, fullName, notesOf, recordColumns } from "../zones.ts";
import { edit } from "./edit.ts";

export function records(): Command {
  return group("records", "List, add, set, remove and edit records", [list(), add(), set(), remove(), edit()], "list");
}

interface ListOptions {
  type?: string;
  name?: string;
  search?: string;
  at?: string;
  serverManaged?: true;
  json?: true;
}

function list(): Command {
  return withJson(
    command("list <domain>", "List a domain's records", {
      examples: [
        ["records example.com", "List all records."],
        ["records list example.com --type MX", "List those of a type."],
        [
          "records list example.com!internal --search mail --json",
          "Print those of a view whose text contains `mail`, for programs.",
        ],
      ],
    }),
  )
    .option("--type <type>", "only records of this type")
    .option("--name <name>", "only records of exactly this name; @ is the apex")
    .option("--search <text>", "only records whose name, value or comment contains this text")
    .option("--at <revision>", "as they were at this revision of the zone")
    .option("--server-managed", "also what the name server maintains, such as signatures")
    .action(async (domain: string, { json, search, at, serverManaged, ...filters }: ListOptions) => {
      const client = await connect();
      const { id } = await domainNamed(client, domain);
      const found: DnsRecord[] = [];
      const input = {
        id,
        ...filters,
        ...(search === undefined ? {} : { filter: search }),
        ...(at === undefined ? {} : { at: wholeNumber(at, "--at") }),
        ...(serverManaged ? {} : { serverManaged: false }),
      };
      for await (const record of client.eachRecord(input, { pageSize: 500 })) {
        found.push(record);
        if (found.length % 500 === 0) progress(`${found.length} records …`);
      }
      progress("");
      if (json) printJson({ records: found, total: found.length });
      else printTable(found, usedColumns(found), "No matching records.");
    });
}

/** Most zones have no notes. */
function usedColumns(found: readonly DnsRecord[]): readonly Column<DnsRecord>[] {
  return found.some((record) => notesOf(record) !== "") ? recordColumns : recordColumns.slice(0, -1);
}

interface WriteOptions extends ChangeOptions {
  ttl?: string;
  comment?: string;
  proxied?: true;
  disabled?: true;
  reverse?: true;
}

/** The options of commands that write records, besides those of all changes. */
function withFields(made: Command): Command {
  return withChanges(made, { request: true })
    .option("--ttl <ttl>", "time to live: seconds, or 5m, 1h, 1d, 1w")
    .option("--comment <text>", "a note that DNS does not publish")
    .option("--proxied", "through the provider's proxy, where it has one")
    .option("--disabled", "keep the record out of DNS")
    .option("--reverse", "also make the PTR changes that the domain offers");
}

function fieldsOf({ ttl, comment, proxied, disabled }: WriteOptions) {
  return {
    ...(ttl === undefined ? {} : { ttl: ttlOf(ttl) }),
    ...(comment === undefined ? {} : { comment }),
    ...(proxied ? { proxied: true } : {}),
    ...(disabled ? { status: "disabled" as const } : {}),
  };
}

function add(): Command {
  return withFields(
    command("add <domain> <name> <type> <value...>", "Add records", {
      more: "Each value makes a record. Quote a value that contains spaces.",
      examples: [
        ["records add example.com www A 192.0.2.1 192.0.2.2 --ttl 5m", "Add two addresses."],
        [
          "records add example.com @ MX '10 mail.example.com' -m 'New mail server'",
          "Add a mail server, with a reason for the history.",
        ],
        ["records add example.com @ TXT 'v=spf1 -all' --request 'No mail from here'", "Ask for a review instead."],
      ],
    }),
  ).action(async (domain: string, name: string, type: string, values: string[], options: WriteOptions) => {
    const client = await connect();
    const zone = await domainNamed(client, domain);
    const fields = fieldsOf(options);
    const record = (value: string) => ({ recordType: type.toUpperCase(), name, value, ...fields });
    await change(
      client,
      zone,
      values.map((value) => ({ action: "create", record: record(value) })),
      options,
    );
  });
}

function set(): Command {
  return withFields(
    command("set <domain> <name> <type> <value...>", "Give a name exactly these values of a type", {
      more:
        "Values that it has stay, others of the type are changed or deleted. Running it twice changes nothing. A disabled record with one of the " +
        "values is enabled; others stay as they are.",
      examples: [
        ["records set example.com www A 192.0.2.7", "Point www to one address, whatever it had."],
        ["records set example.com www A 192.0.2.7 --ttl 60 --dry-run", "See what that would change."],
      ],
    }),
  ).action(async (domain: string, name: string, type: string, values: string[], options: WriteOptions) => {
    const client = await connect();
    const zone = await domainNamed(client, domain);
    const recordType = type.toUpperCase();
    await change(
      client,
      zone,
      await settingChanges(client, zone, { name, recordType, values }, fieldsOf(options)),
      options,
    );
  });
}

/**
 * Returns the changes that leave a name with these values. A value that goes makes room for one that comes, which keeps the record's history.
 * A disabled record is not in DNS: it is enabled if it has a wanted value, and stays as it is otherwise. `--disabled` is about all of them.
 */
async function settingChanges(
  client: Client,
  { id }: Domain,
  { name, recordType, values }: { name: string; recordType: string; values: readonly string[] },
  fields: ReturnType<typeof fieldsOf>,
): Promise<Change[]> {
  const present = await every(client.eachRecord({ id, name, type: recordType, serverManaged: false }));
  const isOut = ({ status }: DnsRecord) => fields.status === undefined && status === "disabled";
  const left = new Map(present.filter((record) => !isOut(record)).map((record) => [record.id, record]));
  const disabled = new Set(present.filter(isOut).map(({ id: recordId }) => recordId));
  const missing: string[] = [];
  const changes: Change[] = [];
  for (const value of new Set(values)) {
    // The server knows which spellings are the same value.
    const { records: same } = await client.records.list.query({
      id,
      name,
      type: recordType,
      value,
      serverManaged: false,
    });
    const kept = same.find((record) => left.delete(record.id)) ?? same.find((record) => disabled.delete(record.id));
    if (kept === undefined) {
      missing.push(value);
      continue;
    }
    const wanted = isOut(kept) ? { ...fields, status: "active" as const } : fields;
    if (differs(kept, wanted)) changes.push({ action: "update", recordId: kept.id, record: wanted });
  }
  const spare = [...left.values()];
  for (const value of missing) {
    const old = spare.shift();
    changes.push(
      old === undefined
        ? { action: "create", record: { recordType, name, value, ...fields } }
        : { action: "update", recordId: old.id, record: { value, ...fields } },
    );
  }
  return [...changes, ...spare.map((old): Change => ({ action: "delete", recordId: old.id }))];
}

function differs(record: DnsRecord, fields: object): boolean {
  return Object.entries(fields).some(([key, value]) => record[key as keyof DnsRecord] !== value);
}

function remove(): Command {
  return withChanges(
    command("rm <domain> <name> [type] [value...]", "Remove records", {
      more: "Without a type, every record of the name; without a value, every one of the type.",
      examples: [
        ["records rm example.com old", "Remove every record of old, after a question."],
        ["records rm example.com www A 192.0.2.1 --yes", "Remove one address without a question."],
      ],
    }),
    { request: true },
  )
    .option("--reverse", "also make the PTR changes that the domain offers")
    .action(async (domain: string, name: string, type: string | undefined, values: string[], options: WriteOptions) => {
      const client = await connect();
      const zone = await domainNamed(client, domain);
      const recordType = type?.toUpperCase();
      const filter = {
        id: zone.id,
        name,
        serverManaged: false,
        ...(recordType === undefined ? {} : { type: recordType }),
      };
      const found = new Map<string, DnsRecord>();
      for (const value of values.length > 0 ? values : [undefined]) {
        const matching = await every(client.eachRecord({ ...filter, ...(value === undefined ? {} : { value }) }));
        if (matching.length === 0) {
          const what = [name, recordType, value].filter((part) => part !== undefined).join(" ");
          throw new Failure(
            `${fullName(zone)} has no record ${what}. \`zonewright records ${fullName(zone)}\` lists them.`,
          );
        }
        for (const record of matching) found.set(record.id, record);
      }
      await change(
        client,
        zone,
        [...found.keys()].map((recordId) => ({ action: "delete", recordId })),
        options,
      );
    });
}

/** Plans changes, shows the plan, and applies exactly it or asks for a review of it. */
async function change(client: Client, zone: Domain, changes: Change[], options: WriteOptions): Promise<void> {
  const { id } = zone;
  const domain = fullName(zone);
  if (changes.length === 0) {
    await carryOut({
      domain,
      plan: { creates: [], updates: [], deletes: [] },
      options,
      apply: () => Promise.resolve({}),
    });
    return;
  }
  const input = { id, changes, ...(options.reverse ? { reverse: true } : {}) };
  const plan = await planFor(client, { ...input, ...(options.unlock ? { unlock: true } : {}) }, options);
  const warnings = [...plan.warnings, ...offeredPointers(plan.reverse, "--reverse makes them, too.")];
  // The plan of a new record does not say which comment it gets.
  const { comment } = fieldsOf(options);
  const creates = comment === undefined ? plan.creates : plan.creates.map((record) => ({ ...record, comment }));
  await carryOut({
    domain,
    plan: { ...plan, creates, warnings },
    options,
    apply: async () =>
      await client.records.applyPlan.mutate({ ...input, planHash: plan.planHash, ...changeInput(options) }),
    request: async (title) => await requested(client, input, title, options),
  });
}
