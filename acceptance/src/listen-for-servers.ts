import type { Server } from 'node:http';
import { inject } from 'vitest';
import { bridgeAddress } from './containers.ts';
import { listenOnLoopback } from './listen-on-loopback.ts';

/** As `listenOnLoopback`, where containers are tested on the bridge that every container can reach. */
export async function listenForServers(server: Server): Promise<{ origin: string; close(): void }> {
  return listenOnLoopback(
    server,
    inject('containersOf') === null ? undefined : await bridgeAddress('bridge'),
  );
}
