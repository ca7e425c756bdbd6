import type { Dependency } from '@latchkey/shared/lifecycle';
import { phaseHeader, type Upstream } from '@latchkey/shared/upstream';
import { type ServiceName, serviceNames } from './route-table.ts';

/** Under the 2 s of a whole check, with room for a second address. */
const answerTimeoutMs = 900;
/** Addresses that are asked before the service counts as not ready. */
const addressesAsked = 3;
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
 * What `/ready` asks of the services: of each one, that an address of it is ready. All of them have to be: a gateway that
 * cannot reach one is not the place to send every request to. It goes on forwarding to the others all the same. What
 * the services stand on is shown too: as the worst that any of them says of it.
 */
export function serviceDependencies(upstreams: Readonly<Record<ServiceName, Upstream>>): Dependency[] {
  let round: Promise<Reports> | null = null;
  // One round serves all the checks of one report.
  const ask = () => {
    round ??= askAll(upstreams).finally(() => {
      round = null;
    });
    return round;
  };
  const services = serviceNames.map((name) => ({
    name,
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

async function askAll(upstreams: Readonly<Record<ServiceName, Upstream>>): Promise<Reports> {
  const reports = await Promise.all(
    serviceNames.map(async (name): Promise<[ServiceName, Report | Error]> => {
      try {
        return [name, await askReadyAddress(upstreams[name])];
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
async function askReadyAddress(upstream: Upstream): Promise<Report> {
  let fault: unknown = new Error('no address is known');
  for (let asked = 0; asked < Math.min(upstream.size(), addressesAsked); asked++) {
    const member = upstream.pick();
    if (!member) break;
    try {
      const signal = AbortSignal.timeout(answerTimeoutMs);
      const answer = await member.pool.request({ method: 'GET', path: '/ready', signal });
      member.heed(answer.headers[phaseHeader]);
      const { dependencies = {} } = (await answer.body.json()) as { dependencies?: Report };
      if (answer.statusCode === 200) return dependencies;
      fault = new Error(`it answered ${answer.statusCode}`);
    } catch (error) {
      member.penalize();
      fault = error;
    }
  }
  throw fault;
}
