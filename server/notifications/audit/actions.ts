/**
 * What the audit trail records, as `<subject>.<verb>`. The console has a sentence for each, so that a new action without one fails the
 * compiler. An action that is no longer written stays: entries of earlier versions have it.
 */
export type AuditAction =
  | `assignment.${"approve" | "create" | "delete" | "end" | "reject" | "request"}`
  | `auth.${"approve_device" | "authorize_cli" | "confirm" | "confirmation_failed" | "refresh_reused" | "refuse_device"}`
  | `auth.${"second_factor_failed" | "sign_in" | "sign_in_failed" | "sign_out"}`
  | `change_request.${"apply" | "approve" | "comment" | "create" | "fail" | "reject" | "reopen" | "withdraw"}`
  | `channel.${"create" | "delete" | "disable" | "update"}`
  | `domain.${"change_registration" | "change_tls_hosts" | "check_delegation" | "check_dnssec" | "check_expiry" | "create" | "delete" | "import" | "import_table" | "move"}`
  | `domain.${"raise_serial" | "refuse_update" | "registration_change_failed" | "registration_changed" | "set_dnssec" | "set_expiry" | "set_expiry_remind"}`
  | `domain.${"send_dnssec" | "send_registration" | "snooze_delegation" | "update"}`
  | `feed.${"create" | "delete"}`
  | `identity.${"bind" | "groups" | "register" | "sign_in" | "unbind"}`
  | `identity_config.${"create" | "delete" | "update"}`
  | `invitation.${"create" | "delete"}`
  | `mirror.${"create" | "delete" | "reconcile"}`
  | `provider_config.${"create" | "delete" | "update"}`
  | `records.${"bulk" | "edit" | "import" | "push" | "replace" | "revert" | "rollback" | "sync" | "template"}`
  | `registrar_config.${"create" | "delete" | "update"}`
  | `replacement.${"apply" | "revert" | "stop"}`
  | "session.revoke"
  | "snapshot.create"
  | `template.${"apply" | "apply_linked" | "create" | "delete" | "unlink" | "update"}`
  | `token.${"create" | "delete"}`
  | `tsig_key.${"create" | "delete"}`
  | `two_factor.${"disable" | "enable" | "recovery_codes"}`
  | `user.${"change_email" | "change_password" | "create" | "delete" | "forgot_password" | "register" | "reset_password"}`
  | `user.${"request_email_verification" | "revoke_access" | "update" | "update_profile" | "verify_email"}`;
