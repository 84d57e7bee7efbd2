import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { client, queries } from "../api.ts";
import { AskFirst } from "../ui/ask-first.tsx";
import { Button } from "../ui/button.tsx";
import { Failure } from "../ui/notice.tsx";
import { Page } from "../ui/page.tsx";
import { toast } from "../ui/toast.tsx";
import { useQueue } from "../ui/use-queue.ts";
import { adminWords } from "../words/admin.ts";
import { AdminOnly } from "./admin-only.tsx";
import { SignInForm, type AvailableProvider, type IdentityConfig } from "./sign-in-form.tsx";
import { confirmingRemoval, questionOf, Unbinding } from "./unbinding.tsx";
import { RowMenu } from "./table.tsx";
import styles from "./admin.module.css";

const text = adminWords.signIn;

async function changed(): Promise<void> {
  await queries.invalidateQueries({ queryKey: ["identity-configs"] });
}

/** The identity providers that people may sign in with. */
export function SignInProvidersPage() {
  return (
    <AdminOnly>
      <SignInProviders />
    </AdminOnly>
  );
}

function SignInProviders() {
  const { data, error } = useQuery({
    queryKey: ["identity-configs"],
    queryFn: async ({ signal }) => await client.identityConfigs.list.query(undefined, { signal }),
  });
  const [edited, setEdited] = useState<AvailableProvider | null>(null);
  const [leaving, setLeaving] = useState<AvailableProvider | null>(null);
  /** Questions about providers that people still sign in with: several deletions may have been started. */
  const [questions, setQuestions] = useState<readonly { message: string; config: IdentityConfig; name: string }[]>([]);
  const asked = questions[0];
  const configOf = (id: string) => data?.providers.find(({ providerId }) => providerId === id) ?? null;
  const turn = useQueue(async ({ id }: IdentityConfig, name: string, enabled: boolean) => {
    await client.identityConfigs.update.mutate({ id, enabled });
    await changed();
    toast({ title: enabled ? text.turnedOn(name) : text.turnedOff(name) });
  });
  const remove = useQueue(async (config: IdentityConfig, name: string, unbind: boolean) => {
    try {
      await client.identityConfigs.delete.mutate({ id: config.id }, unbind ? confirmingRemoval : {});
    } catch (failure) {
      const question = { message: questionOf(failure), config, name };
      setQuestions((others) => [...others, question]);
      return;
    }
    await changed();
    toast({ title: text.deleted(name) });
  });
  return (
    <Page title={text.title}>
      <p>{text.hint}</p>
      <Failure error={error ?? turn.error ?? remove.error} />
      {data ? (
        <div className={styles["frame"]}>
          <table className={styles["table"]}>
            <tbody>
              {data.availableProviders.map((provider) => (
                <Row
                  key={provider.id}
                  provider={provider}
                  config={configOf(provider.id)}
                  onEdit={() => setEdited(provider)}
                  onTurn={(config, enabled) => void turn.run(config, provider.name, enabled)}
                  onDelete={() => setLeaving(provider)}
                />
              ))}
            </tbody>
          </table>
        </div>
      ) : null}
      {edited ? <SignInForm provider={edited} config={configOf(edited.id)} onClose={() => setEdited(null)} /> : null}
      {leaving ? (
        <AskFirst
          title={text.deleteTitle(leaving.name)}
          action={text.delete}
          onConfirm={() => {
            const config = configOf(leaving.id);
            if (config) void remove.run(config, leaving.name, false);
          }}
          onClose={() => setLeaving(null)}
        >
          {text.deleteHint}
        </AskFirst>
      ) : null}
      {asked ? (
        <Unbinding
          key={asked.config.id}
          message={asked.message}
          onConfirm={() => void remove.run(asked.config, asked.name, true)}
          onClose={() => setQuestions((others) => others.filter((other) => other !== asked))}
        />
      ) : null}
    </Page>
  );
}

interface RowProps {
  provider: AvailableProvider;
  config: IdentityConfig | null;
  onEdit: () => void;
  onTurn: (config: IdentityConfig, enabled: boolean) => void;
  onDelete: () => void;
}

/** What tells a provider from others: where it is, or else what it is for. */
function aboutOf({ id, type }: AvailableProvider, config: IdentityConfig | null): string {
  const address = config?.authorizeUrl ?? config?.wellKnownUrl ?? null;
  if (address !== null && URL.canParse(address)) return new URL(address).host;
  if (id === "oidc" || id === "custom") return text.about[id];
  return type === "oidc" ? text.about.discovery : text.about.oauth2;
}

function Row({ provider, config, onEdit, onTurn, onDelete }: RowProps) {
  const { name } = provider;
  const navigate = useNavigate();
  const state = config === null ? text.notSetUp : config.enabled ? text.on : text.off;
  return (
    <tr>
      <td className={styles["main"]}>
        {name}
        <small>{aboutOf(provider, config)}</small>
      </td>
      <td>
        <i className={styles["dot"]} data-state={config?.enabled ? "good" : undefined} aria-hidden />
        {state}
      </td>
      <td className={styles["actions"]}>
        <div>
          {config ? (
            <>
              <Button
                aria-label={text.actionOf(config.enabled ? text.turnOff : text.turnOn, name)}
                onClick={() => onTurn(config, !config.enabled)}
              >
                {config.enabled ? text.turnOff : text.turnOn}
              </Button>
              <RowMenu
                label={text.more(name)}
                groups={[
                  [
                    { id: "edit", label: text.edit, run: onEdit },
                    {
                      id: "groups",
                      label: adminWords.groups.open,
                      run: () => void navigate({ to: "/admin/sign-in/$provider", params: { provider: provider.id } }),
                    },
                  ],
                  [{ id: "delete", label: text.delete, run: onDelete, danger: true }],
                ]}
              />
            </>
          ) : (
            <Button aria-label={text.actionOf(text.setUp, name)} onClick={onEdit}>
              {text.setUp}
            </Button>
          )}
        </div>
      </td>
    </tr>
  );
}
