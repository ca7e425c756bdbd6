import { integer } from '../parsers.ts';
import { variable } from '../variable.ts';

/** How long rows are kept that no decision needs any more. `auditVariables` has those of the audit. */
export const retentionVariables = {
  leasesKeepHours: variable({
    name: 'LEASES_KEEP_HOURS',
    // An hour at least: replicas read a lease again until a minute after its grace. A year at most.
    type: integer(1, 8_760),
    // Long enough for support to see last night's leases. A million leases a day are then some 700 MB.
    fallback: 24,
    about: 'How many hours an ended lease is kept after its grace.',
  }),
  changesKeepMinutes: variable({
    name: 'CHANGES_KEEP_MINUTES',
    // Twice the longest AUTHORITY_MAX_AGE_SECONDS at least: a process that reads the feed after a gap then still finds its place.
    type: integer(10, 10_080),
    fallback: 60,
    about:
      'How many minutes the change feed keeps its rows. A process that was away for longer drops what it has cached.',
  }),
};
