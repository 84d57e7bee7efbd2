import { isZonewrightError, type RouterInputs } from "@zonewright/client";
import { client, issueOf } from "../api.ts";
import { TextField } from "../ui/field.tsx";
import { accountWords } from "../words/account.ts";
import styles from "./account.module.css";

const text = accountWords;

/** What a person types to narrow a token. Empty: not narrowed by that. */
export interface Limits {
  domains: string;
  hosts: string;
  types: string;
}

type Narrowing = Pick<RouterInputs["tokens"]["create"], "domainIds" | "hostPattern" | "recordTypes">;

/** A name of a domain that the user does not have. */
export class UnknownDomain extends Error {}

/** Returns what the typed limits mean. @throws UnknownDomain */
export async function narrowingOf({ domains, hosts, types }: Limits): Promise<Narrowing> {
  const names = wordsOf(domains);
  const ids = await Promise.all(names.map(domainIdOf));
  const recordTypes = wordsOf(types);
  return {
    ...(ids.length > 0 ? { domainIds: ids } : {}),
    ...(hosts.trim() === "" ? {} : { hostPattern: hosts.trim() }),
    ...(recordTypes.length > 0 ? { recordTypes } : {}),
  };
}

/** Returns the words of a field that takes several. */
export function wordsOf(typed: string): string[] {
  return typed.split(/[\s,;]+/).filter((word) => word !== "");
}

/** Returns the id of a domain. @throws UnknownDomain */
export async function domainIdOf(name: string): Promise<string> {
  try {
    const { domains } = await client.domains.list.query({ name, limit: 1 });
    const [domain] = domains;
    if (domain) return domain.id;
  } catch (error) {
    if (!isZonewrightError(error) || !["BAD_REQUEST", "NOT_FOUND"].includes(error.code)) throw error;
  }
  throw new UnknownDomain(text.narrowUnknown(name));
}

/** Returns the messages for each field of a refused token. */
export function limitIssues(error: unknown): Record<keyof Limits, string | null> {
  return {
    domains: error instanceof UnknownDomain ? error.message : issueOf(error, "domainIds"),
    hosts: issueOf(error, "hostPattern"),
    types: issueOf(error, "recordTypes"),
  };
}

interface TokenLimitsProps {
  limits: Limits;
  issues: Record<keyof Limits, string | null>;
  onLimits: (limits: Limits) => void;
}

/** The fields that narrow a token to some records. */
export function TokenLimits({ limits, issues, onLimits }: TokenLimitsProps) {
  const set = (field: keyof Limits) => (value: string) => onLimits({ ...limits, [field]: value });
  return (
    <fieldset className={styles["choices"]}>
      <legend>{text.narrow}</legend>
      <span className={styles["hint"]}>{text.narrowHint}</span>
      <TextField
        label={text.narrowDomains}
        hint={text.narrowDomainsHint}
        placeholder="example.com"
        value={limits.domains}
        onValue={set("domains")}
        error={issues.domains}
      />
      <div className={styles["pair"]}>
        <TextField
          label={text.narrowHosts}
          hint={text.narrowHostsHint}
          placeholder="_acme-challenge*"
          value={limits.hosts}
          onValue={set("hosts")}
          error={issues.hosts}
        />
        <TextField
          label={text.narrowTypes}
          placeholder="TXT"
          value={limits.types}
          onValue={set("types")}
          error={issues.types}
        />
      </div>
    </fieldset>
  );
}
