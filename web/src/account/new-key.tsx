import type { RouterInputs } from "@zonewright/client";
import { useEffect, useRef, useState } from "react";
import { client, issueOf } from "../api.ts";
import { Button } from "../ui/button.tsx";
import { Form, SelectField, TextField } from "../ui/field.tsx";
import { Failure } from "../ui/notice.tsx";
import { useAction } from "../ui/use-action.ts";
import { accountWords } from "../words/account.ts";
import { words } from "../words/words.ts";
import styles from "./account.module.css";
import { ExpiryFields } from "./expiry-fields.tsx";
import { expiryDate, type Expiry } from "./expiry.ts";
import type { CreatedKey } from "./fresh-key.tsx";
import { keys, refresh } from "./own-account.ts";
import { domainIdOf, UnknownDomain, wordsOf } from "./token-limits.tsx";

const text = accountWords;

type Access = NonNullable<RouterInputs["tsigKeys"]["create"]["access"]>;
type Algorithm = NonNullable<RouterInputs["tsigKeys"]["create"]["algorithm"]>;

const accesses = ["update", "read", "both"] as const satisfies readonly Access[];
const algorithms = ["hmac-sha256", "hmac-sha384", "hmac-sha512", "hmac-sha1"] as const satisfies readonly Algorithm[];

/** The form of a new key. */
export function NewKey({ onCreated, onCancel }: { onCreated: (key: CreatedKey) => void; onCancel: () => void }) {
  const [name, setName] = useState("");
  const [domain, setDomain] = useState("");
  const [hosts, setHosts] = useState("");
  const [types, setTypes] = useState("");
  const [access, setAccess] = useState<Access>("update");
  const [algorithm, setAlgorithm] = useState<Algorithm>("hmac-sha256");
  const [expiry, setExpiry] = useState<Expiry>("never");
  const [day, setDay] = useState("");
  const [missing, setMissing] = useState({ day: false, domain: false });
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => first.current?.focus(), []);

  const create = useAction(async (expiresAt: Date | null) => {
    const domainId = await domainIdOf(domain.trim());
    const wish = { name: name.trim() === "" ? null : name.trim(), access, algorithm, expiresAt, domainId };
    const hostPattern = hosts.trim() === "" ? "*" : hosts.trim();
    onCreated(await client.tsigKeys.create.mutate({ ...wish, hostPattern, recordTypes: wordsOf(types) }));
    await refresh(keys);
  });
  const submit = () => {
    const expiresAt = expiryDate(expiry, day, new Date());
    const lacks = { day: expiresAt === undefined, domain: domain.trim() === "" };
    setMissing(lacks);
    if (expiresAt !== undefined && !lacks.domain) void create.run(expiresAt);
  };
  const { error } = create;
  const issues = {
    name: issueOf(error, "name"),
    domain: error instanceof UnknownDomain ? error.message : issueOf(error, "domainId"),
    hosts: issueOf(error, "hostPattern"),
    types: issueOf(error, "recordTypes"),
    access: issueOf(error, "access"),
    day: issueOf(error, "expiresAt"),
  };
  return (
    <Form className={styles["quietForm"]} onSubmit={submit}>
      {Object.values(issues).some((issue) => issue !== null) ? null : <Failure error={error} />}
      <TextField
        ref={first}
        label={text.keyName}
        placeholder={text.keyNameExample}
        value={name}
        onValue={setName}
        error={issues.name}
      />
      <div className={styles["pair"]}>
        <TextField
          label={text.keyDomain}
          placeholder="example.com"
          value={domain}
          onValue={setDomain}
          error={issues.domain ?? (missing.domain ? words.ui.required : null)}
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
      <ExpiryFields
        expiry={expiry}
        onExpiry={setExpiry}
        day={day}
        onDay={setDay}
        issue={issues.day}
        missing={missing.day}
      />
      <div className={styles["buttons"]}>
        <Button type="submit" kind="primary" pending={create.pending}>
          {text.keyCreate}
        </Button>
        <Button kind="quiet" onClick={onCancel}>
          {words.ui.cancel}
        </Button>
      </div>
    </Form>
  );
}
