import { useState } from "react";
import { queries } from "../api.ts";
import { usePersonSearch } from "../session/use-person-search.ts";
import { PersonField } from "../ui/person-field.tsx";

interface PersonFilterProps {
  text: Readonly<{ self: string; person: string; personSearch: string; personNone: string }>;
  /** The id of the person in the address of the page. */
  present: string | undefined;
  onPerson: (id: string | undefined) => void;
}

/** Chooses the person of whom a page shows something, or everybody. */
export function PersonFilter({ text, present, onPerson }: PersonFilterProps) {
  const { field, reset } = usePersonSearch({ present: present ?? null, enabled: true, selfDetail: text.self });
  const [before, setBefore] = useState(present);
  // What was typed goes when the person is chosen elsewhere.
  if (before !== present) {
    setBefore(present);
    reset();
  }
  return (
    <PersonField
      label={text.person}
      placeholder={text.personSearch}
      none={text.personNone}
      {...field}
      onSearch={(typed) => {
        field.onSearch(typed);
        if (typed === "" && present !== undefined) onPerson(undefined);
      }}
      onChoose={(chosen) => {
        reset();
        if (!chosen) return;
        queries.setQueryData(["user-name", chosen.id], chosen.username);
        onPerson(chosen.id);
      }}
    />
  );
}
