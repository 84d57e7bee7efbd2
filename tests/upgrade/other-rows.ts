/**
 * Rows of the tables that the interface fills only with mails, browsers, keys or crashes, as 0.1.0 stores them. Secrets in them are made up; nobody
 * opens them.
 */
export const rowsOfOtherTables = `
insert into email_factors (user_id, enabled_at) select id, now() from users where username = 'tara';
insert into passkeys (id, user_id, name, credential_id, public_key, counter, transports, created_at)
  select gen_random_uuid(), id, 'Key', 'Y3JlZGVudGlhbA', 'cHVibGljLWtleQ', 7, '{usb,nfc}', now() from users where username = 'tara';
insert into sign_in_challenges (id, token_hash, user_id, remember_me, expires_at)
  select gen_random_uuid(), 'half-signed-in', id, true, now() + interval '10 minutes' from users where username = 'tara';
insert into passkey_challenges (challenge, purpose, user_id, expires_at)
  select 'Y2hhbGxlbmdl', 'register', id, now() + interval '5 minutes' from users where username = 'tara';
insert into password_resets (token_hash, user_id, created_at, expires_at)
  select 'reset', id, now(), now() + interval '1 hour' from users where username = 'mona';
insert into identity_bindings (id, user_id, provider_id, issuer, subject, email, display_name, created_at)
  select gen_random_uuid(), id, 'github', 'https://github.com', '4711', 'mona@example.net', 'Mona', now() from users where username = 'mona';
insert into identity_flows (id, provider_id, user_id, session_id, browser_hash, secrets, expires_at)
  select gen_random_uuid(), 'github', users.id, sessions.id, 'browser', 'sealed', now() + interval '10 minutes'
  from users join sessions on sessions.user_id = users.id where username = 'mona' limit 1;
insert into identity_codes (code_hash, provider_id, expires_at) values ('code', 'github', now() + interval '10 minutes');
insert into identity_tickets (token_hash, user_id, provider_id, expires_at)
  select 'ticket', id, 'github', now() + interval '1 minute' from users where username = 'mona';
insert into pending_identities (token_hash, provider_id, issuer, subject, email, email_verified, display_name, username, expires_at)
  values ('pending', 'github', 'https://github.com', '4712', 'new@example.net', true, 'New', 'new', now() + interval '10 minutes');
insert into deliveries (id, channel_id, notice, state, attempts, next_attempt_at, last_error, created_at)
  select gen_random_uuid(), id, '{"event": "zone.drift", "title": "Drift", "content": "Look at it.", "level": "warning", "metadata": {}}', 'pending', 3,
    now() + interval '1 hour', 'HTTP 503', now() from notification_channels;
insert into expiry_reminders (domain_id, expires_on, days, told_at) select id, '2027-06-01', 30, now() from domains where name = 'kept.example';
insert into zone_imports (id, provider_config_id, started_at, finished_at)
  select '01a1fb0f-6204-7000-abd4-276e976be8a1', id, now(), now() from provider_configs where embedded;
insert into zone_import_items (import_id, position, name, state, domain_id, records, error)
  select '01a1fb0f-6204-7000-abd4-276e976be8a1', 0, name, 'done', id, record_count, null from domains where name = 'imported.example';
insert into domains (id, name, provider_config_id, owner_id, tags, expiry_remind_days, auto_check_expiry, record_count)
  select '01a1fb0f-6204-7000-abd4-276e976be8a2', 'open.example', id, null, '{}', '{30,7,1}', false, 0 from provider_configs where name = 'PowerDNS';
insert into change_sets (id, domain_id, kind, state, creates, updates, deletes, intent, created_at)
  values ('01a1fb0f-6204-7000-abd4-276e976be8a3', '01a1fb0f-6204-7000-abd4-276e976be8a2', 'edit', 'pending', 1, 0, 0,
    '{"together": false, "changes": [{"id": "01a1fb0f-6204-7000-abd4-276e976be8a4", "action": "create", "before": null, "after": {"recordType": "A", "name": "www", "value": "192.0.2.1", "ttl": 300, "priority": null, "proxied": false, "comment": null}}]}', now());
insert into change_set_calls (change_set_id, does)
  values ('01a1fb0f-6204-7000-abd4-276e976be8a3', '[{"before": null, "after": {"recordType": "A", "name": "www", "value": "192.0.2.1", "ttl": 300, "priority": null, "proxied": false}}]');
`;

/** As later versions store them: a domain names its zone at its provider, too. */
export function withProviderZones(rows: string): string {
  return rows
    .replace("into domains (id, name,", "into domains (id, name, provider_zone,")
    .replace("'open.example', id,", "'open.example', 'open.example', id,");
}
