import { internalSecretHeader } from '@latchkey/shared/internal';
import type { Upstream } from '@latchkey/shared/upstream';
import { type ServiceName, serviceNames } from './route-table.ts';

const answerTimeoutMs = 2_000;

/** The part of an OpenAPI document that services contribute. */
export interface ServiceDocument {
  paths?: Record<string, unknown>;
}

/**
 * The documents of all services.
 *
 * @throws where one does not answer: half a document would be wrong
 */
export function fetchServiceDocuments(
  upstreams: Readonly<Record<ServiceName, Upstream>>,
  secret: string,
): Promise<ServiceDocument[]> {
  return Promise.all(
    serviceNames.map(async (name) => {
      const member = upstreams[name].pick();
      if (!member) throw new Error(`no address of ${name} is known`);
      const answer = await member.pool.request({
        method: 'GET',
        path: '/openapi.json',
        headers: { [internalSecretHeader]: secret },
        signal: AbortSignal.timeout(answerTimeoutMs),
      });
      if (answer.statusCode !== 200) throw new Error(`${name} answered ${answer.statusCode}`);
      return (await answer.body.json()) as ServiceDocument;
    }),
  );
}
