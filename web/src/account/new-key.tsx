import type { RouterInputs } from "@zonewright/client";
import { useState } from "react";
import { client, issueOf } from "../api.ts";
import { SelectField, TextField } from "../ui/field.tsx";
import { useAction } from "../ui/use-action.ts";
import { accountWords } from "../words/account.ts";
import { words } from "../words/words.ts";
import styles from "./account.module.css";
import type { CreatedKey } from "./fresh-key.tsx";
import { keys, refresh } from "./own-account.ts";
import { SecretForm, type NewSecret } from "./secret-form.tsx";
import { domainIdOf, UnknownDomain, wordsOf } from "./token-limits.tsx";

const text = accountWords;

type Access = NonNullable<RouterInputs["tsigKeys"]["create"]["access"]>;
type Algorithm = NonNullable<RouterInputs["tsigKeys"]["create"]["algorithm"]>;

const accesses = ["update", "read", "both"] as const satisfies readonly Access[];
const algorithms = ["hmac-sha256", "hmac-sha384", "hmac-sha512", "hmac-sha1"] as const satisfies readonly Algorithm[];

/** The form of a new key. */
export function NewKey({ onCreated, onCancel }: { onCreated: (key: CreatedKey) => void; onCancel: () => void }) {
  const [domain, setDomain] = useState("");
  const [hosts, setHosts] = useState("");
  const [types, setTypes] = useState("");
  const [access, setAccess] = useState<Access>("update");
  const [algorithm, setAlgorithm] = useState<Algorithm>("hmac-sha256");
  const [lacksDomain, setLacksDomain] = useState(false);

  const create = useAction(async ({ name, expiresAt }: NewSecret) => {
    const domainId = await domainIdOf(domain.trim());
    const wish = { name: name === "" ? null : name, access, algorithm, expiresAt, domainId };
    const hostPattern = hosts.trim() === "" ? "*" : hosts.trim();
    onCreated(await client.tsigKeys.create.mutate({ ...wish, hostPattern, recordTypes: wordsOf(types) }));
    await refresh(keys);
  });
  const { error } = create;
  const issues = {
    domain: error instanceof UnknownDomain ? error.message : issueOf(error, "domainId"),
    hosts: issueOf(error, "hostPattern"),
    types: issueOf(error, "recordTypes"),
    access: issueOf(error, "access"),
  };
  return (
    <SecretForm
      label={text.keyName}
      example={text.keyNameExample}
      submit={text.keyCreate}
      ends="never"
      create={create}
      issues={issues}
      isComplete={() => {
        setLacksDomain(domain.trim() === "");
        return domain.trim() !== "";
      }}
      onCancel={onCancel}
    >
      <div className={styles["pair"]}>
        <TextField
          label={text.keyDomain}
          placeholder="example.com"
          value={domain}
          onValue={setDomain}
          error={issues.domain ?? (lacksDomain ? words.ui.required : null)}
        />
        <SelectField
          label={text.keyAccess}
          value={access}
          options={accesses.map((value) => ({ value, label: text.keyAccesses[value] }))}
          onValue={setAccess}
          error={issues.access}
        />
      </div>
      <div className={styles["pair"]}>
        <TextField
          label={text.keyHosts}
          hint={text.keyHostsHint}
          placeholder="_acme-challenge*"
          value={hosts}
          onValue={setHosts}
          error={issues.hosts}
        />
        <TextField
          label={text.keyTypes}
          hint={text.keyTypesHint}
          placeholder="TXT"
          value={types}
          onValue={setTypes}
          error={issues.types}
        />
      </div>
      <SelectField
        label={text.keyAlgorithm}
        hint={text.keyAlgorithmHint}
        value={algorithm}
        options={algorithms.map((value) => ({ value, label: value }))}
        onValue={setAlgorithm}
      />
    </SecretForm>
  );
}
