/** Registries' keys for the expiry date. Case is ignored; dots and underscores count as spaces. */
export const registryExpiryKeys = keys(`
  registry expiry date, registry expiration date, domain expiration date, domain expiry, domain expires, domain datebilleduntil,
  expiration date, expiration time, expiration, expire date, expire-date, expire, expires, expires at, expires on, expires-on,
  expiry date, expiry, exp date, paid-till, paid till, record expires on, record expired, registered until, renewal date, renewal,
  valid until, valid-until, validity, 有効期限
`);

export const registrarExpiryKeys = keys(`
  registrar registration expiration date, registrar expiration date, registrar expiry date
`);

export const registrarKeys = keys(`
  registrar, registrar name, sponsoring registrar, registrar organization, registrar company, current registrar, authorized agency
`);

export const statusKeys = keys("domain status, status, state, eppstatus, 状態");

export const nameServerKeys = keys(`
  name server, name servers, nameserver, nameservers, nserver, domain nameservers, nsentry, ns, primary name server, secondary name server, ネームサーバ
`);

export const dsKeys = keys("dnssec ds data, ds-rdata, ds rdata, ds data, ds record, ds, signing key");

/** Keys whose value `unsigned` or `no` says that the name has no DS records. */
export const signedKeys = keys("dnssec, dnssec signed, dnssec status");

export const nameKeys = keys("domain name, domain, ascii domain name, ドメイン名");

/** Keys for a referral: IANA refers to the registry's server, and a registry to the registrar's. */
export const referralKeys = keys("refer, whois, whois server, registrar whois server, referralserver");

/** Keys that occur only in registrations. */
export const registrationKeys = keys(`
  registrar, sponsoring registrar, created, creation date, created on, registered, registered on, registered date, domain registered,
  登録年月日, nserver, name server, name servers, nameserver, nameservers, domain nameservers, holder, registrant, changed,
  last update, modified, record created
`);

function keys(list: string): ReadonlySet<string> {
  return new Set(list.split(",").map((key) => key.trim()));
}
