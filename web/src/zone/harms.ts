/** What harms most comes first: the domain is lost, or nobody reaches it, or soon. As the server ranks the findings of all domains. */
export const harms: Readonly<Record<string, number>> = {
  expired: 1,
  ds_without_dnskey: 2,
  ds_mismatch: 2,
  broken: 2,
  not_delegated: 2,
  expires_without_renewal: 3,
  signatures_expiring: 3,
  certificate_invalid: 4,
  expires_soon: 5,
  certificate_expiring: 5,
  unlocked: 6,
  registrar_failed: 8,
};
export const harmsOfOthers = { error: 4, warning: 7, info: 9 } as const;

interface Finding {
  code: string;
  severity: keyof typeof harmsOfOthers;
}

/** Returns the findings of a domain with what harms most first. */
export function worstFirst<Found extends Finding>(found: readonly Found[]): Found[] {
  return found.toSorted((one, other) => harmOf(one) - harmOf(other));
}

function harmOf({ code, severity }: Finding): number {
  return harms[code] ?? harmsOfOthers[severity];
}
