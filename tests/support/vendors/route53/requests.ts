import { printedName } from "./names.ts";
import type { Rrset, RrsetChange } from "./hosted-zone.ts";
import type { XmlElement } from "./xml.ts";

/** A request that does not match the API's description. */
export class Malformed extends Error {}

export const namespace = "https://route53.amazonaws.com/doc/2013-04-01/";

/** What an element may hold: text, or elements by name; a trailing `*` says that there may be several. */
type Shape = "text" | { [name: string]: Shape };

const rrset: Shape = {
  Name: "text",
  Type: "text",
  SetIdentifier: "text",
  Weight: "text",
  Region: "text",
  GeoLocation: { ContinentCode: "text", CountryCode: "text", SubdivisionCode: "text" },
  Failover: "text",
  MultiValueAnswer: "text",
  TTL: "text",
  ResourceRecords: { "ResourceRecord*": { Value: "text" } },
  AliasTarget: { HostedZoneId: "text", DNSName: "text", EvaluateTargetHealth: "text" },
  HealthCheckId: "text",
};

export const changeRequest: Shape = {
  ChangeBatch: { Comment: "text", Changes: { "Change*": { Action: "text", ResourceRecordSet: rrset } } },
};

export const createRequest: Shape = {
  Name: "text",
  CallerReference: "text",
  HostedZoneConfig: { Comment: "text", PrivateZone: "text" },
  DelegationSetId: "text",
};

/** Refuses what the API does not describe. @throws Malformed */
export function checkShape(element: XmlElement, shape: Shape): void {
  if (shape === "text") {
    if (element.children.length > 0) throw new Malformed(`${element.name} must be text.`);
    return;
  }
  if (element.text.trim() !== "") throw new Malformed(`${element.name} must not have text.`);
  const seen = new Set<string>();
  for (const child of element.children) {
    const inner = shape[child.name] ?? shape[`${child.name}*`];
    if (inner === undefined) throw new Malformed(`Unexpected element ${child.name} in ${element.name}.`);
    if (seen.has(child.name) && shape[child.name] !== undefined) throw new Malformed(`${child.name} stands twice.`);
    seen.add(child.name);
    checkShape(child, inner);
  }
}

export function childOf(element: XmlElement, name: string): XmlElement {
  const child = element.children.find((one) => one.name === name);
  if (!child) throw new Malformed(`${name} is missing in ${element.name}.`);
  return child;
}

export function textOf(element: XmlElement, name: string): string | undefined {
  return element.children.find((one) => one.name === name)?.text;
}

/** The changes of a batch, names as the API prints them. @throws Malformed */
export function changesIn(request: XmlElement): RrsetChange[] {
  const changes = childOf(childOf(request, "ChangeBatch"), "Changes").children;
  return changes.map((change) => {
    const action = childOf(change, "Action").text;
    if (!["CREATE", "DELETE", "UPSERT"].includes(action)) throw new Malformed(`${action} is no action.`);
    return { action, set: rrsetIn(childOf(change, "ResourceRecordSet")) };
  });
}

function rrsetIn(element: XmlElement): Rrset {
  const name = printedName(childOf(element, "Name").text);
  if (name === null) throw new Malformed("Invalid DNS name.");
  const settings: Record<string, unknown> = {};
  for (const child of element.children) {
    if (["Name", "Type", "TTL", "ResourceRecords"].includes(child.name)) continue;
    settings[child.name] =
      child.children.length > 0
        ? Object.fromEntries(child.children.map((inner) => [inner.name, inner.text]))
        : child.text;
  }
  const ttl = textOf(element, "TTL");
  const records = element.children.find(({ name: own }) => own === "ResourceRecords")?.children ?? [];
  return {
    Name: name,
    Type: childOf(element, "Type").text,
    ...(ttl === undefined ? {} : { TTL: Number(ttl) }),
    values: records.map((record) => childOf(record, "Value").text),
    settings,
  };
}
