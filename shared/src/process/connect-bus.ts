import { type Bus, createInProcessBus } from '../events/index.ts';
import type { ServiceContext } from './run-service.ts';

/** The bus of a process. Without NATS it carries within the process alone, and the pull of the feed brings the rest. */
export function connectBus({ log }: Pick<ServiceContext<never>, 'log'>): Bus {
  return createInProcessBus((error) => log.error('a message could not be delivered', { error }));
}
