import { integer, type Parser } from '../parsers.ts';
import { variable } from '../variable.ts';

/** The bound of `docs/contract.md#age-of-a-state`. A larger value delays revocations, so each start warns of it. */
const promisedSeconds = 5;
/** From one second (below that, a busy database looks like a lost one) to five minutes. */
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

/** How long cached leases, contents and API keys are trusted without confirmation. */
export const authorityVariables = {
  authorityMaxAgeSeconds: variable({
    name: 'AUTHORITY_MAX_AGE_SECONDS',
    type: maxAge,
    fallback: promisedSeconds,
    about:
      'The age after which a state that could not be confirmed is unknown, and a key request gets 503. Larger plays on longer through an outage of the database, and lets revocations be late by as much.',
  }),
};
