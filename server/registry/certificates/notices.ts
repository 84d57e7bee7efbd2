import { absoluteName, qualifiedName } from "../../dns/names/names.ts";
import type { TypedNotice } from "../../notifications/notify.ts";

const day = 24 * 3_600_000;
const mostListed = 20;

interface Subject {
  id: string;
  name: string;
  view: string;
  ownerId: string | null;
}

/** A host whose certificate is reported. */
export interface ReportedHost {
  /** Relative to the domain. */
  host: string;
  port: number;
  notAfter: Date | null;
  issuer: string | null;
  error: string | null;
}

/** @param days the nearest reminder that is due */
export function certificatesExpiring(
  domain: Subject,
  given: readonly (ReportedHost & { notAfter: Date })[],
  days: number,
  now: Date,
): TypedNotice<"certificate.expiring"> {
  const hosts = given.toSorted((one, other) => one.notAfter.getTime() - other.notAfter.getTime());
  const [first] = hosts;
  const ends = first?.notAfter ?? now;
  const left = Math.max(0, Math.ceil((ends.getTime() - now.getTime()) / day));
  const name = absoluteName(first?.host ?? "@", domain.name);
  const when = left <= 1 ? "within a day" : `in ${left} days`;
  return {
    event: "certificate.expiring",
    title:
      hosts.length === 1
        ? `The certificate of ${name} expires ${when}`
        : `Certificates of ${hosts.length} hosts of ${qualifiedName(domain)} expire, the first ${when}`,
    content: `The certificate of ${name} is valid until ${ends.toISOString().slice(0, 10)}. Renew it, or find out why it was not renewed automatically.`,
    level: "warning",
    metadata: { ...about(domain, hosts), days, daysLeft: left },
    to: recipients(domain),
  };
}

export function certificatesInvalid(
  domain: Subject,
  given: readonly ReportedHost[],
): TypedNotice<"certificate.invalid"> {
  const hosts = given.toSorted((one, other) => (one.host < other.host ? -1 : 1));
  const [first] = hosts;
  return {
    event: "certificate.invalid",
    title:
      hosts.length === 1
        ? `The certificate of ${absoluteName(first?.host ?? "@", domain.name)} is not valid`
        : `Certificates of ${hosts.length} hosts of ${qualifiedName(domain)} are not valid`,
    content: `${first?.error ?? ""}${hosts.length > 1 ? " The domain's registration page lists the others." : ""}`,
    level: "error",
    metadata: about(domain, hosts),
    to: recipients(domain),
  };
}

function about(domain: Subject, hosts: readonly ReportedHost[]) {
  return {
    domainId: domain.id,
    domainName: qualifiedName(domain),
    total: hosts.length,
    hosts: hosts.slice(0, mostListed).map(({ host, port, notAfter, issuer, error }) => ({
      host,
      port,
      notAfter: notAfter?.toISOString() ?? null,
      issuer,
      error,
    })),
  };
}

function recipients({ ownerId }: Subject) {
  return { userIds: ownerId === null ? [] : [ownerId], administrators: true };
}
