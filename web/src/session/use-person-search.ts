import { useQuery } from "@tanstack/react-query";
import type { RouterOutputs } from "@zonewright/client";
import { useDeferredValue, useState } from "react";
import { client } from "../api.ts";
import { meantPerson, type Person } from "../ui/person-field.tsx";
import { useUser } from "./current-user.ts";

type ListedUser = RouterOutputs["users"]["list"]["users"][number];

interface PersonSearch {
  /** The id of the person whom the field names now; null: nobody. */
  present: string | null;
  /** Only administrators may search. */
  enabled: boolean;
  /** Beside the name of the user who is signed in. */
  selfDetail: string;
  /** Whether somebody who was found may be chosen. */
  mayBe?: (user: ListedUser) => boolean;
}

/** What a `PersonField` needs to choose one user, or nobody, among all. */
export function usePersonSearch({ present, enabled, selfDetail, mayBe = () => true }: PersonSearch) {
  const user = useUser();
  // Null: as it is now.
  const [search, setSearch] = useState<string | null>(null);
  const [picked, setPicked] = useState<Person | null>(null);
  const wanted = useDeferredValue(search?.trim() ?? "");
  const { data: found = [], isPlaceholderData } = useQuery({
    queryKey: ["users-to-ask", wanted],
    enabled,
    queryFn: async ({ signal }) =>
      (await client.users.list.query({ limit: 100, search: wanted || undefined }, { signal })).users,
    placeholderData: (before) => before,
  });
  const { data: name } = useQuery({
    queryKey: ["user-name", present],
    enabled: enabled && present !== null && present !== user.id,
    queryFn: async ({ signal }) => (await client.users.get.query({ id: present ?? "" }, { signal })).username,
    staleTime: Infinity,
  });
  const now: Person | null =
    present === null ? null : { id: present, username: present === user.id ? user.username : (name ?? "") };
  const people = found
    .filter((one) => one.id === present || mayBe(one))
    .toSorted((one, other) => Number(other.id === user.id) - Number(one.id === user.id))
    .map(({ id, username, displayName }) => ({
      id,
      username,
      detail: id === user.id ? selfDetail : displayName,
    }));
  const isFound = !isPlaceholderData && wanted === search?.trim();
  const meant = () => {
    if (search === null) return present;
    return search.trim() === "" ? null : meantPerson(picked, search, people, isFound)?.id;
  };
  return {
    /** Undefined while a text is entered that names nobody. */
    id: meant(),
    /** Shows the present person again. */
    reset: () => {
      setSearch(null);
      setPicked(null);
    },
    field: {
      search: search ?? now?.username ?? "",
      onSearch: setSearch,
      people,
      isFound: isFound || search === null,
      chosen: search === null ? now : picked,
      onChoose: setPicked,
    },
  };
}
