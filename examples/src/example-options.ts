import { parseArgs } from 'node:util';
import { UsageError } from './usage-error.ts';

/** A key server that runs already, and a video that was encrypted with its keys. */
export interface GivenServer {
  readonly url: string;
  readonly contentId: string;
  /** The encrypted playlist. */
  readonly playlistFile: string;
}

/** The options of the command line. */
export interface ExampleOptions {
  readonly help: boolean;
  /** Use the pages in a browser, and end. */
  readonly check: boolean;
  /** Port of the pages; 0 for a free one. */
  readonly port: number;
  /** Undefined: the example starts a server and makes a video. */
  readonly server: GivenServer | undefined;
}

/** The port of the pages with a given key server, whose CORS_ORIGINS must name them. */
const portBesideServer = 4170;
const mostPort = 65_535;

export const usage = `The examples: an application that issues tokens, a page that plays and a page that uploads.

  npm run example                 starts a Latchkey server and a bucket, and makes a video; Ctrl-C stops everything
  npm run example -- --check      uses the pages in a headless Chromium, prints "example: ok" and ends
  npm run example -- --port 8000  port of the pages (default: a free one; with --server ${portBesideServer})
  npm run example -- --help       shows this

With a server of your own:

  npm run example -- --server http://localhost:4100 --content-id film --video encrypted/master.m3u8

    AUTH_JWT_SECRET must be that of the server, and its CORS_ORIGINS must name http://127.0.0.1:${portBesideServer}.

With a bucket of your own: set S3_ENDPOINT, S3_BUCKET, S3_REGION, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.
Its CORS rules must allow uploads from these pages (docs/uploads.md). The bucket is part of the path of the URLs.

It needs ffmpeg (FFMPEG_PATH), and --check needs Chromium (CHROMIUM_PATH).
`;

/** @throws UsageError */
export function readOptions(args: readonly string[]): ExampleOptions {
  const { help = false, check = false, port, ...given } = parse(args);
  const server = readServer(given);
  const preset = server && !check ? portBesideServer : 0;
  return { help, check, server, port: port === undefined ? preset : readPort(port) };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        help: { type: 'boolean', short: 'h' },
        check: { type: 'boolean' },
        port: { type: 'string' },
        server: { type: 'string' },
        'content-id': { type: 'string' },
        video: { type: 'string' },
      },
    }).values;
  } catch (cause) {
    throw new UsageError((cause as Error).message, { cause });
  }
}

interface GivenValues {
  readonly server?: string | undefined;
  readonly 'content-id'?: string | undefined;
  readonly video?: string | undefined;
}

function readServer({ server, 'content-id': contentId, video }: GivenValues): GivenServer | undefined {
  if (server === undefined && contentId === undefined && video === undefined) return undefined;
  if (server === undefined || contentId === undefined || video === undefined)
    throw new UsageError('--server, --content-id and --video go together');
  if (!URL.canParse(server) || !/^https?:$/.test(new URL(server).protocol))
    throw new UsageError(`--server "${server}"; accepted: an http or https URL`);
  return { url: server.replace(/(?<!\/)\/+$/, ''), contentId, playlistFile: video };
}

function readPort(text: string): number {
  const value = /^\d{1,5}$/.test(text) ? Number(text) : -1;
  if (value >= 0 && value <= mostPort) return value;
  throw new UsageError(`--port "${text}"; accepted: a whole number from 0 to ${mostPort}`);
}
