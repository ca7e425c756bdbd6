import type { Server } from 'node:http';
import { bridgeAddress } from '@latchkey/support/black-box/containers';
import { listenOnLoopback } from '@latchkey/support/black-box/listen-on-loopback';
import { inject } from 'vitest';

/** As `listenOnLoopback`, where containers are tested on the bridge that every container can reach. */
export async function listenForServers(server: Server): Promise<{ origin: string; close(): void }> {
  return listenOnLoopback(
    server,
    inject('containersOf') === null ? undefined : await bridgeAddress('bridge'),
  );
}
