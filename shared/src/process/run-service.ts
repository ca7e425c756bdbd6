import {
  authorityVariables,
  cacheAndBusVariables,
  type Environment,
  gatewayVariables,
  internalVariables,
  observabilityVariables,
  processVariables,
  rateLimitVariables,
  readConfig,
  type Settings,
  sharedDatabaseVariables,
  type Values,
  viewerTokenVariables,
} from '../config/index.ts';
import type { ProcessContext } from './process-context.ts';
import { runProcess, type StartContext } from './run-process.ts';
import { createServiceProcess, type ServiceValues } from './service-process.ts';
import { createStart } from './start.ts';

/** The context from which a service is wired. */
export type ServiceContext<S extends Settings> = StartContext<Values<S>> & ProcessContext;

interface RunServiceOptions<S extends Settings> {
  name: string;
  version: string;
  settings: S;
  /**
   * Mounts the routes.
   *
   * @returns the work that must succeed before requests are answered: it is repeated until it does. An error with `final`
   *   set ends the repetition: the service stays not ready and logs the reason
   */
  mount: (context: ServiceContext<S>) => Promise<() => Promise<void>>;
}

/** Runs one service as a separate process. */
export function runService<const S extends Settings>(
  { name, version, settings, mount }: RunServiceOptions<S>,
  process: NodeJS.Process,
  env: Environment,
): Promise<void> {
  const about = `latchkey ${name}, a service of the distributed profile`;
  return runProcess(
    {
      ...{ name, version, about, settings },
      read: () => readConfig(settings, env),
      async mount(context) {
        const values = context.values as unknown as ServiceValues;
        const { app, listen, openForRequests } = createServiceProcess({ ...context, values });
        const prepare = await mount({ ...context, app, isSeparate: true });
        const start = createStart(context.dependencies);
        return {
          listen,
          async afterListen() {
            await start.finish(prepare, context);
            if (start.isOver()) openForRequests();
          },
        };
      },
    },
    process,
    env,
  );
}

/** Settings of every service of the distributed profile. `port` is its default. */
export function serviceSettings(port: number) {
  return {
    ...processVariables(port),
    ...internalVariables,
    ...cacheAndBusVariables,
    ...viewerTokenVariables,
    ...authorityVariables,
    RATE_LIMIT: gatewayVariables.RATE_LIMIT,
    ...rateLimitVariables,
    ...observabilityVariables('0.0.0.0'),
  };
}

/** Additional settings of a service that stores rows. */
export const rowSettings = sharedDatabaseVariables;
