import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { integer } from '../forms.ts';
import { removedVariable } from '../removed-variables.ts';
import { exactOrigins, url } from '../url-forms.ts';

/** Where the audit is forwarded to. */
export type AuditTarget = { kind: 'file'; path: string } | { kind: 'syslog'; host: string; port: number };

const auditTarget = z
  .string()
  // A second target would become part of the path.
  .refine((text) => !/[\s,;|](file:|syslog:)/.test(text), 'names several targets, and only one is accepted')
  .transform((text, context): AuditTarget => {
    if (text.startsWith('file:')) {
      const path = text.slice('file:'.length).replace(/^\/\/(?=\/)/, '');
      if (isAbsolute(path) && !path.endsWith('/')) return { kind: 'file', path };
    }
    const [, host, port] = /^syslog:\/\/(\[[0-9a-fA-F:.]+\]|[^:/@?#\s]+):(\d{1,5})\/?$/.exec(text) ?? [];
    const number = Number(port);
    if (host && number >= 1 && number <= 65_535)
      return { kind: 'syslog', host: host.replace(/^\[|\]$/g, ''), port: number };
    context.addIssue('is neither of the two forms');
    return z.NEVER;
  })
  .meta({ forms: '`file:/path/of/the/file`, or `syslog://host:port` (TCP)' });

/** A hundred years. */
const auditDays = integer(0, 36_500);

/** How long the audit keeps its rows. 0 keeps them without a limit. */
export const auditVariables = {
  auditChainSecret: removedVariable('AUDIT_CHAIN_SECRET'),
  AUDIT_FORWARD: auditTarget
    .optional()
    .describe('Where each row of the audit is also sent, as JSON lines. Unset: nowhere.'),
  AUDIT_KEEP_ACTS_DAYS: auditDays
    // A year and a month, so that a yearly review finds its whole year.
    .default(400)
    .describe('How many days the audit keeps what was done; 0 keeps it always.'),
  AUDIT_KEEP_REFUSALS_DAYS: auditDays
    // A month in which somebody may ask for the reason. Under a constant attack with valid tokens, some 5 GB for a process.
    .default(30)
    .describe('How many days the audit keeps what an API key or a viewer was refused; 0 keeps it always.'),
  AUDIT_KEEP_STRANGERS_DAYS: auditDays
    // A week covers a long weekend. Under a constant attack, some 360 MB for a process.
    .default(7)
    .describe(
      'How many days the audit keeps the counts of what was refused without a valid credential; 0 keeps them always.',
    ),
};

/** Where events are sent to, and how long what was sent is kept. */
export const webhookVariables = {
  WEBHOOK_ORIGINS: exactOrigins
    .default([])
    .describe('The origins that events may be sent to. None: no webhook can be added, and none sends.'),
  // All tries of a delivery take less than a day. A year at most.
  WEBHOOK_DELIVERIES_KEEP_DAYS: integer(1, 365)
    // A long weekend, and some days to look into what failed in it.
    .default(7)
    .describe('How many days a delivery of a webhook is kept after it ended.'),
};

/** How long the counts of requests are kept, and where operators find more. */
export const usageVariables = {
  // A year and a month at most: `docs/reference/contract.md#usage` reads 30 days at once.
  USAGE_KEEP_DAYS: integer(0, 400)
    // The longest range of the dashboard. It takes some 10 MB.
    .default(30)
    .describe(
      'How many days usage by content, viewer and API key is kept, hour by hour; 0 keeps none of it, in minutes neither.',
    ),
  // 6 hours are the longest range that is shown by minutes.
  USAGE_MINUTES_KEEP_HOURS: integer(6, 744)
    // The longest range that is shown by ten minutes: last night and the one before.
    .default(48)
    .describe('How many hours usage is kept by single minutes. Older usage is shown by hours.'),
  GRAFANA_URL: url('http', 'https')
    .optional()
    .describe("A dashboard in Grafana that the admin dashboard's page of usage links to. Unset: no link."),
};

/** How long rows are kept that no decision needs any more. `auditVariables` has the setting for the audit. */
export const retentionVariables = {
  // An hour at least: replicas read a lease again until a minute after its grace. A year at most.
  LEASES_KEEP_HOURS: integer(1, 8_760)
    // Long enough for support to see last night's leases. A million leases a day are then some 700 MB.
    .default(24)
    .describe('How many hours an ended lease is kept after its grace.'),
  // Twice the longest AUTHORITY_MAX_AGE_SECONDS at least: a process that reads the feed after a gap then still finds its place.
  CHANGES_KEEP_MINUTES: integer(10, 10_080)
    .default(60)
    .describe(
      'How many minutes the change feed keeps its rows. A process that was away for longer drops what it has cached.',
    ),
};
