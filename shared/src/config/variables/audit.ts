import { integer } from '../parsers.ts';
import { variable } from '../variable.ts';

/** A hundred years. */
const longestDays = 36_500;

/** How long the audit keeps its rows. 0 keeps them always. */
export const auditVariables = {
  auditKeepActsDays: variable({
    name: 'AUDIT_KEEP_ACTS_DAYS',
    type: integer(0, longestDays),
    // A year and a month: a yearly review finds all of its year.
    fallback: 400,
    about: 'How many days the audit keeps what was done; 0 keeps it always.',
  }),
  auditKeepRefusalsDays: variable({
    name: 'AUDIT_KEEP_REFUSALS_DAYS',
    type: integer(0, longestDays),
    // A month in which somebody may ask why. Under an attack with valid tokens that never ends, some 5 GB for a process.
    fallback: 30,
    about: 'How many days the audit keeps what an API key or a viewer was refused; 0 keeps it always.',
  }),
  auditKeepStrangersDays: variable({
    name: 'AUDIT_KEEP_STRANGERS_DAYS',
    type: integer(0, longestDays),
    // A week covers a long weekend. Under an attack that never ends, some 360 MB for a process.
    fallback: 7,
    about:
      'How many days the audit keeps the counts of what was refused without a valid credential; 0 keeps them always.',
  }),
};

/** The values of `auditVariables`, as the purge takes them. */
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
