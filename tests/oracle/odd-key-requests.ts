/** The only origin in CORS_ORIGINS. */
export const pageOrigin = 'https://player.example';
export const adminKey = `lk_${'a'.repeat(64)}`;
const tokenLike = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJlLW9mLWEtdG9rZW4';
/** The id of a key that a packager named. */
export const kid = '98ee5596-cd3e-a20d-163a-e382420c6eff';
const longId = 'x'.repeat(256);
const keyLikeId = `lk_${'0'.repeat(20)}`;

/** The only one in PLAYLIST_ORIGINS. */
export const playlistOrigin = 'https://cdn.example';

/** A server to prepare, with ADMIN_API_KEY, PUBLIC_URL and PLAYLIST_ORIGINS. */
export interface OddRequestNode {
  call(method: string, path: string, credential: string, body: unknown): Promise<Record<string, unknown>>;
  /** A viewer's token. */
  token(sub?: string, claims?: object): string;
}

/** A request as text, without the empty line at its end. */
function get(path: string, ...headers: string[]): string {
  return [`GET ${path} HTTP/1.1`, 'host: keys.example', ...headers].join('\r\n');
}

/** Usual requests for keys, and many that only look as if. */
export async function oddRequests({ call, token }: OddRequestNode): Promise<string[]> {
  await registerContents(call);
  const lease = async (sub: string) =>
    ((await call('POST', '/keys/leases', token(sub), { contentId: 'film' })).lease as { id: string }).id;
  const [own, other, revoked] = [await lease('ada'), await lease('bob'), await lease('ada')];
  await call('POST', '/keys/leases/revoke', token('ada'), { leaseId: revoked });
  const bearer = `authorization: Bearer ${token()}`;
  const film = (...headers: string[]) => get('/keys/film/0', bearer, ...headers);
  const leases = [own, other, revoked, '', 'none', own.toUpperCase()].map((id) => film(`x-lease-id: ${id}`));
  const { session } = await call('POST', '/keys/sessions', token('ada'), { contentId: 'film' });
  const { id } = session as { id: string };
  return [
    ...oddSessions(id),
    get(`/keys/film/0?s=${id}`, bearer),
    ...leases,
    film(`x-lease-id: ${own}`, `x-lease-id: ${own}`),
    film(`authorization: Bearer ${token('bob')}`),
    ...oddForms(bearer),
    ...oddCredentials(token),
  ];
}

/** The `oddRequests` that need no server: targets, headers, methods and versions, all with the same credential. */
function oddForms(bearer: string): string[] {
  const film = (...headers: string[]) => get('/keys/film/0', bearer, ...headers);
  return [...oddPaths(bearer), ...oddHeaders(film), ...oddStarts(film)];
}

/** Requests by the id of a session for `film`, and many that only look as if. */
function oddSessions(sid: string): string[] {
  const queries = ['s=', 's', `s=${sid.slice(1)}`, `s=${sid}A`, `s=${sid.replace(/.$/, '~')}`, `S=${sid}`];
  const alone = [`s=${sid}&s=${sid}`, `s=${sid}&a=1`, `a=1&s=${sid}`, `access_token=a&s=${sid}`, `s=${sid}?`];
  const paths = [
    '/keys/film',
    '/keys/film/1',
    '/keys/gone',
    '/keys/unknown/0',
    '/keys/film/01',
    `/keys/film/kid/${kid}`,
    `/keys/film/kid/${kid.slice(1)}`,
    '/keys/leases',
  ];
  const film = (...headers: string[]) => get(`/keys/film/0?s=${sid}`, ...headers);
  return [
    ...[...queries, ...alone].map((query) => get(`/keys/film/0?${query}`)),
    ...paths.map((path) => get(`${path}?s=${sid}`)),
    film(),
    film(`origin: ${pageOrigin}`),
    film('origin: https://other.example'),
    film('authorization: Bearer rubbish'),
    film('cookie: latchkey_token=a'),
    film('x-lease-id: none'),
    film(`user-agent: Player https://keys.example/play/${sid}/index.m3u8`),
    film().replace('GET', 'HEAD'),
  ];
}

