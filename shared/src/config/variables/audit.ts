import { integer } from '../parsers.ts';
import { variable } from '../variable.ts';

/** A hundred years. */
const longestDays = 36_500;

/** How long the audit keeps its rows. 0 keeps them without a limit. */
export const auditVariables = {
  auditKeepActsDays: variable({
    name: 'AUDIT_KEEP_ACTS_DAYS',
    type: integer(0, longestDays),
    // A year and a month, so that a yearly review finds its whole year.
    fallback: 400,
    about: 'How many days the audit keeps what was done; 0 keeps it always.',
  }),
  auditKeepRefusalsDays: variable({
    name: 'AUDIT_KEEP_REFUSALS_DAYS',
    type: integer(0, longestDays),
    // A month in which somebody may ask for the reason. Under a constant attack with valid tokens, some 5 GB for a
    // process.
    fallback: 30,
    about: 'How many days the audit keeps what an API key or a viewer was refused; 0 keeps it always.',
  }),
  auditKeepStrangersDays: variable({
    name: 'AUDIT_KEEP_STRANGERS_DAYS',
    type: integer(0, longestDays),
    // A week covers a long weekend. Under a constant attack, some 360 MB for a process.
    fallback: 7,
    about:
      'How many days the audit keeps the counts of what was refused without a valid credential; 0 keeps them always.',
  }),
};

/** The values of `auditVariables`, in the form that the purge needs. */
export function readAuditRetention(values: {
  auditKeepActsDays: number;
  auditKeepRefusalsDays: number;
  auditKeepStrangersDays: number;
}): { actsDays: number; refusalsDays: number; strangersDays: number } {
  return {
    actsDays: values.auditKeepActsDays,
    refusalsDays: values.auditKeepRefusalsDays,
    strangersDays: values.auditKeepStrangersDays,
  };
}
