import { isAbsolute } from 'node:path';
import { integer, type Parser } from '../parsers.ts';
import { removedVariable } from '../removed-variables.ts';
import { variable } from '../variable.ts';

/** A hundred years. */
const longestDays = 36_500;

/** Where the audit is forwarded to. */
export type AuditTarget = { kind: 'file'; path: string } | { kind: 'syslog'; host: string; port: number };

const wrongTarget = { wrong: 'is neither of the two forms' };

const auditTarget: Parser<AuditTarget> = {
  forms: '`file:/path/of/the/file`, or `syslog://host:port` (TCP)',
  parse(text) {
    // A second target would become part of the path.
    if (/[\s,;|](file:|syslog:)/.test(text))
      return { wrong: 'names several targets, and only one is accepted' };
    if (text.startsWith('file:')) {
      const path = text.slice('file:'.length).replace(/^\/\/(?=\/)/, '');
      return isAbsolute(path) && !path.endsWith('/') ? { value: { kind: 'file', path } } : wrongTarget;
    }
    const [, host, port] = /^syslog:\/\/(\[[0-9a-fA-F:.]+\]|[^:/@?#\s]+):(\d{1,5})\/?$/.exec(text) ?? [];
    const number = Number(port);
    if (!host || number < 1 || number > 65_535) return wrongTarget;
    return { value: { kind: 'syslog', host: host.replace(/^\[|\]$/g, ''), port: number } };
  },
};

/** How long the audit keeps its rows. 0 keeps them without a limit. */
export const auditVariables = {
  auditChainSecret: removedVariable('AUDIT_CHAIN_SECRET'),
  auditForward: variable({
    name: 'AUDIT_FORWARD',
    type: auditTarget,
    about: 'Where each row of the audit is also sent, as JSON lines. Unset: nowhere.',
  }),
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
