import { integer } from '../parsers.ts';
import { url } from '../url-parsers.ts';
import { variable } from '../variable.ts';

/** How long the counts of requests are kept, and where operators find more. */
export const usageVariables = {
  usageKeepDays: variable({
    name: 'USAGE_KEEP_DAYS',
    // A year and a month at most: `docs/contract.md#usage` reads 30 days at once.
    type: integer(0, 400),
    // The longest range of the dashboard. It takes some 10 MB.
    fallback: 30,
    about:
      'How many days usage by content, viewer and API key is kept, hour by hour; 0 keeps none of it, in minutes neither.',
  }),
  usageMinutesKeepHours: variable({
    name: 'USAGE_MINUTES_KEEP_HOURS',
    // 6 hours are the longest range that is shown by minutes.
    type: integer(6, 744),
    // The longest range that is shown by ten minutes: last night and the one before.
    fallback: 48,
    about: 'How many hours usage is kept by single minutes. Older usage is shown by hours.',
  }),
  grafanaUrl: variable({
    name: 'GRAFANA_URL',
    type: url('http', 'https'),
    about: "A dashboard in Grafana that the admin dashboard's page of usage links to. Unset: no link.",
  }),
};
