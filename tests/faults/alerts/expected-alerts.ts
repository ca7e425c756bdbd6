/** The alerts of a fault. */
export interface ExpectedAlerts {
  must: readonly string[];
  /** Those that depend on how many requests happen to meet the fault. */
  may?: readonly string[];
}

/** Key requests fail, in both ways of counting them. */
const keysFail = ['LatchkeyKeysBurnFast', 'LatchkeyKeysBurnSlow', 'LatchkeyKeysFail'];
/** A process that was paused or cut off applies afterwards what it missed. */
const revocationsLate = [
  'LatchkeyRevocationsBurnFast',
  'LatchkeyRevocationsBurnSlow',
  'LatchkeyRevocationsLate',
];
/** The only process of a service is gone. */
const serviceLost = ['LatchkeyProcessDown', 'LatchkeyServiceAbsent', 'LatchkeyServiceUnreachable'];
const noDatabase = [
  ...keysFail,
  'LatchkeyChangesFail',
  'LatchkeyDatabaseDown',
  'LatchkeyPlaylistsFail',
  'LatchkeyReplicaUnsure',
  'LatchkeyServiceUnreachable',
];

/**
 * A scrape of the lease service waits for the database to count the leases. Prometheus waits 10 s for that by default, but half a second
 * here, where it must scrape twice a second.
 */
const scrapeWaits = ['LatchkeyProcessDown', 'LatchkeyServiceAbsent'];

/** By the name of the fault. One that is not listed must raise none. */
export const expectedAlerts: Readonly<Record<string, ExpectedAlerts>> = {
  'Postgres killed': { must: noDatabase },
  'Postgres paused': { must: noDatabase, may: ['LatchkeyDatabaseReadOnly', ...scrapeWaits] },
  'Postgres slow by 1 s': {
    must: ['LatchkeyChangesFail', 'LatchkeyDatabaseReadOnly'],
    may: [
      ...noDatabase,
      ...scrapeWaits,
      ...revocationsLate,
      'LatchkeyFeedOld',
      'LatchkeyKeysSlow',
      'LatchkeyKeysVerySlow',
    ],
  },
  'Redis killed': { must: ['LatchkeyRedisDown'] },
  'Redis slow by 1 s': { must: [], may: ['LatchkeyRedisDown'] },
  'Redis paused': { must: ['LatchkeyRedisDown'] },
  'NATS killed': { must: ['LatchkeyNatsDown'] },
  'NATS paused': { must: ['LatchkeyNatsDown'] },
  'the lease service killed': { must: [...serviceLost, 'LatchkeyChangesFail'] },
  'the auth service killed': { must: serviceLost },
  // Each new lease asks the content service for its content.
  'the content service killed': { must: [...serviceLost, 'LatchkeyChangesFail'] },
  'one key-derivation replica of three killed': { must: ['LatchkeyProcessDown'] },
  'the playback service killed': { must: [...serviceLost, 'LatchkeyPlaylistsFail'] },
  'the lease service paused': { must: [...serviceLost, 'LatchkeyChangesFail'], may: revocationsLate },
  'the playback service paused': {
    must: [...serviceLost, 'LatchkeyPlaylistsFail'],
    may: revocationsLate,
  },
  'one key-derivation replica of three paused': { must: ['LatchkeyProcessDown'], may: revocationsLate },
  'the network around one key-derivation replica cut': {
    must: ['LatchkeyReplicaUnsure', 'LatchkeyRedisDown', 'LatchkeyNatsDown', ...revocationsLate],
  },
  'the network around the playback service cut': {
    must: [
      'LatchkeyReplicaUnsure',
      'LatchkeyRedisDown',
      'LatchkeyNatsDown',
      'LatchkeyPlaylistsFail',
      ...revocationsLate,
    ],
  },
  'a third of the key requests with a token of another issuer': { must: ['LatchkeyKeysRefused'] },
  'players with a poor network and slow devices': {
    must: ['LatchkeyDecryptSlow', 'LatchkeyFirstFrameLate', 'LatchkeyPlayerKeysSlow', 'LatchkeyPlayersStall'],
  },
  'the disk of SQLite nearly full': { must: ['LatchkeyDiskNearlyFull'] },
  'a certificate with 5 days left': { must: ['LatchkeyCertificateExpires'] },
  'the identity provider away for 31 minutes': { must: ['LatchkeyTokenKeysStale'] },
  'a process that ends again and again': { must: ['LatchkeyProcessRestarts'] },
  'every process killed': { must: ['LatchkeyNotObserved', 'LatchkeyProcessDown', 'LatchkeyServiceAbsent'] },
  'the audit takes no rows': { must: ['LatchkeyChangesFail'], may: ['LatchkeyAuditNotWritten'] },
};