async function registerContents(call: OddRequestNode['call']): Promise<void> {
  const register = (id: string, more: object = {}) =>
    call('POST', '/api/v1/content', adminKey, { id, name: 'A', ...more });
  for (const id of ['gone', longId, keyLikeId]) await register(id);
  await register('film', { playlistUrl: `${playlistOrigin}/film.m3u8` });
  await call('PATCH', '/api/v1/content/gone', adminKey, { status: 'disabled' });
  const times = { origin: '1970-01-01T00:00:00.000Z', periodSeconds: 86_400, ahead: 1, behind: null };
  await register('live', { keyPeriods: { mode: 'clock', ...times } });
  await register('paced', { keyPeriods: { mode: 'sequence', count: 9, periodSeconds: 60 } });
  await register('tight', { keyPeriods: { mode: 'sequence', count: 9, periodSeconds: 60, burst: 1 } });
}

function oddPaths(bearer: string): string[] {
  const kids = [
    kid.toUpperCase(),
    kid.slice(1),
    `${kid}0`,
    kid.replaceAll('-', '0'),
    `${kid}/`,
    `${kid}?a=1`,
    '',
  ];
  const epochs = '0 1 4294967295 4294967296 01 -1 1.0 1e3 0/0 0? 0?a=1 0#a %30'.split(' ');
  const ids = 'film film/ gone unknown f%69lm film;a leases leases/0 leases/renew'.split(' ');
  const periods = 'live live/0 live/99999999 paced paced/0 paced/1 paced/9 tight/0 tight/1 tight/0'.split(
    ' ',
  );
  return [
    ...epochs.map((epoch) => `/keys/film/${epoch}`),
    ...[...ids, ...periods, longId, `${longId}x`, keyLikeId].map((id) => `/keys/${id}`),
    ...['film', 'gone', 'unknown', 'leases', 'live', 'paced', longId].map((id) => `/keys/${id}/kid/${kid}`),
    ...kids.map((odd) => `/keys/film/kid/${odd}`),
    ...'//keys/film/0 /KEYS/film/0 /keys//film / /keys http://keys.example/keys/film/0'.split(' '),
  ].map((path) => get(path, bearer));
}

function oddHeaders(film: (...headers: string[]) => string): string[] {
  const of = (name: string, ...values: string[]) => values.map((value) => film(`${name}: ${value}`));
  return [
    film(),
    ...of('origin', pageOrigin, 'https://other.example', 'null'),
    ...of('x-request-id', 'mine-1', 'a b', tokenLike.slice(0, 64), 'x'.repeat(65)),
    ...of('x-forwarded-for', '198.51.100.7', '198.51.100.7, 127.0.0.1', 'rubbish'),
    ...of('user-agent', 'Player/1.0 "ä"', tokenLike, ''),
    ...of('connection', 'close', 'keep-alive', 'x-lease-id'),
    film('cookie: latchkey_token=a', 'range: bytes=0-3', 'accept-encoding: gzip', 'if-none-match: "a"'),
    film('cookie: latchkey_token=a', 'sec-fetch-site: cross-site'),
    film('cookie: latchkey_token=a', 'sec-fetch-site: cross-site', `origin: ${pageOrigin}`),
    film('cookie: latchkey_token=a', 'sec-fetch-site: same-site'),
    film('host: second.example'),
    film('expect: 100-continue-not'),
    film('upgrade: h2c', 'connection: upgrade'),
  ];
}

function oddCredentials(token: OddRequestNode['token']): string[] {
  const credentials = [
    `bearer ${token()}`,
    `Bearer  ${token()} `,
    `Bearer ${token(`${tokenLike} "ä" \\ \u2028`)}`,
    `Bearer ${token('ada', { content_ids: ['film'] })}`,
    `Bearer ${token('ada', { content_ids: ['other'] })}`,
    `Bearer ${token('ada', { exp: 1 })}`,
    `Bearer ${token().slice(0, -3)}abc`,
    `Bearer ${adminKey}`,
    `Bearer lk_${'b'.repeat(64)}`,
    'Bearer rubbish',
    'Basic YTpi',
  ];
  return [
    ...credentials.map((credential) => get('/keys/film/0', `authorization: ${credential}`)),
    get('/keys/film/0'),
    get(`/keys/film/0?access_token=${token()}`),
  ];
}

/** Other methods and versions, and requests without a host. */
function oddStarts(film: (...headers: string[]) => string): string[] {
  const older = (request: string) => request.replace('HTTP/1.1', 'HTTP/1.0');
  const withoutHost = film().replace('\r\nhost: keys.example', '');
  return [
    ...['HEAD', 'PUT', 'POST'].map((method) => film().replace('GET', method)),
    older(film()),
    older(film('connection: keep-alive')),
    withoutHost,
    older(withoutHost),
  ];
}
