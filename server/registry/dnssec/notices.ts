import type { TypedNotice } from "../../notifications/notify.ts";
import type { DnssecFinding } from "./findings.ts";

/** The findings that are reported once they appear, and the titles of their notices. */
const titles = {
  ds_mismatch: (zone: string) => `The DS records of ${zone} match none of its keys`,
  broken: (zone: string) => `${zone} does not validate`,
  signatures_expiring: (zone: string) => `The signatures of ${zone} expire soon`,
} as const;

export type ReportedCode = keyof typeof titles;

export function isReported(code: string): code is ReportedCode {
  return Object.hasOwn(titles, code);
}

interface Facts {
  parentDs: string[] | null;
  dsToPublish: string[];
  signaturesExpireAt: string | null;
  chainReason: string;
}

type DnssecNotice = TypedNotice<"dnssec.ds_mismatch" | "dnssec.broken" | "dnssec.expiring_signatures">;

/** Reports a finding. The domain is in the default view, like all that are checked. */
export function dnssecNotice(
  { id, name, ownerId }: { id: string; name: string; ownerId: string | null },
  { code, message }: Pick<DnssecFinding, "message"> & { code: ReportedCode },
  { parentDs, dsToPublish, signaturesExpireAt, chainReason }: Facts,
): DnssecNotice {
  const notice = {
    title: titles[code](name),
    content: message,
    to: { userIds: ownerId === null ? [] : [ownerId], administrators: true },
  };
  const of = { domainId: id, domainName: name };
  switch (code) {
    case "ds_mismatch":
      return {
        ...notice,
        event: "dnssec.ds_mismatch",
        level: "error",
        metadata: { ...of, parentDs: parentDs ?? [], dsToPublish },
      };
    case "broken":
      return { ...notice, event: "dnssec.broken", level: "error", metadata: { ...of, reason: chainReason } };
    default:
      return {
        ...notice,
        event: "dnssec.expiring_signatures",
        level: "warning",
        metadata: { ...of, expiresAt: signaturesExpireAt },
      };
  }
}
