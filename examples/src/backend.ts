import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { S3Server } from '@latchkey/support/stores/s3-server';
import type { CleanUps } from './clean-ups.ts';
import { encryptVideo } from './encrypt-video.ts';
import type { GivenServer } from './example-options.ts';
import { type Environment, openStore, presignVariables } from './open-store.ts';
import { prepareVideo } from './prepare-video.ts';
import type { Progress } from './progress.ts';
import { type KeyServer, startKeyServer } from './start-key-server.ts';
import { UsageError } from './usage-error.ts';

/** A key server, and a video that was encrypted with its keys. */
export interface Backend {
  readonly keyServerUrl: string;
  /** The secret with which the key server checks tokens. */
  readonly tokenSecret: string;
  readonly content: { readonly contentId: string; readonly title: string };
  /** The encrypted playlist. */
  readonly playlistFile: string;
  readonly storeUrl: string | undefined;
  /** Undefined if the key server was given. */
  readonly own?: { readonly server: KeyServer; readonly apiKey: string; readonly store: S3Server };
}

export interface OwnBackendOptions {
  readonly folder: string;
  readonly pageOrigin: string;
  /** Length of the video. */
  readonly seconds: number;
  readonly ffmpeg: string;
  readonly env: Environment;
  readonly progress: Progress;
  readonly cleanUps: CleanUps;
  readonly signal: AbortSignal;
}

/** Shared with the demonstration, so that the same video is made only once. */
const cacheFolder = join(import.meta.dirname, '../../.cache/demo');
const presentation = { id: 'film', contentId: 'film', label: 'MPEG-TS', title: 'A film under lease' };
const hex32 = () => randomBytes(32).toString('hex');

/** Starts a bucket and a key server, makes a video and encrypts it. */
export async function startBackend(options: OwnBackendOptions): Promise<Backend> {
  const { folder, pageOrigin, progress, cleanUps, env, signal } = options;
  const tokenSecret = hex32();
  const apiKey = `lk_${hex32()}`;
  const store = await openStore(env);
  cleanUps.add(store.close);

  const starting = progress.start('Starting the key server');
  const variables = presignVariables(store);
  const place = { folder, port: 0, pageOrigin };
  const server = await startKeyServer({ ...place, adminApiKey: apiKey, tokenSecret, variables, env, signal });
  cleanUps.add(server.stop);
  starting.done();

  const video = await prepareVideo({ ...options, cacheFolder });
  const videoFolder = join(folder, 'encrypted');
  mkdirSync(videoFolder);
  const access = { serverUrl: server.url, apiKey };
  const work = { presentation, playlist: video.ts, folder: videoFolder, progress, env, signal };
  await encryptVideo({ ...access, ...work });
  return {
    keyServerUrl: server.url,
    tokenSecret,
    content: presentation,
    playlistFile: join(videoFolder, presentation.id, 'master.m3u8'),
    storeUrl: store.endpoint,
    own: { server, apiKey, store },
  };
}

/** @throws UsageError without AUTH_JWT_SECRET */
export function useBackend({ url, contentId, playlistFile }: GivenServer, env: Environment): Backend {
  if (!env.AUTH_JWT_SECRET)
    throw new UsageError('AUTH_JWT_SECRET is not set: with --server, set it to that of the key server');
  return {
    keyServerUrl: url,
    tokenSecret: env.AUTH_JWT_SECRET,
    content: { contentId, title: contentId },
    playlistFile,
    storeUrl: env.S3_ENDPOINT,
  };
}
