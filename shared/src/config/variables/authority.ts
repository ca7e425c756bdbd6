import type { Parser } from '../parser.ts';
import { integer } from '../parsers.ts';
import { variable } from '../variable.ts';

/** The bound of `docs/contract.md#age-of-a-state`. A larger one lets revocations be late, so it is said at each start. */
const promisedSeconds = 5;
/** From a second, under which a busy database would be taken for one that is lost, to five minutes. */
const seconds = integer(1, 300);

const maxAge: Parser<number> = {
  forms: seconds.forms,
  parse(value) {
    const parsed = seconds.parse(value);
    if ('wrong' in parsed || parsed.value <= promisedSeconds) return parsed;
    const warning = `is ${parsed.value}: while the database cannot be reached, a revocation may take ${parsed.value} seconds to hold, instead of ${promisedSeconds}`;
    return { ...parsed, warning };
  },
};

/** How long what is known of leases, contents and API keys is believed without being confirmed. */
export const authorityVariables = {
  authorityMaxAgeSeconds: variable({
    name: 'AUTHORITY_MAX_AGE_SECONDS',
    type: maxAge,
    fallback: promisedSeconds,
    about:
      'The age after which a state that could not be confirmed is unknown, and a key request gets 503. Larger plays on longer through an outage of the database, and lets revocations be late by as much.',
  }),
};
