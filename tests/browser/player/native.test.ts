import { createServer } from 'node:http';
import { eventually } from '@latchkey/support/black-box/eventually';
import { listenOnLoopback } from '@latchkey/support/black-box/listen-on-loopback';
import { startServer } from '@latchkey/support/black-box/target';
import { afterAll, expect, it, type TestContext } from 'vitest';
import { readSegments, renderWindow } from './live-window.ts';
import { type Film, keyServerUrl, openPlayerSetup, pageOrigin } from './player-setup.ts';
import { isForKeyServer, isKeyRequest, isLeaseRequest } from './requests.ts';
import { openScene, type PlayScene } from './scene.ts';

// Chromium plays HLS by itself, as Safari does. So the URL of a session is played here by a browser that sends no header of ours.
const relay = await startRelay();
const server = await startServer({
  CORS_ORIGINS: pageOrigin,
  PUBLIC_URL: keyServerUrl,
  PLAYLIST_ORIGINS: relay.origin,
});
const stage = await openPlayerSetup('short', Promise.resolve(server));
relay.to = stage.mediaUrl;
const [film, channel] = await Promise.all([stage.encrypt(), stage.encrypt()]);
await statePlaylist(film);
const live = await readSegments(stage, channel);
await statePlaylist(channel, live.path);

/** The server must know the origin of the playlists before the films are there. */
async function startRelay() {
  const state = { to: '', origin: '', seen: [] as string[] };
  let beganMs: number | undefined;
  const relaying = createServer(async (request, response) => {
    state.seen.push(JSON.stringify([request.url, request.headers]));
    if (request.url === live.path) {
      beganMs ??= performance.now();
      response.writeHead(200, {
        'content-type': 'application/vnd.apple.mpegurl',
        'cache-control': 'no-cache',
      });
      return void response.end(renderWindow(live.segments, performance.now() - beganMs).body);
    }
    const answer = await fetch(`${state.to}${request.url}`);
    const body = Buffer.from(await answer.arrayBuffer());
    const type = answer.headers.get('content-type') ?? '';
    response.writeHead(answer.status, { 'content-type': type, 'access-control-allow-origin': '*' });
    response.end(body);
  });
  const { origin, close } = await listenOnLoopback(relaying);
  afterAll(close);
  return Object.assign(state, { origin });
}

async function statePlaylist({ contentId, playlist }: Film, path = playlist) {
  const json = { playlistUrl: `${relay.origin}${path}` };
  const answer = await server.client.call('PATCH', `/api/v1/content/${contentId}`, {
    as: server.adminApiKey,
    json,
  });
  expect(answer.status).toBe(200);
}

async function open(test: Pick<TestContext, 'onTestFinished'>, shown = film) {
  const scene = await openScene(stage, test, {
    film: shown,
    hosts: { [new URL(relay.origin).host]: relay.origin },
  });
  // Chromium plays playlist and segments of two origins by itself only with CORS.
  await scene.page.evaluate('document.querySelector("video").crossOrigin = "anonymous"');
  return scene;
}
const isSessionRequest = ({ path }: { path: string }) => path === '/keys/sessions';
const secretIn = (text: string) => /\/play\/[\w-]{43}\/|[?&]s=[\w-]{43}/.test(text);
const revoke = async ({ viewerId }: PlayScene) => {
  const answer = await server.client.post('/keys/leases/revoke', server.adminApiKey, { viewerId });
  expect(answer.status).toBe(200);
};

it('a browser’s own HLS plays a session through three key periods to the end, without a token in any of its requests', async (test) => {
  const scene = await open(test);
  await scene.play({ native: 'always', rate: 4 });
  const { errors, leases, duration } = await scene.until('seen.ended');
  expect([errors, leases.length]).toEqual([[], expect.any(Number)]);
  expect(duration).toBeGreaterThan(11);
  const asked = scene.wire.requests.filter(isForKeyServer);
  expect(asked.filter(isSessionRequest).filter(({ method }) => method === 'POST')).toHaveLength(1);
  const keys = asked.filter(isKeyRequest);
  expect(new Set(keys.map(({ path }) => path.replace(/\?.*/, ''))).size).toBeGreaterThanOrEqual(3);
  const plain = asked.filter(({ path }) => secretIn(path));
  expect(plain.length).toBeGreaterThan(3);
  for (const { headers } of plain) expect(headers.authorization).toBeUndefined();
  // The media server gets neither a token nor the secret, in a referrer either.
  const others = scene.wire.requests.filter((request) => !isForKeyServer(request));
  expect(others.filter(({ path, headers }) => secretIn(path) || secretIn(JSON.stringify(headers)))).toEqual(
    [],
  );
  await eventually(() => expect(scene.wire.requests.some(isLeaseRequest('/revoke'))).toBe(true));
});

it('a browser’s own HLS plays a live session, whose playlist it reads again until the last key period', async (test) => {
  const scene = await open(test, channel);
  await scene.play({ native: 'always' });
  const asksForEpoch = (epoch: number) =>
    scene.wire.requests.some(({ path }) => path.startsWith(`/keys/${channel.contentId}/${epoch}?s=`));
  await scene.until('seen.currentTime > 1');
  await eventually(() => expect(asksForEpoch(2)).toBe(true));
  expect((await scene.seen()).errors).toEqual([]);
});

it('a session that is revoked while a browser plays it by itself ends playback with LEASE_REVOKED', async (test) => {
  const scene = await open(test);
  await scene.play({ native: 'always', hasOwnTime: true });
  await scene.until('seen.currentTime > 0.5');
  await revoke(scene);
  // The next renewal, or before it the browser's own next request for a key.
  await scene.letPass(300_000);
  const { errors, paused } = await scene.until('seen.errors.length > 0');
  expect(errors).toMatchObject([{ code: 'LEASE_REVOKED', status: 403 }]);
  expect(paused).toBe(true);
});

it('remoteSource gives a URL that opens the playlist without a token, until the player is destroyed', async (test) => {
  const scene = await open(test);
  await scene.play();
  const source = (await scene.page.evaluate('window.player().remoteSource()')) as {
    url: string;
    contentType: string;
  };
  expect(source.contentType).toBe('application/vnd.apple.mpegurl');
  expect(source.url.startsWith(`${keyServerUrl}/play/`)).toBe(true);
  const path = source.url.slice(keyServerUrl.length);
  const opened = await server.client.get(path);
  expect([opened.status, opened.bytes.toString().startsWith('#EXTM3U')]).toEqual([200, true]);
  expect(await scene.page.evaluate('window.player().remoteSource()')).toEqual(source);
  await scene.page.evaluate('window.player().destroy()');
  await eventually(async () => expect((await server.client.get(path)).code).toBe('LEASE_REVOKED'));
});
