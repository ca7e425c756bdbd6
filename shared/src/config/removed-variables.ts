import type { Family } from './settings.ts';

/** Variables that did something once, and what to do with one that is still set: an operator may count on it. */
const removed = {
  LATCHKEY_WORKERS:
    'the single node is one process, so no value is accepted, not even 1. Remove the variable. To use more cores, run several edge processes on Postgres (docs/operate/scale.md)',
  AUDIT_CHAIN_SECRET:
    'the audit is not chained any more. Remove the variable. So that the owner of the database cannot rewrite the audit unnoticed, send it to another machine by AUDIT_FORWARD (docs/operate/audit.md)',
};

/** Ends the start where the variable is set, also by a file. */
export const removedVariable = (name: keyof typeof removed): Family<undefined> => ({
  descriptions: [],
  read(source) {
    const message = `${name} is set, but ${removed[name]}.`;
    return { faults: source.find(name) ? [{ variable: name, message }] : [] };
  },
});
