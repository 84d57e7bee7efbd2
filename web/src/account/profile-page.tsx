import { Monitor, Moon, Sun } from "lucide-react";
import { useState } from "react";
import { client, issueOf } from "../api.ts";
import { useUser } from "../session/current-user.ts";
import { setTheme, useTheme } from "../theme/theme.ts";
import { Button } from "../ui/button.tsx";
import { CheckField, Form, SelectField, TextField } from "../ui/field.tsx";
import { initialsOf } from "../ui/initials.ts";
import { Failure } from "../ui/notice.tsx";
import { Card } from "../ui/page.tsx";
import { local } from "../ui/storage.ts";
import { toast } from "../ui/toast.tsx";
import { useAction } from "../ui/use-action.ts";
import { useEdits } from "../ui/use-edits.ts";
import { accountWords } from "../words/account.ts";
import { languageKey, type Language } from "../words/language.ts";
import { words } from "../words/words.ts";
import styles from "./account.module.css";
import { AccountPage } from "./account-page.tsx";
import { EmailCard } from "./email-card.tsx";
import { showUser } from "./own-account.ts";

const text = accountWords;

/** Who the user is, and how Zonewright reaches them. */
export function ProfilePage() {
  return (
    <AccountPage title={text.profile}>
      <AboutCard />
      <EmailCard />
      <NotificationsCard />
      <AppearanceCard />
    </AccountPage>
  );
}

function AboutCard() {
  const user = useUser();
  const { fields, changed, isChanged, set, done } = useEdits(
    { displayName: user.displayName ?? "", nickname: user.nickname ?? "", avatarUrl: user.avatarUrl ?? "" },
    `zonewright.profile.${user.id}`,
  );
  const { displayName, nickname, avatarUrl } = fields;
  const save = useAction(async () => {
    showUser(await client.profile.update.mutate(changed));
    done();
    toast({ title: text.profileSaved });
  });
  const issues = {
    displayName: issueOf(save.error, "displayName"),
    nickname: issueOf(save.error, "nickname"),
    avatarUrl: issueOf(save.error, "avatarUrl"),
  };
  const explained = Object.values(issues).some((issue) => issue !== null);
  return (
    <Card title={text.aboutYou} hint={text.aboutYouHint}>
      <Form onSubmit={() => void save.run()}>
        {explained ? null : <Failure error={save.error} />}
        <div className={styles["who"]}>
          <span className={styles["avatar"]} aria-hidden>
            {initialsOf(displayName.trim() || user.username)}
          </span>
          <div>
            <span className={styles["hint"]}>{text.signInName}</span>
            <strong>{user.username}</strong>
          </div>
        </div>
        <div className={styles["pair"]}>
          <TextField
            label={text.displayName}
            autoComplete="name"
            value={displayName}
            onValue={(next) => set({ displayName: next })}
            error={issues.displayName}
          />
          <TextField
            label={text.nickname}
            autoComplete="nickname"
            value={nickname}
            onValue={(next) => set({ nickname: next })}
            error={issues.nickname}
          />
        </div>
        <TextField
          label={text.picture}
          type="url"
          hint={text.pictureHint}
          value={avatarUrl}
          onValue={(next) => set({ avatarUrl: next })}
          error={issues.avatarUrl}
        />
        <div>
          <Button type="submit" kind="primary" disabled={!isChanged} pending={save.pending}>
            {words.ui.save}
          </Button>
        </div>
      </Form>
    </Card>
  );
}

function NotificationsCard() {
  const user = useUser();
  const reachable = user.email !== null && user.emailVerified;
  return (
    <Card title={text.notifications}>
      <Switch name={text.inApp} hint={text.inAppHint} field="notificationsEnabled" />
      <Switch
        name={text.byEmail}
        hint={reachable ? text.byEmailHint : text.byEmailMissing}
        field="emailNotificationsEnabled"
        disabled={!reachable && !user.emailNotificationsEnabled}
      />
    </Card>
  );
}

interface SwitchProps {
  name: string;
  hint: string;
  field: "notificationsEnabled" | "emailNotificationsEnabled";
  disabled?: boolean;
}

/** A setting that is stored when it is switched. Until the service answers, it shows what was chosen. */
function Switch({ name, hint, field, disabled = false }: SwitchProps) {
  const user = useUser();
  const [wish, setWish] = useState(user[field]);
  const change = useAction(async (wanted: boolean) => {
    setWish(wanted);
    showUser(await client.profile.update.mutate({ [field]: wanted }));
    toast({ title: words.ui.saved });
  });
  return (
    <>
      <Failure error={change.error} />
      <CheckField
        label={
          <>
            {name}
            <span className={styles["hint"]}>{hint}</span>
          </>
        }
        checked={change.pending ? wish : user[field]}
        disabled={disabled}
        onValue={(wanted) => void change.run(wanted)}
      />
    </>
  );
}

const themes = [
  { value: "system", icon: <Monitor aria-hidden /> },
  { value: "light", icon: <Sun aria-hidden /> },
  { value: "dark", icon: <Moon aria-hidden /> },
] as const;

/** Each language in its own name, for those who cannot read the present one. */
const languages: readonly { value: Language; label: string }[] = [
  { value: "en", label: "English" },
  { value: "de", label: "Deutsch" },
];

/** Rooms took their texts when they loaded, so another language begins with the page. Drafts and what was typed on this page survive that. */
function chooseLanguage(chosen: Language | "auto"): void {
  try {
    if (chosen === "auto") local.removeItem(languageKey);
    else local.setItem(languageKey, chosen);
    // Not `local`, which keeps the choice only as long as the page.
    if (localStorage.getItem(languageKey) === (chosen === "auto" ? null : chosen)) {
      location.reload();
      return;
    }
  } catch {}
  toast({ title: text.languageNotKept });
}

function AppearanceCard() {
  const theme = useTheme();
  const stored = local.getItem(languageKey);
  return (
    <Card title={text.appearance} hint={text.appearanceHint}>
      <div className={styles["segments"]} role="radiogroup" aria-label={text.appearance}>
        {themes.map(({ value, icon }) => (
          <label key={value}>
            <input type="radio" name="theme" checked={theme === value} onChange={() => setTheme(value)} />
            {icon}
            {text.themes[value]}
          </label>
        ))}
      </div>
      <SelectField<Language | "auto">
        label={text.language}
        hint={text.languageHint}
        value={languages.find(({ value }) => value === stored)?.value ?? "auto"}
        options={[{ value: "auto", label: text.languageAuto }, ...languages]}
        onValue={chooseLanguage}
      />
    </Card>
  );
}
