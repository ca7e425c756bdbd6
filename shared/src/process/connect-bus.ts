import { randomUUID } from 'node:crypto';
import { type Bus, createInProcessBus, createNatsBus } from '../events/index.ts';
import type { ServiceContext } from './run-service.ts';

type BusContext = Pick<ServiceContext<never>, 'log' | 'shutdown' | 'dependencies'>;

/** The bus of a process. Without NATS it carries within the process alone, and the pull of the feed brings the rest. */
export function connectBus(
  name: string,
  { natsUrl }: { natsUrl?: { reveal(): string } | undefined },
  { log, shutdown, dependencies }: BusContext,
): Bus {
  const onFault = (error: unknown) => log.warn('the bus', { error });
  if (!natsUrl) {
    dependencies.push({ name: 'bus', check: async () => ({ kind: 'in-process' }) });
    return createInProcessBus(onFault);
  }
  const bus = createNatsBus({
    url: natsUrl.reveal(),
    name: `latchkey ${name}`,
    origin: randomUUID(),
    onFault,
  });
  shutdown.add('the bus', 2_000, () => bus.close());
  dependencies.push({
    name: 'bus',
    // Losing it makes changes arrive by the pull of the feed, within a second instead of milliseconds.
    optional: true,
    check: async () => {
      if (bus.state() === 'down') throw new Error('not connected to NATS');
      return { kind: 'nats' };
    },
  });
  return bus;
}
