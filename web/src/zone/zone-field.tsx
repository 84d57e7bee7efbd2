import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { client } from "../api.ts";
import { Field } from "../ui/field.tsx";
import { useSettled } from "../ui/use-settled.ts";
import { zoneWords } from "../words/zone.ts";
import { zoneName } from "./use-zone.ts";

const text = zoneWords;
const typingPause = 250;
const suggestions = 20;

interface ZoneFieldProps {
  label: string;
  /** By default, that a view is part of the name. */
  hint?: string | null;
  value: string;
  onValue: (value: string) => void;
  error: string | null;
}

/** A zone by its name, with those of which one types a part. */
export function ZoneField({ label, hint = text.zoneHint, value, onValue, error }: ZoneFieldProps) {
  const id = useId();
  const settled = useSettled(value.trim(), typingPause);
  const { data } = useQuery({
    queryKey: ["zone-names", settled],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const { domains } = await client.domains.list.query(
        { search: settled.split("!")[0] || undefined, limit: suggestions },
        { signal },
      );
      return domains.map(zoneName);
    },
  });
  return (
    <Field label={label} hint={hint ?? undefined} error={error}>
      {(control) => (
        <>
          <input
            {...control}
            list={id}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={300}
            value={value}
            onChange={(event) => onValue(event.target.value)}
          />
          <datalist id={id}>
            {(data ?? []).map((name) => (
              <option key={name}>{name}</option>
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}
