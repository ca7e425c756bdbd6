import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { securityPolicy } from './security-policy.ts';
import type { Sessions } from './sessions.ts';

export interface PagesOptions {
  readonly sessions: Sessions;
  readonly keyServerUrl: string;
  readonly uploadsUrl: string | undefined;
  /** The built packages, as `player/` and `uploader/`. An application with a bundler needs no such folder. */
  readonly packagesFolder: string;
  /** Encrypted files that are not in the bucket, at `/media/`. */
  readonly mediaFolder: string;
}

const pagesFolder = join(import.meta.dirname, 'pages');
const hlsFolder = dirname(fileURLToPath(import.meta.resolve('hls.js/dist/hls.min.mjs')));

/** The three pages, their files, and the policy that lets them connect to nothing but the application, the key server and the bucket. */
export function addPages(app: FastifyInstance, options: PagesOptions): void {
  const { sessions, keyServerUrl, uploadsUrl, packagesFolder, mediaFolder } = options;
  const html = ['login', 'watch', 'studio'].map((name) =>
    readFileSync(join(pagesFolder, `${name}.html`), 'utf8'),
  );
  const origins = [keyServerUrl, ...(uploadsUrl === undefined ? [] : [uploadsUrl])].map(
    (url) => new URL(url).origin,
  );
  const policy = securityPolicy(html, origins);
  app.addHook('onRequest', async (_, reply) => {
    reply.headers({
      'content-security-policy': policy,
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
  });

  const folders = { '/pages/': pagesFolder, '/sdk/': packagesFolder, '/media/': mediaFolder };
  for (const [prefix, root] of Object.entries(folders))
    app.register(fastifyStatic, {
      root,
      prefix,
      dotfiles: 'ignore',
      index: false,
      decorateReply: prefix === '/pages/',
    });
  app.get('/sdk/hls.mjs', (_, reply) => reply.sendFile('hls.min.mjs', hlsFolder));

  // Without a user, or with one who may not see it, a page leads to another one.
  app.get('/login', (_, reply) => reply.sendFile('login.html'));
  app.get('/', ({ headers }, reply) =>
    sessions.userOf(headers.cookie) ? reply.sendFile('watch.html') : reply.redirect('/login'),
  );
  app.get('/studio', ({ headers }, reply) =>
    sessions.userOf(headers.cookie)?.isAdmin ? reply.sendFile('studio.html') : reply.redirect('/login'),
  );
}
