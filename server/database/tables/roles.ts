/** What users can be: administrators reach everything, members what is theirs and what is assigned to them. */
export const roles = ["admin", "member"] as const;

export type Role = (typeof roles)[number];
