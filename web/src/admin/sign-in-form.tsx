import { useQuery } from "@tanstack/react-query";
import type { RouterOutputs } from "@zonewright/client";
import { useId, useState } from "react";
import { client, issueOf, messageOf, queries } from "../api.ts";
import { Button } from "../ui/button.tsx";
import { CopyField } from "../ui/copy-field.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { CheckField, Form, TextField } from "../ui/field.tsx";
import { Notice } from "../ui/notice.tsx";
import { toast } from "../ui/toast.tsx";
import { useAction } from "../ui/use-action.ts";
import { useEdits } from "../ui/use-edits.ts";
import { adminWords } from "../words/admin.ts";
import { words } from "../words/words.ts";
import { confirmingRemoval, questionOf, Unbinding } from "./unbinding.tsx";
import styles from "./admin.module.css";

const text = adminWords.signIn;

type List = RouterOutputs["identityConfigs"]["list"];
export type AvailableProvider = List["availableProviders"][number];
export type IdentityConfig = List["providers"][number];

const endpoints = ["authorizeUrl", "tokenUrl", "userInfoUrl"] as const;
type Address = "wellKnownUrl" | (typeof endpoints)[number];

interface SharedFields extends Record<Address, string> {
  scope: string;
  enabled: boolean;
}

/** The fields without the blanks around their texts. */
function trimmed<Fields extends Partial<SharedFields>>(fields: Fields): Fields {
  const entries = Object.entries(fields).map(([name, value]) => [
    name,
    typeof value === "string" ? value.trim() : value,
  ]);
  return Object.fromEntries(entries) as Fields;
}

interface SignInFormProps {
  provider: AvailableProvider;
  config: IdentityConfig | null;
  onClose: () => void;
}

/** The settings of an identity provider, with the addresses to register there. */
export function SignInForm({ provider, config, onClose }: SignInFormProps) {
  const form = useId();
  const discovers = provider.id === "oidc" || provider.id === "custom";
  const [clientId, setClientId] = useState("");
  const [clientSecret, setClientSecret] = useState("");
  const { fields, changed, set } = useEdits<SharedFields>({
    scope: config?.scope ?? "",
    enabled: config?.enabled ?? true,
    wellKnownUrl: config?.wellKnownUrl ?? "",
    authorizeUrl: config?.authorizeUrl ?? "",
    tokenUrl: config?.tokenUrl ?? "",
    userInfoUrl: config?.userInfoUrl ?? "",
  });
  const [question, setQuestion] = useState<string | null>(null);
  const { data: urls } = useQuery({
    queryKey: ["callback-url", provider.id],
    queryFn: async ({ signal }) => await client.identity.callbackUrl.query({ providerId: provider.id }, { signal }),
  });
  const save = useAction(async (unbind: boolean) => {
    try {
      if (config) {
        const kept = clientId.trim() === "" ? {} : { clientId: clientId.trim() };
        const options = unbind ? confirmingRemoval : {};
        await client.identityConfigs.update.mutate(
          { id: config.id, clientSecret, ...kept, ...trimmed(changed) },
          options,
        );
      } else {
        await client.identityConfigs.create.mutate({
          providerId: provider.id,
          clientId: clientId.trim(),
          clientSecret,
          ...trimmed(fields),
        });
      }
    } catch (failure) {
      setQuestion(questionOf(failure));
      return;
    }
    setClientSecret("");
    await queries.invalidateQueries({ queryKey: ["identity-configs"] });
    toast({ title: text.saved(provider.name) });
    onClose();
  });
  const known = ["clientId", "clientSecret", "scope", "wellKnownUrl", ...endpoints];
  const elsewhere = save.error !== null && !known.some((field) => issueOf(save.error, field));
  const address = (name: Address, hint?: string) => (
    <TextField
      key={name}
      label={text[name]}
      hint={hint}
      mono
      type="url"
      maxLength={2_000}
      value={fields[name]}
      onValue={(value) => set({ [name]: value })}
      error={issueOf(save.error, name)}
    />
  );
  return (
    <>
      <Dialog
        open
        onClose={onClose}
        title={text.titleOf(provider.name)}
        description={text.register}
        footer={
          <>
            <Button onClick={onClose}>{words.ui.cancel}</Button>
            <Button type="submit" form={form} kind="primary" pending={save.pending}>
              {words.ui.save}
            </Button>
          </>
        }
      >
        <div className={styles["stack"]}>
          <CopyField label={text.redirectUrl} value={urls?.redirectUrl ?? ""} copy={words.ui.copy} />
          <Form id={form} onSubmit={() => void save.run(false)}>
            {elsewhere ? <Notice kind="error">{messageOf(save.error)}</Notice> : null}
            {discovers ? address("wellKnownUrl") : null}
            <TextField
              label={text.clientId}
              hint={config ? text.clientIdKept(config.clientIdMasked) : undefined}
              mono
              maxLength={512}
              value={clientId}
              onValue={setClientId}
              error={issueOf(save.error, "clientId")}
            />
            <TextField
              label={text.clientSecret}
              hint={config ? text.secretKept : text.secretHint}
              mono
              type="password"
              autoComplete="new-password"
              maxLength={2_000}
              value={clientSecret}
              onValue={setClientSecret}
              error={issueOf(save.error, "clientSecret")}
            />
            <TextField
              label={text.scope}
              hint={text.scopeHint}
              mono
              maxLength={1_000}
              value={fields.scope}
              onValue={(scope) => set({ scope })}
              error={issueOf(save.error, "scope")}
            />
            <details className={styles["details"]}>
              <summary>{text.addresses}</summary>
              <div>{endpoints.map((name) => address(name, text.addressHint))}</div>
            </details>
            <CheckField label={text.enabled} checked={fields.enabled} onValue={(enabled) => set({ enabled })} />
          </Form>
        </div>
      </Dialog>
      {question === null ? null : (
        <Unbinding message={question} onConfirm={() => void save.run(true)} onClose={() => setQuestion(null)} />
      )}
    </>
  );
}
