import { expect, it } from 'vitest';
import { answerProblem, startKeyServer } from '../testing/key-server.ts';
import { createContentRegistrar } from './register-content.ts';

const epochs = { count: 10, longestMs: 60_060, speed: 2 };
const periods = { mode: 'sequence', count: 10, periodSeconds: 60.06 };
const stored = { ...periods, burst: 8, speed: 2, pace: true };
type Body = Record<string, unknown>;

/** A server with one content, or none. It keeps the changes that it was sent. */
async function startRegistry(content: Body | null) {
  let known = content;
  const { url, seen } = await startKeyServer((request, response, n) => {
    const body: Body = JSON.parse(seen[n]?.body || '{}');
    if (request.method === 'GET' && !known)
      return answerProblem(response, 404, 'CONTENT_NOT_FOUND', 'No such content.');
    known = { ...known, ...body };
    response.end(JSON.stringify({ content: known }));
  });
  const access = { server: url, apiKey: 'k', wait: async () => {} };
  const sent = () => seen.filter(({ body }) => body !== '').map(({ line, body }) => [line, JSON.parse(body)]);
  return { access, sent };
}

it('new content is registered with its key periods, and nothing is left to be stated', async () => {
  const { access, sent } = await startRegistry(null);
  const registrar = createContentRegistrar(access, { name: 'A film' });
  await registrar.register({ contentId: 'film', epochs });
  await registrar.settle();
  expect(sent()).toEqual([['POST /api/v1/content', { id: 'film', name: 'A film', keyPeriods: periods }]]);
});

it('new content with one key throughout is registered without key periods', async () => {
  const { access, sent } = await startRegistry(null);
  await createContentRegistrar(access).register({ contentId: 'film', epochs: null });
  expect(sent()).toEqual([['POST /api/v1/content', { id: 'film', name: 'film' }]]);
});

it('known content without key periods gets them when the presentation is in place, not before', async () => {
  const { access, sent } = await startRegistry({ keyPeriods: null });
  const registrar = createContentRegistrar(access);
  await registrar.register({ contentId: 'film', epochs: { ...epochs, speed: 3.5 } });
  expect(sent()).toEqual([]);
  await registrar.settle();
  expect(sent()).toEqual([['PATCH /api/v1/content/film', { keyPeriods: { ...periods, speed: 3.5 } }]]);
});

it('the same rotation again leaves burst, speed and pace as an operator has set them', async () => {
  const { access, sent } = await startRegistry({
    keyPeriods: { ...stored, burst: 3, speed: 1.5, pace: false },
  });
  const registrar = createContentRegistrar(access);
  await registrar.register({ contentId: 'film', epochs });
  await registrar.settle();
  expect(sent()).toEqual([]);
});

it('another rotation keeps the keys of the old presentation until it is replaced, and keeps the choice of no pace', async () => {
  const more = await startRegistry({ keyPeriods: { ...stored, count: 4, pace: false } });
  const registrar = createContentRegistrar(more.access);
  await registrar.register({ contentId: 'film', epochs: { ...epochs, longestMs: 20_000 } });
  // The keys of the new epochs must be served, but the old ones go on as before.
  expect(more.sent()).toEqual([
    ['PATCH /api/v1/content/film', { keyPeriods: { ...stored, count: 10, pace: false } }],
  ]);
  await registrar.settle();
  expect(more.sent()[1]).toEqual([
    'PATCH /api/v1/content/film',
    { keyPeriods: { ...periods, periodSeconds: 20, pace: false } },
  ]);

  const fewer = await startRegistry({ keyPeriods: { ...stored, count: 40 } });
  const second = createContentRegistrar(fewer.access);
  await second.register({ contentId: 'film', epochs });
  expect(fewer.sent()).toEqual([]);
  await second.settle();
  expect(fewer.sent()).toEqual([['PATCH /api/v1/content/film', { keyPeriods: { ...periods, pace: true } }]]);
});

it('one key throughout takes the key periods away before the key is requested', async () => {
  const { access, sent } = await startRegistry({ keyPeriods: stored });
  await createContentRegistrar(access).register({ contentId: 'film', epochs: null });
  expect(sent()).toEqual([['PATCH /api/v1/content/film', { keyPeriods: null }]]);
});

it('the key periods of a live channel are not taken away by a film with one key throughout', async () => {
  const { access, sent } = await startRegistry({ keyPeriods: { mode: 'clock' } });
  const registering = createContentRegistrar(access).register({ contentId: 'news', epochs: null });
  await expect(registering).rejects.toThrow(
    /news follow the clock: it is a live channel.*another --content-id/,
  );
  expect(sent()).toEqual([]);
});

it.each([null, { keyPeriods: stored }])(
  'without a statement of key periods, the content keeps its key periods: %j',
  async (content) => {
    const { access, sent } = await startRegistry(content);
    const registrar = createContentRegistrar(access, { keyPeriods: false });
    await registrar.register({ contentId: 'film', epochs });
    await registrar.settle();
    expect(sent().flatMap(([, body]) => Object.keys(body))).not.toContain('keyPeriods');
  },
);

it('periods whose statement failed are stated by the next call', async () => {
  let refuses = true;
  const { url, seen } = await startKeyServer((request, response) => {
    if (request.method === 'PATCH' && refuses)
      return answerProblem(response, 403, 'INSUFFICIENT_SCOPE', 'This API key does not write content.');
    response.end(JSON.stringify({ content: { keyPeriods: null } }));
  });
  const registrar = createContentRegistrar({ server: url, apiKey: 'k', wait: async () => {} });
  await registrar.register({ contentId: 'film', epochs });
  await expect(registrar.settle()).rejects.toThrow('does not write content');
  refuses = false;
  await registrar.settle();
  await registrar.settle();
  expect(seen.filter(({ line }) => line.startsWith('PATCH'))).toHaveLength(2);
});

const playlistUrl = 'https://cdn.example/film/master.m3u8';

it('new content is registered with the URL of its playlist', async () => {
  const { access, sent } = await startRegistry(null);
  const registrar = createContentRegistrar(access, { playlistUrl });
  await registrar.register({ contentId: 'film', epochs: null });
  await registrar.settle();
  expect(sent()).toEqual([['POST /api/v1/content', { id: 'film', name: 'film', playlistUrl }]]);
});

it('known content without a playlist gets its URL at once, so that the server refuses a wrong one before the work', async () => {
  const { access, sent } = await startRegistry({ keyPeriods: null, playlistUrl: null });
  await createContentRegistrar(access, { playlistUrl }).register({ contentId: 'film', epochs });
  expect(sent()).toEqual([['PATCH /api/v1/content/film', { playlistUrl }]]);
});

it('sessions use the old playlist until the new presentation is in place, and its URL is stated with its key periods', async () => {
  const { access, sent } = await startRegistry({
    keyPeriods: null,
    playlistUrl: 'https://cdn.example/old.m3u8',
  });
  const registrar = createContentRegistrar(access, { playlistUrl });
  await registrar.register({ contentId: 'film', epochs });
  expect(sent()).toEqual([]);
  await registrar.settle();
  expect(sent()).toEqual([['PATCH /api/v1/content/film', { playlistUrl, keyPeriods: periods }]]);
});

it('the same playlist again is not stated, and without one the playlist of the content stays', async () => {
  const { access, sent } = await startRegistry({ keyPeriods: null, playlistUrl });
  await createContentRegistrar(access, { playlistUrl }).register({ contentId: 'film', epochs: null });
  const registrar = createContentRegistrar(access);
  await registrar.register({ contentId: 'film', epochs: null });
  await registrar.settle();
  expect(sent()).toEqual([]);
});
