import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { token } from '../credentials.ts';
import { adminKey } from '../odd-key-requests.ts';
import type { Json, Recorder } from '../recorder.ts';
import { setupToken } from '../settings.ts';
import { waitUntil } from '../wait-until.ts';
import { speke } from './operations.ts';

const widevine = 'edef8ba9-79d6-4ace-a3c8-27dcd51d21ed';

/**
 * Sends the requests of `<name>.txt` one after the other. A line is `name | request`, and then any of: `as CREDENTIAL`, by default
 * the bootstrap key; a header; a body, as JSON or after `body`; `NAME=PATH`, members of the answer whose values later
 * lines have in braces. `settle` waits until all processes know the changes, `deliver` until a webhook's message was delivered.
 */
export async function recordFlow(recorder: Recorder, name: 'flows' | 'limits'): Promise<void> {
  const { forms, record, server } = recorder;
  const values = new Map<string, string>([
    ['setup token', setupToken],
    ['SPEKE 1', speke(1, 'film')],
    ['SPEKE 2', speke(2, 'film')],
    ['SPEKE 1 for Widevine', speke(1, 'film', widevine)],
    ['SPEKE 2 for Widevine', speke(2, 'film', widevine)],
    ...['carol', 'frank'].map((sub) => [`token of ${sub}`, token(sub)] as const),
  ]);
  const fill = (text: string) =>
    text.replace(/\{([\w -]+)\}/g, (all, each: string) => values.get(each) ?? all);
  const take = (answer: Json, captures: string) => {
    for (const [, as = '', path = ''] of captures.matchAll(/([\w-]+)=([\w.]+)/g)) {
      const value = path.split('.').reduce((part: Json, member) => part[member], answer);
      forms.remember(value, as);
      values.set(as, value);
    }
  };
  const lines = readFileSync(join(import.meta.dirname, `${name}.txt`), 'utf8').split('\n');
  for (const line of lines.filter((each) => each !== '' && !each.startsWith('#'))) {
    const [subject = '', first = '', ...parts] = line.split(' | ').map(fill);
    if (subject === 'settle') await server.settle();
    else if (subject === 'deliver') await untilDelivered(recorder);
    else {
      const [method = '', target = ''] = first.split(' ');
      const as = parts.find((part) => part.startsWith('as '))?.slice(3) ?? adminKey;
      const own = parts.filter((part) => /^[\w-]+: /.test(part));
      const headers = as === 'nobody' ? own : [`authorization: Bearer ${as}`, ...own];
      const body = parts.find((part) => /^(\{|body )/.test(part))?.replace(/^body /, '');
      const shown = [first, ...headers, ...(body === undefined ? [] : [body])].join('\n');
      const request = { method, target, headers, ...(body === undefined ? {} : { body }) };
      const answer = await record({ file: `requests/${name}.txt`, subject, shown }, '', request);
      take(
        JSON.parse(answer?.body.toString().replace(/^[^{].*$/s, '{}') || '{}'),
        parts.find((part) => /^[\w-]+=\S+/.test(part)) ?? '',
      );
    }
  }
}

/** Resolves when no message of a webhook waits. */
export function untilDelivered({ call }: Recorder): Promise<void> {
  return waitUntil('the messages of webhooks are delivered', async () => {
    const { webhooks } = await call('GET', '/api/v1/webhooks');
    return webhooks.every((hook: Json) => hook.pending === 0);
  });
}
