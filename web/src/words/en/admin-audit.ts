import type { RouterOutputs } from "@zonewright/client";

type Entry = RouterOutputs["audit"]["list"]["entries"][number];
/** What a sentence may depend on. */
type AuditFacts = Pick<Entry, "actorId" | "targetId" | "domainId" | "before" | "after">;

const number = (value: unknown) => (typeof value === "number" ? value : 0);
const plural = (count: number, one: string) => `${count.toLocaleString("en-US")} ${one}${count === 1 ? "" : "s"}`;

/** What a change set did with records, and to what. */
function changed({ after }: AuditFacts): string {
  const [creates, updates, deletes] = [
    number(after?.["creates"]),
    number(after?.["updates"]),
    number(after?.["deletes"]),
  ];
  const failures = number(after?.["failures"]);
  const failed = failures === 0 ? "" : `; ${plural(failures, "change")} failed`;
  if (creates + updates + deletes === 0) return `changed nothing in {domain}${failed}`;
  if (creates === 0 && deletes === 0) return `changed ${plural(updates, "record")} in {domain}${failed}`;
  if (updates === 0 && deletes === 0) return `added ${plural(creates, "record")} to {domain}${failed}`;
  if (creates === 0 && updates === 0) return `deleted ${plural(deletes, "record")} from {domain}${failed}`;
  const parts = [
    ...(creates > 0 ? [`added ${creates}`] : []),
    ...(updates > 0 ? [`changed ${updates}`] : []),
    ...(deletes > 0 ? [`deleted ${deletes}`] : []),
  ];
  return `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)} records in {domain}${failed}`;
}

/** The domains of an assignment. */
function place({ domainId, before, after }: AuditFacts): string {
  const given = after ?? before;
  const host = given?.["subdomainPattern"];
  const names = typeof host === "string" && host !== "*" ? `${host} in ` : "";
  if (domainId !== null) return `${names}{domain}`;
  const [group, tag] = [given?.["groupName"], given?.["tag"]];
  if (typeof group === "string") return `${names}the domains of the group ${group}`;
  return typeof tag === "string" ? `${names}the domains with the tag ${tag}` : "a domain";
}

/** Of a user: oneself, or another. */
const ofUser = ({ actorId, targetId }: AuditFacts, own: string, others: string) =>
  actorId === targetId ? own : others;
const aboutSignIn = ({ targetId }: AuditFacts) =>
  targetId === null ? "A sign-in with an unknown username failed" : "A sign-in as {target} failed";

