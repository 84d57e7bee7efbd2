import { SelectField, TextField } from "../ui/field.tsx";
import { accountWords } from "../words/account.ts";
import { words } from "../words/words.ts";
import styles from "./account.module.css";
import type { Expiry } from "./expiry.ts";

const text = accountWords;

const expiries = ["30", "90", "365", "date", "never"] as const;

interface ExpiryFieldsProps {
  expiry: Expiry;
  onExpiry: (expiry: Expiry) => void;
  day: string;
  onDay: (day: string) => void;
  /** What the service says about the date. */
  issue: string | null;
  /** Whether the day was left out. */
  missing: boolean;
}

/** The fields for when a token or key ends. */
export function ExpiryFields({ expiry, onExpiry, day, onDay, issue, missing }: ExpiryFieldsProps) {
  return (
    <div className={styles["pair"]}>
      <SelectField
        label={text.expiry}
        value={expiry}
        options={expiries.map((value) => ({ value, label: text.expiries[value] }))}
        onValue={onExpiry}
        hint={expiry === "never" ? text.expiryNeverHint : undefined}
        error={expiry === "date" ? null : issue}
      />
      {expiry === "date" ? (
        <TextField
          label={text.expiryDate}
          type="date"
          value={day}
          onValue={onDay}
          error={issue ?? (missing ? words.ui.required : null)}
        />
      ) : null}
    </div>
  );
}
