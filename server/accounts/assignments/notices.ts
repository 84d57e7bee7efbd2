import type { NotificationEvent, NotificationLevel } from "../../platform/events.ts";
import type { Notice } from "../../platform/events.ts";
import type { AssignmentAccess } from "../../database/tables/assignments.ts";

/** The subject of a notice about an assignment or a request for one. */
export interface Subject {
  domainId: string | null;
  domainName: string | null;
  /** The group or tag of the domains, if not a domain is meant. */
  groupName?: string | null;
  tag?: string | null;
  subdomainPattern: string;
  host: string | null;
  access: AssignmentAccess;
}

type AssignmentEvent = Extract<NotificationEvent, `assignment.${string}`>;

const levels: Record<AssignmentEvent, NotificationLevel> = {
  "assignment.create": "success",
  "assignment.delete": "warning",
  "assignment.ending": "warning",
  "assignment.request": "info",
  "assignment.approve": "success",
  "assignment.reject": "warning",
};

const ofAssignments: ReadonlySet<AssignmentEvent> = new Set<AssignmentEvent>([
  "assignment.create",
  "assignment.delete",
  "assignment.ending",
]);

/** Returns a notice as the API describes it. `type` distinguishes an assignment from a request for one. */
export function assignmentNotice(
  event: AssignmentEvent,
  subject: Subject,
  told: { title: string; content: string; to: Notice["to"] },
): Notice {
  const { domainId, domainName, subdomainPattern, host } = subject;
  const type = ofAssignments.has(event) ? "assignment" : "request";
  return { event, level: levels[event], metadata: { type, domainId, domainName, subdomainPattern, host }, ...told };
}

/** Returns text such as `*.dev in example.com`, or the domains alone if the pattern covers every host. */
export function partOf({ subdomainPattern, ...target }: Omit<Subject, "host" | "access" | "domainId">): string {
  const domains = domainsOf(target);
  return subdomainPattern === "*" ? domains : `${subdomainPattern} in ${domains}`;
}

function domainsOf({ domainName, groupName = null, tag = null }: Pick<Subject, "domainName" | "groupName" | "tag">) {
  if (groupName !== null) return `the domains in the group “${groupName}”`;
  if (tag !== null) return `the domains tagged “${tag}”`;
  return domainName ?? "a domain";
}

const rights: Record<AssignmentAccess, string> = {
  read: "view",
  propose: "view and propose changes of",
  write: "view and change",
};

/** Returns text such as `view the TXT records`. */
export function rightTo(access: AssignmentAccess, recordTypes: readonly string[] = []): string {
  const which = recordTypes.length === 0 ? "the records" : `the ${recordTypes.join(", ")} records`;
  return `${rights[access]} ${which}`;
}

/** Returns the notices for members assigned to a deleted domain, one for each distinct pattern and access. */
export function domainGone(
  domain: { id: string; name: string },
  assigned: readonly { user_id: string; subdomain_pattern: string; access: AssignmentAccess }[],
): Notice[] {
  const alike = Map.groupBy(assigned, ({ subdomain_pattern, access }) => `${access} ${subdomain_pattern}`);
  return [...alike.values()].flatMap((those) => {
    const [first] = those;
    if (!first) return [];
    const { subdomain_pattern: subdomainPattern, access } = first;
    const subject = { domainId: domain.id, domainName: domain.name, subdomainPattern, host: null, access };
    return [
      assignmentNotice("assignment.delete", subject, {
        title: `${partOf(subject)} is no longer assigned to you`,
        content: `${domain.name} is no longer managed here.`,
        to: { userIds: those.map(({ user_id }) => user_id) },
      }),
    ];
  });
}
