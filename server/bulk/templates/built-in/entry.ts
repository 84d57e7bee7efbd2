import type { Template, TemplateRecord } from "../form/template.ts";

/** A built-in template, without what all of them share. */
export type BuiltInEntry = Omit<Template, "providerId" | "providerName" | "version"> & { id: string; revision: number };

export const hour = 3_600;

export function mx(pointsTo: string, priority: number): TemplateRecord {
  return { type: "MX", host: "@", pointsTo, priority, ttl: hour };
}

export function cname(host: string, pointsTo: string): TemplateRecord {
  return { type: "CNAME", host, pointsTo, ttl: hour };
}

export function spf(spfRules: string): TemplateRecord {
  return { type: "SPFM", host: "@", spfRules };
}

/** A verification text, which may go after the check. @param prefix replaces texts that begin with it; left out: none */
export function proof(data: string, prefix?: string): TemplateRecord {
  return {
    type: "TXT",
    host: "@",
    data,
    ttl: hour,
    essential: "OnApply",
    ...(prefix === undefined ? {} : { txtConflictMatchingMode: "Prefix", txtConflictMatchingPrefix: prefix }),
  };
}

/** A text that replaces those which begin alike, such as an SPF record. */
export function policy(host: string, data: string, prefix: string): TemplateRecord {
  return { type: "TXT", host, data, ttl: hour, txtConflictMatchingMode: "Prefix", txtConflictMatchingPrefix: prefix };
}
