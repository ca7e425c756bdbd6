import { integer } from '../parsers.ts';
import { exactOrigins } from '../url-parsers.ts';
import { variable } from '../variable.ts';

const noOrigins: readonly string[] = [];

/** Where events are sent to, and how long what was sent is kept. */
export const webhookVariables = {
  webhookOrigins: variable({
    name: 'WEBHOOK_ORIGINS',
    type: exactOrigins,
    fallback: noOrigins,
    about: 'The origins that events may be sent to. None: no webhook can be added, and none sends.',
  }),
  webhookDeliveriesKeepDays: variable({
    name: 'WEBHOOK_DELIVERIES_KEEP_DAYS',
    // All tries of a delivery take less than a day. A year at most.
    type: integer(1, 365),
    // A long weekend, and some days to look into what failed in it.
    fallback: 7,
    about: 'How many days a delivery of a webhook is kept after it ended.',
  }),
};
