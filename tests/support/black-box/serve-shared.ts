import { appendFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { buildPlayer, makePlayerVideo, videoLengths } from '../playback/shared-media.ts';
import { makeFolder } from './server-process.ts';
import { type SharedName, sharedSettings } from './shared-settings.ts';
import { loopback, type ServerProfile, type StartedServer, startOnProfile } from './start-server.ts';

declare module 'vitest' {
  interface ProvidedContext extends ServerProfile {
    /** See `shared-browser.ts`. */
    firefoxPath: string | null;
    /** The base URL of what this file serves to the tests. */
    sharedUrl: string;
  }
}

/** A shared server, as a test receives it in JSON. */
export type SharedServer = Omit<StartedServer, 'process' | 'remove'> & {
  pid: number;
  /** The files that its output goes to. */
  output: { stdout: string; stderr: string };
};

/**
 * Starts what files of tests share when the first of them asks for it, and ends it after the last: `GET /servers/<name>` is a
 * server of `shared-settings.ts`, `GET /player` the folder of the built player, `GET /videos/<length>` the playlists of a clear
 * video.
 *
 * @public vitest loads it by its path
 */
export default async function serveSharedServers(project: TestProject): Promise<() => Promise<void>> {
  const folder = makeFolder();
  const servers = new Map<string, Promise<StartedServer>>();
  const openings = new Map<string, Promise<unknown>>();

  async function openServer(name: SharedName): Promise<SharedServer> {
    const output = { stdout: join(folder.path, `${name}.out`), stderr: join(folder.path, `${name}.err`) };
    for (const file of Object.values(output)) writeFileSync(file, '');
    const starting = startOnProfile(project.getProvidedContext(), sharedSettings[name], (stream, text) =>
      appendFileSync(output[stream], text),
    );
    servers.set(name, starting);
    const { process, remove: _, ...server } = await starting;
    return { ...server, pid: process.pid, output };
  }

  async function open(path: string): Promise<unknown> {
    if (path === '/player') return buildPlayer(join(folder.path, 'player'));
    const length = videoLengths.find((one) => path === `/videos/${one}`);
    if (length) return makePlayerVideo(join(folder.path, length), length);
    const name = path.slice('/servers/'.length);
    if (!Object.hasOwn(sharedSettings, name)) throw new Error(`no shared server is called ${name}`);
    return openServer(name as SharedName);
  }

  const listener = createServer(async ({ url = '' }, response) => {
    try {
      const opening = openings.get(url) ?? open(url);
      openings.set(url, opening);
      response.end(JSON.stringify(await opening));
    } catch (error) {
      response.writeHead(500).end((error as Error).message);
    }
  });
  await new Promise<void>((resolve) => listener.listen(0, loopback, resolve));
  project.provide('sharedUrl', `http://${loopback}:${(listener.address() as AddressInfo).port}`);

  return async () => {
    listener.close();
    const ends = await Promise.all([...servers].map(([name, starting]) => end(name, starting)));
    folder.remove();
    const faults = ends.filter((fault) => fault !== null);
    if (faults.length > 0) throw new Error(faults.join('\n'));
  };
}

/** @returns what was wrong with its end, or null. A server that did not start has failed its tests */
async function end(name: string, starting: Promise<StartedServer>): Promise<string | null> {
  const server = await starting.catch(() => null);
  if (server === null) return null;
  server.process.kill('SIGTERM');
  const { code, signal } = await server.process.ended();
  await server.remove();
  return code === 0 ? null : `the server ${name} ended with ${code ?? signal}:\n${server.process.stderr()}`;
}
