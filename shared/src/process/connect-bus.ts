import { randomUUID } from 'node:crypto';
import { type Bus, createInProcessBus } from '../events/index.ts';
import { acceptedSecrets, type Revealable } from '../seal/accepted-secrets.ts';
import { createSeal } from '../seal/seal.ts';
import { TlsRefused } from '../tls/index.ts';
import { busFaultMessage } from './lost-service.ts';
import { openStoreTls } from './open-tls.ts';
import type { ProcessBase } from './process-context.ts';

/** The single node has none of these variables. */
export type BusSettings =
  | { natsUrl?: undefined }
  | {
      natsUrl?: { reveal(): string } | undefined;
      natsCredentials?: { reveal(): string } | undefined;
      natsNkey?: { reveal(): string } | undefined;
      natsCaFile?: string | undefined;
      natsCertFile?: string | undefined;
      natsKeyFile?: string | undefined;
      internalSecret: Revealable<string>;
      internalSecretPrevious?: Revealable<readonly string[]>;
    };

const tlsVariables = { ca: 'NATS_CA_FILE', cert: 'NATS_CERT_FILE', key: 'NATS_KEY_FILE' };

/** The bus of a process. Without NATS it carries messages within the process only, and other processes pull the feed. */
export async function connectBus(name: string, values: BusSettings, base: ProcessBase): Promise<Bus> {
  const { warn, shutdown, dependencies, tracer } = base;
  let fault: unknown;
  const onFault = (error: unknown) => {
    fault = error;
    warn(busFaultMessage, error);
  };
  if (!values.natsUrl) {
    dependencies.push({ name: 'bus', check: async () => ({ kind: 'in-process' }) });
    return createInProcessBus(onFault);
  }
  // Its client is loaded only if it is used: it takes 3 MB and 20 ms of a start.
  const { natsCaFile: ca, natsCertFile: cert, natsKeyFile: key } = values;
  const tls = openStoreTls('NATS', tlsVariables, { ca, cert, key }, base);
  const { createNatsBus } = await import('../events/nats-bus.ts');
  const bus = createNatsBus({
    url: values.natsUrl.reveal(),
    access: { tls, credentials: values.natsCredentials?.reveal(), nkey: values.natsNkey?.reveal() },
    name: `latchkey ${name}`,
    origin: randomUUID(),
    tracer,
    seal: createSeal(acceptedSecrets(values.internalSecret, values.internalSecretPrevious)),
    onFault,
  });
  shutdown.add('the bus', 2_000, () => bus.close());
  dependencies.push({
    name: 'bus',
    // Without it, changes arrive by the pull of the feed, within a second instead of milliseconds.
    optional: true,
    check: async () => {
      if (bus.state() === 'down')
        throw fault instanceof TlsRefused ? fault : new Error('not connected to NATS', { cause: fault });
      return { kind: 'nats' };
    },
  });
  return bus;
}
