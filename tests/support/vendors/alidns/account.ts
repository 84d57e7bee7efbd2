import { domainToASCII, domainToUnicode } from "node:url";
import { accepted, refuseConflicts, Refused, type AlidnsEntry } from "./rules.ts";

type Parameters = Readonly<Record<string, string>>;

interface Domain {
  name: string;
  punyCode: string;
  minTtl: number;
  records: Map<string, AlidnsEntry>;
}

/** Parameters by operation: required, and all allowed. `Lang` and `UserClientIp` are allowed everywhere. */
const operations: Readonly<Record<string, { needs: string[]; takes: string[] }>> = {
  DescribeDomains: {
    needs: [],
    takes: ["KeyWord", "GroupId", "PageNumber", "PageSize", "SearchMode", "ResourceGroupId", "Starmark"],
  },
  DescribeDomainInfo: { needs: ["DomainName"], takes: ["NeedDetailAttributes"] },
  AddDomain: { needs: ["DomainName"], takes: ["GroupId", "ResourceGroupId"] },
  DescribeDomainRecords: {
    needs: ["DomainName"],
    takes: ["PageNumber", "PageSize", "OrderBy", "Direction", "SearchMode", "GroupId", "KeyWord"].concat(
      ["RRKeyWord", "TypeKeyWord", "ValueKeyWord", "Type", "Line", "Status"], // For ADVANCED and COMBINATION.
    ),
  },
  AddDomainRecord: { needs: ["DomainName", "RR", "Type", "Value"], takes: ["TTL", "Priority", "Line"] },
  UpdateDomainRecord: { needs: ["RecordId", "RR", "Type", "Value"], takes: ["TTL", "Priority", "Line"] },
  DeleteDomainRecord: { needs: ["RecordId"], takes: [] },
};

/** What one account has at the vendor, and the operations on it. */
export class AlidnsAccount {
  readonly domains = new Map<string, Domain>();
  /** Names that other accounts have. */
  readonly foreign = new Set<string>();
  #ids = 900_000_000_000_000_000n;

  /** A domain of the edition with this floor of TTLs. */
  addDomain(zone: string, minTtl = 1): void {
    const name = domainToUnicode(zone);
    this.domains.set(name, { name, punyCode: domainToASCII(zone), minTtl, records: new Map() });
  }

  /** Adds a record as the console does, bypassing the rules. */
  place(zone: string, entry: Partial<AlidnsEntry> & Pick<AlidnsEntry, "RR" | "Type" | "Value">): string {
    const domain = this.#domain(domainToUnicode(zone));
    const id = String((this.#ids += 7n));
    const usual = { TTL: 600, Line: "default", Status: "ENABLE" as const, Locked: false };
    domain.records.set(id, { RecordId: id, DomainName: domain.name, ...usual, ...entry });
    return id;
  }

  /** Deletes a record as the console does. */
  displace(id: string): void {
    for (const { records } of this.domains.values()) records.delete(id);
  }

  records(zone: string): AlidnsEntry[] {
    return [...this.#domain(domainToUnicode(zone)).records.values()];
  }

  /**
   * Returns the domain that a call writes to; undefined for other calls. The vendor does not begin a write in a domain before the last
   * one has ended (https://github.com/aliyun/terraform-provider-alicloud/issues/2976 and #2879, traefik/traefik#11584).
   */
  domainWrittenBy(action: string, { DomainName, RecordId = "" }: Parameters): string | undefined {
    if (!/^(?:Add|Update|Delete)DomainRecord$/.test(action)) return undefined;
    return DomainName ?? [...this.domains.values()].find(({ records }) => records.has(RecordId))?.name;
  }

  /** @throws Refused */
  call(action: string, given: Parameters): object {
    const operation = operations[action];
    if (!operation)
      throw new Refused("InvalidAction.NotFound", "Specified api is not found, please check your url and method.", 404);
    for (const name of operation.needs) {
      if (!given[name]) throw new Refused(`Missing${name}`, `${name} is mandatory for this action.`);
    }
    const known = new Set([...operation.needs, ...operation.takes, "Lang", "UserClientIp"]);
    const unknown = Object.keys(given).find((name) => !known.has(name));
    if (unknown !== undefined)
      throw new Refused("InvalidParameter", `The parameter ${unknown} is not known to ${action}.`);
    switch (action) {
      case "DescribeDomains":
        return this.#describeDomains(given);
      case "DescribeDomainInfo":
        return this.#describeDomain(given);
      case "AddDomain":
        return this.#addDomain(given);
      case "DescribeDomainRecords":
        return this.#describeRecords(given);
      case "AddDomainRecord":
        return this.#addRecord(given);
      case "UpdateDomainRecord":
        return this.#updateRecord(given);
      default:
        return this.#deleteRecord(given);
    }
  }

  #describeDomains(given: Parameters): object {
    const { PageNumber, PageSize, items } = paged([...this.domains.values()], given, 100);
    const Domain = items.map(({ name, punyCode, records }) => ({
      DomainName: name,
      // Shown for Chinese names only.
      PunyCode: punyCode === name ? undefined : punyCode,
      RecordCount: records.size,
    }));
    return { TotalCount: this.domains.size, PageNumber, PageSize, Domains: { Domain } };
  }

  #describeDomain({ DomainName = "" }: Parameters): object {
    const { name, minTtl } = this.#domain(DomainName);
    return { DomainName: name, MinTtl: minTtl, VersionCode: minTtl === 1 ? "version_enterprise_advanced" : "mianfei" };
  }

  #addDomain({ DomainName = "" }: Parameters): object {
    if (this.foreign.has(DomainName)) {
      throw new Refused("DomainAddedByOthers", "The domain name was added by another account.");
    }
    if (this.domains.has(DomainName))
      throw new Refused("InvalidDomainName.Duplicate", "The domain name is duplicated.");
    if (!DomainName.includes(".")) throw new Refused("InvalidDomainName.Format", "Invalid domain name.");
    this.addDomain(DomainName);
    return { DomainName, DnsServers: { DnsServer: ["dns1.hichina.com", "dns2.hichina.com"] } };
  }

