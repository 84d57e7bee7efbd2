/** The states of an invitation. `ended`: its creator was deleted, disabled or demoted. */
export const invitationStates = ["open", "used_up", "expired", "ended"] as const;

export type InvitationState = (typeof invitationStates)[number];
