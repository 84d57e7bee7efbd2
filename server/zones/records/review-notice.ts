import { recordLabel } from "../../dns/record.ts";
import type { TypedNotice } from "../../notifications/notify.ts";

/** A record whose review date has passed. */
export interface DueRecord {
  id: string;
  recordType: string;
  name: string;
  value: string;
  reviewAt: Date;
}

const mostListed = 20;

/** Reminds of records of a domain. @param userId whom; null: administrators */
export function reviewDue(
  domain: { id: string; name: string },
  records: readonly DueRecord[],
  userId: string | null,
): TypedNotice<"record.review_due"> {
  const [first] = records;
  const total = records.length;
  const what =
    total === 1 && first ? `${recordLabel(first)} of ${domain.name} is` : `${total} records of ${domain.name} are`;
  const example = total > 1 && first ? `Among them is ${recordLabel(first)}. ` : "";
  return {
    event: "record.review_due",
    title: `${what} due for review`,
    content: `${example}Check whether ${total === 1 ? "it is" : "they are"} still needed, then set another review date or none.`,
    level: "info",
    metadata: {
      domainId: domain.id,
      domainName: domain.name,
      total,
      records: records.slice(0, mostListed).map(({ id, recordType, name, value, reviewAt }) => ({
        recordId: id,
        recordType,
        name,
        value,
        reviewAt: reviewAt.toISOString(),
      })),
    },
    to: userId === null ? { administrators: true } : { userIds: [userId] },
  };
}
