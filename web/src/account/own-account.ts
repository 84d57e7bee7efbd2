import { queryOptions } from "@tanstack/react-query";
import { client, queries } from "../api.ts";
import { currentUser, type CurrentUser } from "../session/current-user.ts";

/** The second factors and passkeys of the user. */
export const secondFactors = queryOptions({
  queryKey: ["second-factors"],
  queryFn: async ({ signal }) => await client.twoFactor.get.query(undefined, { signal }),
});

/** The user's identities at providers. */
export const bindings = queryOptions({
  queryKey: ["identity-bindings"],
  queryFn: async ({ signal }) => (await client.identity.bindings.query(undefined, { signal })).bindings,
});

/** The providers that the sign-in page offers. */
export const signInProviders = queryOptions({
  queryKey: ["sign-in-providers"],
  queryFn: async ({ signal }) => (await client.identity.providers.query(undefined, { signal })).providers,
});

export const tokens = queryOptions({
  queryKey: ["personal-tokens"],
  queryFn: async ({ signal }) => (await client.tokens.list.query(undefined, { signal })).tokens,
});

export const feeds = queryOptions({
  queryKey: ["calendar-feeds"],
  queryFn: async ({ signal }) => (await client.feeds.list.query(undefined, { signal })).feeds,
});

export const keys = queryOptions({
  queryKey: ["tsig-keys"],
  queryFn: async ({ signal }) => (await client.tsigKeys.list.query(undefined, { signal })).keys,
});

export const sessions = queryOptions({
  queryKey: ["sessions"],
  queryFn: async ({ signal }) => (await client.sessions.list.query(undefined, { signal })).sessions,
});

/** Shows the user as the service answered after a change. */
export function showUser(user: CurrentUser): void {
  queries.setQueryData(currentUser.queryKey, user);
}

/** Reads the second factors again, and the user, who lists them too. */
export async function refreshFactors(): Promise<void> {
  await refresh(secondFactors, currentUser);
}

/** Reads everything again that opens the account. */
export async function refreshWaysIn(): Promise<void> {
  await refresh(secondFactors, currentUser, bindings, tokens, feeds, keys, sessions);
}

/** Reads again what these queries show. */
export async function refresh(...read: readonly { queryKey: readonly unknown[] }[]): Promise<void> {
  await Promise.all(read.map(({ queryKey }) => queries.invalidateQueries({ queryKey })));
}