  #describeRecords(given: Parameters): object {
    const domain = this.#domain(given.DomainName ?? "");
    const { SearchMode: mode = "", KeyWord: word = "" } = given;
    if (mode !== "" && !["LIKE", "EXACT", "ADVANCED", "COMBINATION"].includes(mode)) {
      throw new Refused("InvalidParameter", "The parameter SearchMode is invalid.");
    }
    const found = [...domain.records.values()].filter(({ RR, Type, Value, Line, Status }) =>
      mode === "LIKE" || mode === "EXACT"
        ? fits(RR, word, mode === "EXACT") || fits(Value, word, mode === "EXACT")
        : fits(RR, given.RRKeyWord, mode === "COMBINATION") &&
          fits(Value, given.ValueKeyWord, mode === "COMBINATION") &&
          fits(Type, given.TypeKeyWord ?? given.Type, true) &&
          fits(Line, given.Line, true) &&
          fits(Status, given.Status, true),
    );
    if (given.Direction !== "ASC") found.reverse();
    const { PageNumber, PageSize, items } = paged(found, given, 500);
    return { TotalCount: found.length, PageNumber, PageSize, DomainRecords: { Record: items } };
  }

  #addRecord(given: Parameters): object {
    const domain = this.#domain(given.DomainName ?? "");
    const entry = { ...accepted(valuesOf(given), domain.minTtl), RecordId: String((this.#ids += 7n)) };
    return this.#put(domain, { ...entry, DomainName: domain.name, Status: "ENABLE", Locked: false });
  }

  #updateRecord(given: Parameters): object {
    const { domain, entry } = this.#record(given.RecordId ?? "");
    if (entry.Locked) throw new Refused("DomainRecordLocked", "The domain record has been locked.");
    const wanted = accepted(valuesOf(given), domain.minTtl);
    const changed: AlidnsEntry = { ...entry, ...wanted };
    if (Object.entries(wanted).every(([name, value]) => Reflect.get(entry, name) === value)) {
      throw new Refused("DomainRecordDuplicate", "The domain record is duplicated.");
    }
    return this.#put(domain, changed);
  }

  #deleteRecord({ RecordId = "" }: Parameters): object {
    const { domain, entry } = this.#record(RecordId);
    if (entry.Locked) throw new Refused("DomainRecordLocked", "The domain record has been locked.");
    domain.records.delete(RecordId);
    return { RecordId };
  }

  #put(domain: Domain, entry: AlidnsEntry): object {
    refuseConflicts(
      entry,
      [...domain.records.values()].filter(({ RecordId: id }) => id !== entry.RecordId),
    );
    domain.records.set(entry.RecordId, entry);
    return { RecordId: entry.RecordId };
  }

  #record(id: string): { domain: Domain; entry: AlidnsEntry } {
    for (const domain of this.domains.values()) {
      const entry = domain.records.get(id);
      if (entry) return { domain, entry };
    }
    throw new Refused("DomainRecordNotBelongToUser", "The domain record does not belong to this user.");
  }

  #domain(name: string): Domain {
    const domain = this.domains.get(name);
    if (domain) return domain;
    throw this.foreign.has(name)
      ? new Refused("IncorrectDomainUser", "The domain name does not belong to this user.")
      : new Refused(
          "InvalidDomainName.NoExist",
          "The specified domain name does not exist. Refresh the page and try again.",
        );
  }
}

/** Whether what is shown fits a filter. */
function fits(shown: string, wanted: string | undefined, exact: boolean): boolean {
  const [one, other] = [shown.toLowerCase(), wanted?.toLowerCase()];
  return other === undefined || (exact ? one === other : one.includes(other));
}

function valuesOf(given: Parameters) {
  const { RR = "", Type = "", Value = "", Line = "default", TTL = "600", Priority } = given;
  if (Line !== "default") throw new Refused("SubDomainInvalid.Line", "The line of the DNS record is invalid.");
  return { RR, Type, Value, Line, TTL: whole(TTL), ...(Priority === undefined ? {} : { Priority: whole(Priority) }) };
}

function whole(text: string): number {
  if (!/^\d+$/.test(text)) throw new Refused("InvalidParameter", `${text} is not a whole number.`);
  return Number(text);
}

function paged<T>(all: readonly T[], given: Parameters, largest: number) {
  const PageNumber = whole(given.PageNumber ?? "1");
  const PageSize = whole(given.PageSize ?? "20");
  if (PageNumber < 1 || PageSize < 1 || PageSize > largest) {
    throw new Refused("InvalidParameter", `The page must be 1 or more and its size at most ${largest}.`);
  }
  return { PageNumber, PageSize, items: all.slice((PageNumber - 1) * PageSize, PageNumber * PageSize) };
}
