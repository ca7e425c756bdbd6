import { internalSecretHeader, refusedHeader } from '@latchkey/shared/internal';
import type { Dependency } from '@latchkey/shared/lifecycle';
import { phaseHeader, type Upstream } from '@latchkey/shared/upstream';
import { type ServiceName, serviceNames } from './route-table.ts';

/**
 * For each address that is asked before the service counts as not ready. Together under the 2 s of a whole check: otherwise
 * one service that is silent would look like the loss of all.
 */
const answerTimeoutsMs = [900, 600, 300];
/** What services stand on, and whether the gateway is of no use where one of them has lost it. */
const underneath = [
  { name: 'database', optional: false },
  { name: 'migrations', optional: false },
  // Without either, services are slower and not wrong.
  { name: 'bus', optional: true },
  { name: 'cache', optional: true },
];

/** What a service says of its own dependencies. */
type Report = Readonly<Record<string, { status?: unknown } & Record<string, unknown>>>;
type Reports = ReadonlyMap<ServiceName, Report | Error>;

/**
 * What `/ready` asks of the services: of each one, that an address of it is ready and knows the secret. Without
 * key-derivation no key can be had, so the gateway is not ready. Without one of the others keys go on, and what needs it is
 * answered 503: that is shown, and is no reason to send everybody away. What the services stand on is shown too: as the
 * worst that any ready one says of it.
 */
export function serviceDependencies(
  upstreams: Readonly<Record<ServiceName, Upstream>>,
  secret: string,
): Dependency[] {
  let round: Promise<Reports> | null = null;
  // One round serves all the checks of one report.
  const ask = () => {
    round ??= askAll(upstreams, secret).finally(() => {
      round = null;
    });
    return round;
  };
  const services = serviceNames.map((name) => ({
    name,
    optional: name !== 'key-derivation',
    check: async () => {
      const report = (await ask()).get(name);
      if (report instanceof Error) throw report;
      return { addresses: upstreams[name].size(), dependencies: report };
    },
  }));
  const shared = underneath.map(({ name, optional }) => ({
    name,
    optional,
    check: async () => worstOf(name, await ask()),
  }));
  return [...services, ...shared];
}

async function askAll(upstreams: Readonly<Record<ServiceName, Upstream>>, secret: string): Promise<Reports> {
  const reports = await Promise.all(
    serviceNames.map(async (name): Promise<[ServiceName, Report | Error]> => {
      try {
        return [name, await askReadyAddress(upstreams[name], secret)];
      } catch (error) {
        return [name, error instanceof Error ? error : new Error(String(error))];
      }
    }),
  );
  return new Map(reports);
}

/** @throws Error where a service says that it is down, or where none can say anything */
function worstOf(name: string, reports: Reports): Record<string, unknown> {
  const said = [...reports].flatMap(([service, report]) =>
    report instanceof Error || !report[name] ? [] : [{ service, ...report[name] }],
  );
  const down = said.filter(({ status }) => status !== 'up').map(({ service }) => service);
  if (down.length > 0) throw new Error(`down for ${down.join(', ')}`);
  const [first] = said;
  if (!first) throw new Error('no service says anything of it');
  const { service: _, status: __, ...facts } = first;
  return facts;
}

/** @throws Error saying what the last address answered */
async function askReadyAddress(upstream: Upstream, secret: string): Promise<Report> {
  let fault: unknown = new Error('no address is known');
  for (const answerTimeoutMs of answerTimeoutsMs.slice(0, upstream.size())) {
    const member = upstream.pick();
    if (!member) break;
    try {
      const answer = await member.pool.request({
        method: 'GET',
        path: '/ready',
        headers: { [internalSecretHeader]: secret },
        signal: AbortSignal.timeout(answerTimeoutMs),
      });
      member.heed(answer.headers[phaseHeader]);
      const { dependencies = {} } = (await answer.body.json()) as { dependencies?: Report };
      // Ready for others, but it would refuse whatever is forwarded to it.
      if (answer.headers[refusedHeader] !== undefined)
        fault = new Error('it does not know this INTERNAL_SECRET');
      else if (answer.statusCode === 200) return dependencies;
      else fault = new Error(`it answered ${answer.statusCode}`);
    } catch (error) {
      member.penalize();
      fault = error;
    }
  }
  throw fault;
}
