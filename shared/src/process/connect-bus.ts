import { randomUUID } from 'node:crypto';
import { type Bus, createInProcessBus, createNatsBus } from '../events/index.ts';
import { createRepeatedWarnings } from '../log/index.ts';
import { createSeal } from '../seal/index.ts';
import type { ServiceContext } from './run-service.ts';

type BusContext = Pick<ServiceContext<never>, 'clock' | 'log' | 'shutdown' | 'dependencies'>;

export interface BusSettings {
  natsUrl?: { reveal(): string } | undefined;
  internalSecret: { reveal(): string };
}

/** The bus of a process. Without NATS it carries within the process alone, and the pull of the feed brings the rest. */
export function connectBus(
  name: string,
  { natsUrl, internalSecret }: BusSettings,
  { clock, log, shutdown, dependencies }: BusContext,
): Bus {
  const warn = createRepeatedWarnings(log, clock);
  const onFault = (error: unknown) => warn('the bus', error);
  if (!natsUrl) {
    dependencies.push({ name: 'bus', check: async () => ({ kind: 'in-process' }) });
    return createInProcessBus(onFault);
  }
  const bus = createNatsBus({
    url: natsUrl.reveal(),
    name: `latchkey ${name}`,
    origin: randomUUID(),
    seal: createSeal(internalSecret.reveal()),
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
