import type { Dependency } from '@latchkey/shared/lifecycle';
import type { Upstream } from '@latchkey/shared/upstream';
import { type ServiceName, serviceNames } from './route-table.ts';

const answerTimeoutMs = 1_500;

/**
 * What `/ready` asks of the services. All of them have to be ready: a gateway that cannot reach one is not the place to
 * send every request to. It goes on forwarding to the others all the same.
 */
export function serviceDependencies(upstreams: Readonly<Record<ServiceName, Upstream>>): Dependency[] {
  return serviceNames.map((name) => ({
    name,
    check: async () => {
      const member = upstreams[name].pick();
      if (!member) throw new Error('no address is known');
      const signal = AbortSignal.timeout(answerTimeoutMs);
      const answer = await member.pool.request({ method: 'GET', path: '/ready', signal });
      await answer.body.dump();
      if (answer.statusCode !== 200) throw new Error(`it answered ${answer.statusCode}`);
      return { addresses: upstreams[name].size() };
    },
  }));
}
