import { domainToASCII, domainToUnicode } from "node:url";
import { accepted, refuseConflicts, Refused, type DnspodEntry, type Wanted } from "./rules.ts";

type Given = Readonly<Record<string, unknown>>;

interface Domain {
  name: string;
  grade: string;
  records: Map<number, DnspodEntry & { visibleFrom: number }>;
}

type Kind = "string" | "integer" | "boolean" | "array";

const domain = "Domain DomainId:integer";
const values = `${domain} SubDomain RecordType RecordLine RecordLineId Value MX:integer TTL:integer Weight:integer Status Remark DnssecConflictMode`;

/** Parameters by action: required, and all allowed, with their types unless they are strings. */
const actions: Readonly<Record<string, { needs: string; takes: string }>> = {
  DescribeDomainList: { needs: "", takes: "Type Offset:integer Limit:integer GroupId:integer Keyword Tags:array" },
  CreateDomain: { needs: "Domain", takes: "Domain GroupId:integer IsMark TransferSubDomain:boolean Tags:array" },
  DescribeDomain: { needs: "Domain", takes: domain },
  DescribePackageDetail: { needs: "", takes: "" },
  DescribeRecordList: {
    needs: "Domain",
    takes: `${domain} Subdomain RecordType RecordLine RecordLineId GroupId:integer Keyword SortField SortType Offset:integer Limit:integer ErrorOnEmpty`,
  },
  CreateRecord: { needs: "Domain RecordType RecordLine Value", takes: `${values} GroupId:integer` },
  ModifyRecord: { needs: "Domain RecordType RecordLine Value RecordId", takes: `${values} RecordId:integer` },
  DeleteRecord: { needs: "Domain RecordId", takes: `${domain} RecordId:integer` },
};

function parametersOf(action: string): { needs: string[]; takes: Map<string, Kind> } | null {
  const known = actions[action];
  if (!known) return null;
  const takes = known.takes.split(" ").map((one) => {
    const [name = "", kind = "string"] = one.split(":");
    return [name, kind as Kind] as const;
  });
  return { needs: known.needs === "" ? [] : known.needs.split(" "), takes: new Map(takes) };
}

/** The floors of TTLs by package. */
const packages: Readonly<Record<string, number>> = { DP_FREE: 600, DP_PLUS: 60, DP_ULTRA: 1 };

/** What one account has at the vendor, and the actions on it. */
export class DnspodAccount {
  readonly domains = new Map<string, Domain>();
  /** Names that other accounts have. */
  readonly foreign = new Set<string>();
  /** How many list calls miss a new record. */
  indexLag = 0;
  #lists = 0;
  #ids = 1_600_000_000;

  addDomain(zone: string, grade = "DP_ULTRA"): void {
    const name = domainToUnicode(zone);
    this.domains.set(name, { name, grade, records: new Map() });
    for (const server of ["f1g1ns1.dnspod.net.", "f1g1ns2.dnspod.net."]) {
      this.place(zone, { Name: "@", Type: "NS", Value: server, TTL: 86_400, DefaultNS: true });
    }
  }

  /** Adds a record as the console does, bypassing the rules. */
  place(zone: string, entry: Partial<DnspodEntry> & Pick<DnspodEntry, "Name" | "Type" | "Value">): number {
    const id = (this.#ids += 3);
    const usual = {
      TTL: 600,
      MX: 0,
      Line: "默认",
      LineId: "0",
      Status: "ENABLE" as const,
      Weight: null,
      DefaultNS: false,
    };
    const shown = { Remark: "", MonitorStatus: "", UpdatedOn: "2026-01-01 00:00:00" };
    this.#domain(domainToUnicode(zone)).records.set(id, { RecordId: id, ...usual, ...shown, visibleFrom: 0, ...entry });
    return id;
  }

  /** Deletes a record as the console does. */
  displace(id: number): void {
    for (const { records } of this.domains.values()) records.delete(id);
  }

  records(zone: string): DnspodEntry[] {
    return [...this.#domain(domainToUnicode(zone)).records.values()];
  }

  /** @throws Refused */
  call(action: string, given: Given): object {
    const known = parametersOf(action);
    if (!known) throw new Refused("InvalidAction", "The request action is not found.");
    for (const [name, value] of Object.entries(given)) {
      const kind = known.takes.get(name);
      if (!kind) throw new Refused("UnknownParameter", `The parameter \`${name}\` is not recognized.`);
      if (!isOf(kind, value))
        throw new Refused("InvalidParameter", `The parameter \`${name}\` must be of type ${kind}.`);
    }
    const missing = known.needs.find((name) => given[name] === undefined);
    if (missing !== undefined) {
      throw new Refused("MissingParameter", `The request is missing a required parameter \`${missing}\`.`);
    }
    return this.#carryOut(action, given);
  }

  #carryOut(action: string, given: Given): object {
    switch (action) {
      case "DescribeDomainList":
        return this.#listDomains(given);
      case "CreateDomain":
        return this.#createDomain(String(given.Domain));
      case "DescribeDomain": {
        const { name, grade } = this.#domain(given.Domain);
        return { DomainInfo: { Domain: name, Grade: grade, Punycode: domainToASCII(name) } };
      }
      case "DescribePackageDetail":
        return { Info: Object.entries(packages).map(([DomainGrade, MinTtl]) => ({ DomainGrade, MinTtl })) };
      case "DescribeRecordList":
        return this.#listRecords(given);
      case "CreateRecord":
        return this.#createRecord(given);
      case "ModifyRecord":
        return this.#modifyRecord(given);
      default: {
        const { records, entry } = this.#record(given);
        records.delete(entry.RecordId);
        return {};
      }
    }
  }

  #listDomains(given: Given): object {
    const items = paged([...this.domains.values()], given, 3_000);
    if (items.length === 0) throw new Refused("ResourceNotFound.NoDataOfDomain", "There is no domain.");
    const DomainList = items.map(({ name, grade }) => ({ Name: name, Punycode: domainToASCII(name), Grade: grade }));
    return { DomainCountInfo: { DomainTotal: this.domains.size, AllTotal: this.domains.size }, DomainList };
  }

