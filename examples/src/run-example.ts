import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { createTokenIssuer } from '../token-server/issue-tokens.ts';
import { createSessions } from '../token-server/sessions.ts';
import { createTokenServer } from '../token-server/token-server.ts';
import { type Backend, startBackend, useBackend } from './backend.ts';
import { buildPackages } from './build-packages.ts';
import type { CleanUps } from './clean-ups.ts';
import type { ExampleOptions } from './example-options.ts';
import type { Environment } from './open-store.ts';
import { showProgress } from './progress.ts';
import { type SiteServer, startSiteServer } from './site-server.ts';
import { UsageError } from './usage-error.ts';

export interface StartExampleOptions {
  readonly options: ExampleOptions;
  readonly ffmpeg: string;
  readonly env: Environment;
  readonly signal: AbortSignal;
  /** Receives everything that must be stopped at the end. */
  readonly cleanUps: CleanUps;
  readonly terminal: { write(text: string): unknown; isTTY?: boolean };
}

export interface Example extends Backend {
  readonly origin: string;
}

/** Short enough for a check, long enough to see keys change. */
const checkSeconds = 20;
const videoSeconds = 60;

/**
 * Starts a key server and a bucket and makes a video, unless they are given, and serves the pages.
 *
 * @throws UsageError, or Error that says what failed
 */
export async function startExample(given: StartExampleOptions): Promise<Example> {
  const { options, env, ffmpeg, signal, cleanUps, terminal } = given;
  if (options.server && !existsSync(options.server.playlistFile))
    throw new UsageError(`--video "${options.server.playlistFile}" does not exist`);
  const progress = showProgress(terminal);
  const site = await startSiteServer(options.port);
  cleanUps.add(site.close);
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-example-'));
  cleanUps.add(() => rmSync(folder, { recursive: true, force: true }));

  const building = progress.start('Building player and uploader');
  const packagesFolder = join(folder, 'packages');
  await buildPackages(packagesFolder);
  building.done();
  signal.throwIfAborted();

  const own = { folder, pageOrigin: site.origin, seconds: options.check ? checkSeconds : videoSeconds };
  const backend = options.server
    ? useBackend(options.server, env)
    : await startBackend({ ...own, ffmpeg, env, progress, cleanUps, signal });
  openSite(site, backend, packagesFolder);
  return { ...backend, origin: site.origin };
}

function openSite(site: SiteServer, backend: Backend, packagesFolder: string): void {
  const { content, playlistFile } = backend;
  const tokenServer = createTokenServer({
    origin: site.origin,
    issuer: createTokenIssuer(backend.tokenSecret),
    sessions: createSessions(),
    hasContent: (contentId) => contentId === content.contentId,
  });
  const { contentId, title } = content;
  const contents = [{ contentId, title, playlist: `/video/${basename(playlistFile)}` }];
  site.open({
    ...backend,
    tokenServer,
    contents,
    packagesFolder,
    videoFolder: dirname(resolve(playlistFile)),
  });
}

/** The addresses, and what to try. */
export function describeExample({ origin, keyServerUrl, playlistFile, content, own }: Example): string {
  const given = `
Sign in first:  ${origin}/   (Ada may do everything)
Watch:          ${origin}/player/
Upload:         ${origin}/upload/
Key server:     ${keyServerUrl}   (dashboard: ${keyServerUrl}/admin)
`;
  if (!own) return `${given}\nCtrl-C stops the pages.\n`;
  return `${given}API key:        ${own.apiKey}   (for this run)
Bucket:         ${own.store.endpoint}/${own.store.bucket}
A folder to upload: ${dirname(playlistFile)}

Revoke while it plays:
  curl -X POST ${keyServerUrl}/keys/leases/revoke -H 'Authorization: Bearer ${own.apiKey}' \\
    -H 'Content-Type: application/json' -d '{"contentId":"${content.contentId}"}'

Ctrl-C stops everything.
`;
}
