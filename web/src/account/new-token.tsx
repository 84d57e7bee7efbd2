import type { RouterOutputs } from "@zonewright/client";
import { useState } from "react";
import { client, issueOf } from "../api.ts";
import { useAction } from "../ui/use-action.ts";
import { accountWords } from "../words/account.ts";
import { refresh, tokens } from "./own-account.ts";
import { Permissions } from "./permission-fields.tsx";
import type { Permission } from "./permissions.ts";
import { SecretForm, type NewSecret } from "./secret-form.tsx";
import { limitIssues, narrowingOf, TokenLimits, type Limits } from "./token-limits.tsx";

const text = accountWords;

interface NewTokenProps {
  onCreated: (token: RouterOutputs["tokens"]["create"]) => void;
  onCancel: () => void;
}

/** The form of a new token. */
export function NewToken({ onCreated, onCancel }: NewTokenProps) {
  const [chosen, setChosen] = useState<readonly Permission[]>([]);
  const [lacksPermission, setLacksPermission] = useState(false);
  const [limits, setLimits] = useState<Limits>({ domains: "", hosts: "", types: "" });

  const create = useAction(async (secret: NewSecret) => {
    const wish = { ...secret, permissions: [...chosen], ...(await narrowingOf(limits)) };
    onCreated(await client.tokens.create.mutate(wish));
    await refresh(tokens);
  });
  const toggle = (permission: Permission, checked: boolean) => {
    setChosen((before) => (checked ? [...before, permission] : before.filter((each) => each !== permission)));
    setLacksPermission(false);
  };
  const issues = { permissions: issueOf(create.error, "permissions"), ...limitIssues(create.error) };
  return (
    <SecretForm
      label={text.tokenName}
      example={text.tokenNameExample}
      submit={text.tokenCreate}
      ends="90"
      create={create}
      issues={issues}
      isComplete={() => {
        setLacksPermission(chosen.length === 0);
        return chosen.length > 0;
      }}
      onCancel={onCancel}
    >
      <Permissions
        chosen={chosen}
        problem={lacksPermission ? text.permissionsNone : issues.permissions}
        onToggle={toggle}
      />
      <TokenLimits limits={limits} issues={issues} onLimits={setLimits} />
    </SecretForm>
  );
}
