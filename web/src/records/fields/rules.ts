import { useEffect, useState } from "react";
import { patiently } from "../../ui/patiently.ts";
import type * as allRules from "./check.ts";

/*
 * The rules for names and values bring the service's whole model of record types. Nobody needs them to read a zone, so they are loaded once
 * its records are shown.
 */

type Rules = typeof allRules;
type FieldRules = Pick<Rules, "checkFields" | "betterType" | "canonicalName" | "canonicalValue">;

let loaded: Rules | null = null;

const load = patiently(async () => {
  loaded = await import("./check.ts");
  return loaded;
});

/** Accepts everything, for the time without rules: the service checks the same when it plans. */
export const noRules: FieldRules = {
  checkFields: () => ({ name: null, value: null, ttl: null, warnings: [] }),
  betterType: () => null,
  canonicalName: (name) => name,
  canonicalValue: (_, value) => value,
};

/** Uses the rules: at once if they are there, else as soon as they are. @param otherwise called if they cannot be loaded */
export function withRules(use: (rules: Rules) => void, otherwise: () => void): void {
  if (loaded) use(loaded);
  else load().then(use, otherwise);
}

/** The rules as soon as they are there. @param isWanted whether to load them */
export function useRules(isWanted = true): FieldRules {
  const [rules, setRules] = useState<FieldRules>(loaded ?? noRules);
  useEffect(() => {
    if (!isWanted) return undefined;
    let isGone = false;
    withRules(
      (next) => {
        if (!isGone) setRules(next);
      },
      () => undefined,
    );
    return () => {
      isGone = true;
    };
  }, [isWanted]);
  return rules;
}
