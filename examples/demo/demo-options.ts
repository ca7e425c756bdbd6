import { readFlags } from '@latchkey/support/read-flags';

/** A key server that runs already, and a film that was encrypted with its keys. */
export interface GivenServer {
  readonly url: string;
  readonly contentId: string;
  /** The encrypted playlist. */
  readonly playlistFile: string;
}

export interface DemoOptions {
  /** Use the pages in a browser, and end. */
  readonly check: boolean;
  /** Port of the pages. 0: a free one. */
  readonly port: number;
  /** Undefined: the demonstration starts a server and makes a film. */
  readonly server: GivenServer | undefined;
}

/** The port of the pages, which the CORS_ORIGINS of a given server must name. */
const defaultPort = 4170;
const mostPort = 65_535;

const usage = `The demonstration: an application with a login, a player, an uploader, a button that revokes, and a live channel

  npm run demo                    starts a Latchkey server, a bucket, a live channel and the application, and prints the logins;
                                  Ctrl-C stops everything
  npm run demo -- --port 8000     port of the pages (default ${defaultPort}; 0: a free one)
  npm run demo -- --check         uses the pages in a headless Chromium, prints "demo: ok" and ends
  npm run demo -- --help          shows this

With a server and a film of your own:

  npm run demo -- --server http://localhost:4100 --content-id film --video encrypted/master.m3u8

    AUTH_JWT_SECRET must be the secret of the server, LATCHKEY_API_KEY one of its API keys that may revoke, and its CORS_ORIGINS
    must name http://127.0.0.1:${defaultPort}.

It needs ffmpeg (FFMPEG_PATH), and --check needs Chromium (CHROMIUM_PATH). Its film is kept in .cache/demo, which you may delete.
`;

/** Reads the command line. `--help` ends the process. @throws Error that names the option and the accepted forms */
export function readOptions(args: readonly string[]): DemoOptions {
  const text = { type: 'string' } as const;
  const options = {
    check: { type: 'boolean' },
    port: text,
    server: text,
    'content-id': text,
    video: text,
  } as const;
  const { values } = readFlags(usage, { args: [...args], options });
  const port = values.port ?? (values.check ? '0' : String(defaultPort));
  if (!/^\d{1,5}$/.test(port) || Number(port) > mostPort)
    throw new Error(`--port "${port}"; accepted: a whole number from 0 to ${mostPort}`);
  const server = readServer(values.server, values['content-id'], values.video);
  if (server && values.check) throw new Error('--check uses a server of its own: leave out --server');
  return { check: values.check ?? false, port: Number(port), server };
}

function readServer(server?: string, contentId?: string, video?: string): GivenServer | undefined {
  if (server === undefined && contentId === undefined && video === undefined) return undefined;
  if (server === undefined || contentId === undefined || video === undefined)
    throw new Error('--server, --content-id and --video go together');
  if (!URL.canParse(server) || !/^https?:$/.test(new URL(server).protocol))
    throw new Error(`--server "${server}"; accepted: an http or https URL`);
  return { url: server.replace(/(?<!\/)\/+$/, ''), contentId, playlistFile: video };
}