/** Each action: its name among all, and the sentence of an entry. What is in braces becomes a name that filters by it. */
const actions: Readonly<Record<Entry["action"], { title: string; sentence: (facts: AuditFacts) => string }>> = {
  "assignment.approve": {
    title: "Access request approved",
    sentence: (facts) => `{who} approved {user}'s request for ${place(facts)}`,
  },
  "assignment.create": { title: "Access given", sentence: (facts) => `{who} gave {user} access to ${place(facts)}` },
  "assignment.delete": {
    title: "Access taken away",
    sentence: (facts) => `{who} ended {user}'s access to ${place(facts)}`,
  },
  "assignment.end": { title: "Access ended", sentence: (facts) => `{user}'s access to ${place(facts)} ended` },
  "assignment.reject": {
    title: "Access request rejected",
    sentence: (facts) => `{who} rejected {user}'s request for ${place(facts)}`,
  },
  "assignment.request": { title: "Access requested", sentence: (facts) => `{who} asked for access to ${place(facts)}` },
  "auth.approve_device": { title: "Device approved", sentence: () => "{who} signed in a device with a code" },
  "auth.authorize_cli": { title: "Command line signed in", sentence: () => "{who} signed in the command line" },
  "auth.confirm": { title: "Session confirmed", sentence: () => "{who} confirmed the session" },
  "auth.confirmation_failed": { title: "Confirmation failed", sentence: () => "{who} failed to confirm the session" },
  "auth.refresh_reused": {
    title: "Session ended: token used twice",
    sentence: () => "A session of {user} ended because its refresh token was used twice",
  },
  "auth.refuse_device": { title: "Device refused", sentence: () => "{who} refused to sign in a device" },
  "auth.second_factor_failed": {
    title: "Second factor failed",
    sentence: () => "A second factor for {target} was wrong",
  },
  "auth.sign_in": { title: "Signed in", sentence: () => "{who} signed in" },
  "auth.sign_in_failed": { title: "Sign-in failed", sentence: aboutSignIn },
  "auth.sign_out": { title: "Signed out", sentence: () => "{who} signed out" },
  "change_request.apply": { title: "Change request applied", sentence: () => "{who} applied the request {target}" },
  "change_request.approve": { title: "Change request approved", sentence: () => "{who} approved the request {target}" },
  "change_request.comment": {
    title: "Change request discussed",
    sentence: () => "{who} commented on the request {target}",
  },
  "change_request.create": {
    title: "Change request made",
    sentence: () => "{who} requested {target} for {domain}",
  },
  "change_request.fail": { title: "Change request failed", sentence: () => "The request {target} failed" },
  "change_request.reject": { title: "Change request rejected", sentence: () => "{who} rejected the request {target}" },
  "change_request.reopen": {
    title: "Change request open again",
    sentence: () => "{who} could not apply the request {target}: its approval no longer counts",
  },
  "change_request.withdraw": {
    title: "Change request withdrawn",
    sentence: () => "{who} withdrew the request {target}",
  },
  "channel.create": { title: "Channel added", sentence: () => "{who} added the channel {target}" },
  "channel.delete": { title: "Channel deleted", sentence: () => "{who} deleted the channel {target}" },
  "channel.disable": { title: "Channel disabled", sentence: () => "The channel {target} was disabled" },
  "channel.update": { title: "Channel changed", sentence: () => "{who} changed the channel {target}" },
  "domain.change_registration": {
    title: "Registration changed",
    sentence: () => "{who} changed the registration of {domain}",
  },
  "domain.change_tls_hosts": {
    title: "Watched certificates changed",
    sentence: () => "{who} changed which certificates of {domain} are watched",
  },
  "domain.set_dnssec": {
    title: "DNSSEC turned on or off",
    sentence: () => "{who} turned the DNSSEC of {domain} on or off",
  },
  "domain.check_dnssec": {
    title: "DNSSEC checked",
    sentence: () => "{who} checked the DNSSEC of {domain}",
  },
  "domain.check_delegation": {
    title: "Delegation checked",
    sentence: () => "{who} checked the delegation of {domain}",
  },
  "domain.check_expiry": { title: "Expiry looked up", sentence: () => "{who} looked up when {domain} expires" },
  "domain.create": { title: "Domain added", sentence: () => "{who} added {domain}" },
  "domain.delete": { title: "Domain removed", sentence: () => "{who} removed {domain}" },
  "domain.import": { title: "Domain imported", sentence: () => "{who} imported {domain}" },
  "domain.import_table": {
    title: "Import of a table started",
    sentence: () => "{who} started the import of a table of domains",
  },
  "domain.move": { title: "Domain moved", sentence: () => "{who} moved {domain} to another provider" },
  "domain.raise_serial": { title: "Serial raised", sentence: () => "{who} raised the serial of {domain}" },
  "domain.refuse_update": {
    title: "Dynamic update refused",
    sentence: () => "A dynamic update of {domain} by {who} was refused",
  },
  "domain.registration_change_failed": {
    title: "Registration change failed",
    sentence: () => "The registrar of {domain} did not carry out a change",
  },
  "domain.registration_changed": {
    title: "Registration changed at the registrar",
    sentence: () => "The registration of {domain} changed at its registrar",
  },
  "domain.send_dnssec": {
    title: "DNSSEC change started",
    sentence: () => "{who} started turning DNSSEC of {domain} on or off",
  },
  "domain.send_registration": {
    title: "Registration change started",
    sentence: () => "{who} started changing the registration of {domain}",
  },
  "domain.set_expiry": { title: "Expiry set", sentence: () => "{who} set when {domain} expires" },
  "domain.set_expiry_remind": {
    title: "Expiry reminders set",
    sentence: () => "{who} set the expiry reminders of {domain}",
  },
  "domain.snooze_delegation": {
    title: "Finding snoozed",
    sentence: () => "{who} snoozed a finding about {domain}",
  },
  "domain.update": { title: "Domain settings changed", sentence: () => "{who} changed settings of {domain}" },
  "feed.create": { title: "Calendar feed created", sentence: () => "{who} created the calendar feed {target}" },
  "feed.delete": { title: "Calendar feed deleted", sentence: () => "{who} deleted the calendar feed {target}" },
  "identity.bind": { title: "Identity bound", sentence: () => "{who} bound an identity of another provider" },
  "identity.groups": {
    title: "Directory groups applied",
    sentence: () => "Directory groups changed what {target} may do",
  },
  "identity.register": {
    title: "Registered with a provider",
    sentence: () => "{target} registered with another provider",
  },
  "identity.sign_in": {
    title: "Signed in with a provider",
    sentence: () => "{target} signed in with another provider",
  },
  "identity.unbind": { title: "Identity removed", sentence: () => "{who} removed an identity of another provider" },
  "identity_config.create": {
    title: "Sign-in provider added",
    sentence: () => "{who} added the sign-in provider {target}",
  },
  "identity_config.delete": {
    title: "Sign-in provider deleted",
    sentence: () => "{who} deleted the sign-in provider {target}",
  },
  "identity_config.update": {
    title: "Sign-in provider changed",
    sentence: () => "{who} changed the sign-in provider {target}",
  },
  "invitation.create": { title: "Invitation created", sentence: () => "{who} created an invitation" },
  "invitation.delete": { title: "Invitation deleted", sentence: () => "{who} deleted an invitation" },
  "mirror.create": { title: "Mirror added", sentence: () => "{who} added a mirror of {domain}" },
  "mirror.delete": { title: "Mirror deleted", sentence: () => "{who} deleted a mirror of {domain}" },
  "mirror.reconcile": { title: "Mirror brought in line", sentence: () => "{who} brought a mirror of {domain} in line" },
  "provider_config.create": { title: "DNS provider added", sentence: () => "{who} added the DNS provider {target}" },
  "provider_config.delete": {
    title: "DNS provider deleted",
    sentence: () => "{who} deleted the DNS provider {target}",
  },
  "provider_config.update": {
    title: "DNS provider changed",
    sentence: () => "{who} changed the DNS provider {target}",
  },
  "records.bulk": { title: "Records changed together", sentence: (facts) => `{who} ${changed(facts)}` },
  "records.edit": { title: "Records changed", sentence: (facts) => `{who} ${changed(facts)}` },
  "records.import": { title: "Records imported", sentence: (facts) => `{who} ${changed(facts)} by an import` },
  "records.replace": { title: "Values replaced", sentence: (facts) => `{who} ${changed(facts)} by a replacement` },
  "records.push": {
    title: "Provider's records overwritten",
    sentence: (facts) => `{who} ${changed(facts)} to overwrite what its provider had`,
  },
  "records.revert": { title: "Change taken back", sentence: (facts) => `{who} ${changed(facts)} to undo a change` },
  "records.rollback": {
    title: "Earlier state restored",
    sentence: (facts) => `{who} ${changed(facts)} to restore an earlier state`,
  },
  "records.sync": {
    title: "Provider's records taken over",
    sentence: (facts) => `{who} ${changed(facts)}, as its provider has them`,
  },
  "records.template": {
    title: "Template's records written",
    sentence: (facts) => `{who} ${changed(facts)} by a template`,
  },
  "registrar_config.create": { title: "Registrar added", sentence: () => "{who} added the registrar {target}" },
  "registrar_config.delete": { title: "Registrar deleted", sentence: () => "{who} deleted the registrar {target}" },
  "registrar_config.update": { title: "Registrar changed", sentence: () => "{who} changed the registrar {target}" },
  "replacement.apply": { title: "Replacement started", sentence: () => "{who} started a replacement across domains" },
  "replacement.revert": {
    title: "Change of many domains taken back",
    sentence: () => "{who} took back a change of many domains",
  },
  "replacement.stop": {
    title: "Change of many domains stopped",
    sentence: () => "{who} stopped a change of many domains",
  },
  "session.revoke": { title: "Session revoked", sentence: () => "{who} revoked a session" },
  "snapshot.create": { title: "Snapshot taken", sentence: () => "{who} took a snapshot of {domain}" },
  "template.apply": { title: "Template applied", sentence: () => "{who} applied a template to {domain}" },
  "template.apply_linked": {
    title: "Template updated in its domains",
    sentence: () => "{who} updated the domains that are linked to the template {target}",
  },
  "template.create": { title: "Template added", sentence: () => "{who} added the template {target}" },
  "template.delete": { title: "Template deleted", sentence: () => "{who} deleted the template {target}" },
  "template.unlink": { title: "Template unlinked", sentence: () => "{who} unlinked a template from {domain}" },
  "template.update": { title: "Template changed", sentence: () => "{who} changed the template {target}" },
  "token.create": { title: "Personal token created", sentence: () => "{who} created the token {target}" },
  "token.delete": { title: "Personal token deleted", sentence: () => "{who} deleted the token {target}" },
  "tsig_key.create": { title: "TSIG key created", sentence: () => "{who} created the TSIG key {target}" },
  "tsig_key.delete": { title: "TSIG key revoked", sentence: () => "{who} revoked the TSIG key {target}" },
  "two_factor.disable": {
    title: "Second factor removed",
    sentence: (facts) => ofUser(facts, "{who} removed a second factor", "{who} removed a second factor of {target}"),
  },
  "two_factor.enable": { title: "Second factor added", sentence: () => "{who} added a second factor" },
  "two_factor.recovery_codes": { title: "Recovery codes made", sentence: () => "{who} made new recovery codes" },
  "user.change_email": { title: "Email address changed", sentence: () => "{who} changed the email address" },
  "user.change_password": { title: "Password changed", sentence: () => "{who} changed the password" },
  "user.create": { title: "User added", sentence: () => "{who} added the user {target}" },
  "user.delete": { title: "User deleted", sentence: () => "{who} deleted the user {target}" },
  "user.forgot_password": {
    title: "Password reset requested",
    sentence: () => "A password reset for {target} was requested",
  },
  "user.register": { title: "User registered", sentence: () => "{target} registered" },
  "user.request_email_verification": {
    title: "Email verification requested",
    sentence: () => "A verification of {target}'s email address was requested",
  },
  "user.reset_password": { title: "Password reset", sentence: () => "The password of {target} was reset by email" },
  "user.revoke_access": { title: "Ways in revoked", sentence: () => "{who} revoked ways into the account of {target}" },
  "user.update": { title: "User changed", sentence: () => "{who} changed the user {target}" },
  "user.update_profile": { title: "Profile changed", sentence: () => "{who} changed the profile" },
  "user.verify_email": {
    title: "Email address verified",
    sentence: () => "The email address of {target} was verified",
  },
};

