import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { advise, askServer } from '../keys/ask-server.ts';
import { parsePositiveInteger } from './option-parsers.ts';
import { apiKeyFileOption, readServerAccess, type ServerOptions, serverOption } from './server-options.ts';

interface SessionCommandOptions extends ServerOptions {
  readonly viewer: string;
  readonly ttl?: number;
  readonly device?: string;
  readonly json?: true;
}

/** The part of the answer to `POST /keys/sessions` that is shown. */
interface SessionAnswer {
  readonly session: { readonly leaseId: string; readonly expiresAt: string; readonly endsAt: string };
  readonly url: string;
}

/** `latchkey session`: a URL that plays in VLC, mpv or ffmpeg without any option. */
export function registerSession(program: Command, context: CommandContext): void {
  const { stdout, stderr, signal } = context;
  program
    .command('session')
    .description('make a playback session: a URL that plays one content for one viewer, without a token')
    .argument('<content>', 'id of the content, which has a playlistUrl')
    .requiredOption('--viewer <id>', 'for whom it is; it counts for LEASE_MAX_PER_VIEWER')
    .addOption(serverOption())
    .addOption(apiKeyFileOption())
    .option(
      '--ttl <seconds>',
      'how long it lives without a use (default: LEASE_TTL_SECONDS)',
      parsePositiveInteger,
    )
    .option('--device <name>', "the name of the device in the viewer's list of leases")
    .option('--json', 'write the whole answer of the server as JSON')
    .addHelpText('after', examples)
    .action(async (contentId: string, options: SessionCommandOptions) => {
      const access = readServerAccess(options, context, 'session');
      const body = {
        contentId,
        viewerId: options.viewer,
        ttlSeconds: options.ttl,
        deviceId: options.device,
      };
      const path = '/keys/sessions';
      const answer = await askServer(access, { method: 'POST', path, body, signal }).catch(
        advise({
          SESSION_UNAVAILABLE:
            'A session needs PUBLIC_URL, the address of the server for players, among its variables, and the playlistUrl of the content: ' +
            `set it in the dashboard, with PATCH /api/v1/content/${contentId}, or with latchkey encrypt --register --playlist-url <url>.`,
          NOT_FOUND: 'The server makes no sessions: its LEASE_MODE is off.',
        }),
      );
      const made = (await answer.json()) as SessionAnswer;
      if (options.json) return void stdout.write(`${JSON.stringify(made, null, 2)}\n`);
      const { leaseId, expiresAt, endsAt } = made.session;
      stdout.write(`${made.url}\n`);
      stderr.write(
        `A secret: it plays ${contentId} as ${options.viewer}. It ends at ${expiresAt} without a use, else at ${endsAt} at the latest. ` +
          `Revoke lease ${leaseId} to end it.\n`,
      );
    });
}

const examples = `
The API key has the scope full or admin. The URL is a secret: it plays until it is revoked, is not used for --ttl, or has
lived for SESSION_MAX_SECONDS of the server. It is written to standard output alone.

Example:
  export LATCHKEY_API_KEY=lk_…
  vlc "$(latchkey session film-1 --viewer ada --server https://keys.example.com)"`;
