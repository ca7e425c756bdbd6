/** The effects on clients while a service does not answer, by the name of the service. */
const effects: Readonly<Record<string, string>> = {
  leases:
    'keys go on for viewers whose leases and marks this process confirmed in the last seconds; other keys and all lease requests get 503',
  auth: 'keys go on for viewer tokens and for API keys that this process knows; management, setup, the audit and events get 503',
  content:
    'keys go on for contents that this process knows; other contents, registrations and upload URLs get 503',
  'key-derivation': 'keys get 503, which players retry; leases and management go on',
  playback: 'playlists of session URLs get 503; keys go on',
};

/**
 * The warning about a service that did not answer: what failed, what clients notice, and what to do.
 *
 * @param name of the service, as in the upstream of a log line
 */
export function describeLostService(name: string): string {
  const effect = effects[name] ?? 'requests that need it get 503';
  return `${name} did not answer: ${effect}. See its own log and its /ready`;
}

/** For a bus that is NATS, or one within the process, whose receivers failed. */
export const busFaultMessage =
  'the bus failed: revocations still reach every process, by reading the change feed once a second. With NATS, check NATS_URL and its server';

export const cacheFaultMessage =
  'Redis cannot be used: no request fails, but replicas call the lease service for each new viewer, and count the pace of keys each by itself. Check REDIS_URL and the Redis server';

export const refusalsFaultMessage =
  'refusals could not be written to the audit: their callers were answered all the same, and rows are missing. Check the disk of the database and whether it takes writes';

/** @param setting where the operator sets the address of the key set */
export const keySetFaultMessage = (issuer: string, setting: string) =>
  `the key set of issuer ${issuer} could not be fetched: its tokens are checked with the last one for an hour, then get 503. Check ${setting}`;

export const unusableKeysMessage = (issuer: string, setting: string) =>
  `keys of the key set of issuer ${issuer} cannot be used: tokens that they signed get 401. Replace them at the identity provider of ${setting}, or ignore keys that sign no tokens of viewers`;

export const feedFaultMessage =
  'the change feed could not be read: keys go on for states that were confirmed within AUTHORITY_MAX_AGE_SECONDS, then get 503. Check the database, or the service that reads it';