  #createDomain(name: string): object {
    if (this.foreign.has(name)) {
      throw new Refused("FailedOperation.DomainOwnedByOtherUser", "The domain has been added by another account.");
    }
    if (this.domains.has(name))
      throw new Refused("FailedOperation.DomainExists", "The domain is already in your list.");
    this.addDomain(name);
    return { DomainInfo: { Id: this.domains.size, Domain: name, Punycode: domainToASCII(name), GradeNsList: [] } };
  }

  #listRecords(given: Given): object {
    const { records } = this.#domain(given.Domain);
    const now = ++this.#lists;
    const visible = [...records.values()].filter(({ visibleFrom }) => visibleFrom <= now);
    const found = visible.filter(
      ({ Name, Type }) =>
        (given.Subdomain === undefined || Name === given.Subdomain) &&
        (given.RecordType === undefined || Type === given.RecordType),
    );
    const page = paged(found, given, 100);
    if (page.length === 0 && given.ErrorOnEmpty !== "no") {
      throw new Refused("ResourceNotFound.NoDataOfRecord", "The record list is empty.");
    }
    const RecordList = page.map(({ visibleFrom: _visibleFrom, ...shown }) => shown);
    return { RecordCountInfo: { SubdomainCount: 1, ListCount: page.length, TotalCount: visible.length }, RecordList };
  }

  #createRecord(given: Given): object {
    const { records, grade } = this.#domain(given.Domain);
    const wanted = accepted(wantedOf(given), packages[grade] ?? 1);
    const id = (this.#ids += 3);
    const shown = { Line: "默认", LineId: "0", Status: "ENABLE" as const, Weight: null, DefaultNS: false, Remark: "" };
    const times = { MonitorStatus: "", UpdatedOn: "2026-01-01 00:00:00", visibleFrom: this.#lists + this.indexLag + 1 };
    const entry = { RecordId: id, ...wanted, ...shown, ...times };
    refuseConflicts(entry, [...records.values()]);
    records.set(id, entry);
    return { RecordId: id };
  }

  #modifyRecord(given: Given): object {
    const { records, grade, entry } = this.#record(given);
    const changed = { ...entry, ...accepted(wantedOf(given), packages[grade] ?? 1) };
    refuseConflicts(
      changed,
      [...records.values()].filter(({ RecordId: id }) => id !== entry.RecordId),
    );
    records.set(entry.RecordId, changed);
    return { RecordId: entry.RecordId };
  }

  #record(given: Given) {
    const { records, grade } = this.#domain(given.Domain);
    const entry = records.get(Number(given.RecordId));
    if (!entry) throw new Refused("InvalidParameter.RecordIdInvalid", "The record ID is incorrect.");
    if (entry.DefaultNS) throw new Refused("OperationDenied.AccessDenied", "The default NS records cannot be changed.");
    return { records, grade, entry };
  }

  #domain(name: unknown): Domain {
    const found = this.domains.get(String(name));
    if (found) return found;
    throw this.foreign.has(String(name))
      ? new Refused("OperationDenied.NoPermissionToOperateDomain", "The current domain has no permissions.")
      : new Refused("InvalidParameterValue.DomainNotExists", "The current domain is incorrect.");
  }
}

function wantedOf(given: Given): Wanted {
  if (given.RecordLine !== "默认" || (given.RecordLineId ?? "0") !== "0") {
    throw new Refused("InvalidParameter.RecordLineInvalid", "The record split zone is incorrect.");
  }
  return {
    Name: typeof given.SubDomain === "string" ? given.SubDomain : "@",
    Type: String(given.RecordType),
    Value: String(given.Value),
    TTL: Number(given.TTL ?? 600),
    MX: Number(given.MX ?? -1),
  };
}

function isOf(kind: Kind, value: unknown): boolean {
  if (kind === "integer") return Number.isSafeInteger(value) && Number(value) >= 0;
  return kind === "array" ? Array.isArray(value) : typeof value === kind;
}

function paged<T>(all: readonly T[], given: Given, usual: number): T[] {
  const offset = Number(given.Offset ?? 0);
  const limit = Number(given.Limit ?? usual);
  if (limit < 1 || limit > 3_000) {
    throw new Refused("InvalidParameterValue.LimitInvalid", "The number of paginated items is incorrect.");
  }
  return all.slice(offset, offset + limit);
}
