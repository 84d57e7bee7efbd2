import { TextArea, TextField } from "../ui/field.tsx";
import { issueOf } from "../api.ts";
import { recordsWords } from "../words/records.ts";

const text = recordsWords;

/** What a request for a review says. */
export interface RequestText {
  title: string;
  note: string;
  /** As a browser's field for date and time gives it, in local time; empty for no set time. */
  applyAt: string;
}

export const noRequestText: RequestText = { title: "", note: "", applyAt: "" };

interface RequestFieldsProps {
  value: RequestText;
  onValue: (value: RequestText) => void;
  error: unknown;
  /** Whether the title was missing when the request was to be sent. */
  titleMissing: boolean;
}

/** What reviewers read before the changes. */
export function RequestFields({ value, onValue, error, titleMissing }: RequestFieldsProps) {
  return (
    <>
      <TextField
        label={text.requestTitle}
        maxLength={200}
        value={value.title}
        onValue={(title) => onValue({ ...value, title })}
        error={titleMissing ? text.requestTitleMissing : issueOf(error, "title")}
      />
      <TextArea
        label={text.requestNote}
        rows={2}
        maxLength={5000}
        value={value.note}
        onValue={(note) => onValue({ ...value, note })}
        error={issueOf(error, "note")}
      />
      <TextField
        label={text.requestTime}
        hint={text.requestTimeHint}
        type="datetime-local"
        value={value.applyAt}
        onValue={(applyAt) => onValue({ ...value, applyAt })}
        error={issueOf(error, "applyAt")}
      />
    </>
  );
}