export const audit = {
  title: "Audit trail",
  count: (total: string) => `${total} entries`,
  one: "1 entry",
  filters: "Filters",
  person: "Person",
  personSearch: "Anybody",
  personNone: "No user matches.",
  self: "you",
  zone: "Zone",
  action: "Action",
  anyAction: "Any action",
  from: "From",
  until: "Until",
  clear: "Show all",
  noneFound: "No entry matches.",
  what: "What happened",
  when: "When",
  address: "IP address",
  service: "Zonewright",
  visitor: "Somebody not signed in",
  key: (name: string) => `TSIG key ${name}`,
  byKey: (name: string) => `with the TSIG key ${name}`,
  byToken: "with a personal token",
  deletedUser: "a deleted user",
  noName: (id: string) => `(${id.slice(-8)})`,
  nothing: "(unknown)",
  onlyOf: (name: string) => `Only entries of ${name}`,
  onlyAbout: (name: string) => `Only entries about ${name}`,
  onlyDomain: (name: string) => `Only entries about ${name}, its requests, snapshots, assignments and keys`,
  onlyTarget: "Only what happened to one thing.",
  details: "Details",
  /** An action of an earlier version. */
  unknown: (action: string) => `{who}: ${action}`,
  absent: "–",
  request: "Request",
  actionName: "Action",
  older: "Older",
  newest: "Newest",
  export: "Export",
  exportAs: { csv: "As a table (CSV)", jsonl: "As lines of JSON" },
  exporting: (entries: string) => `${entries} entries read…`,
  stop: "Stop",
  stopped: "The export was stopped.",
  goOn: "Continue",
  discard: "Discard",
  exported: (entries: string) => `${entries} entries saved.`,
  exportedFirst: (entries: string) =>
    `The newest ${entries} entries were saved. For earlier ones, set “Until”, or call GET /api/audit/export.`,
  actions,
};
