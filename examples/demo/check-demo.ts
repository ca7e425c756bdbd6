import { channel, demoPresentations } from './live-channel.ts';

export interface Addresses {
  readonly pageOrigin: string;
  readonly serverUrl: string;
}

/** The last epoch of a channel, whose time does not come. */
const farEpoch = 4_294_967_295;

/**
 * Sends the requests of the page without a browser: page, player, playlists, a token, a lease, and the first key of each
 * presentation: with the lease, without a token, and after the lease was revoked.
 *
 * @throws Error that names the first wrong answer
 */
export async function checkDemo({ pageOrigin, serverUrl }: Addresses): Promise<void> {
  await expectStatus(200, `${serverUrl}/ready`);
  await expectStatus(200, `${serverUrl}/admin`);
  for (const path of ['/', '/style.css', '/main.js', '/hls.mjs', '/demo/config']) {
    await expectStatus(200, `${pageOrigin}${path}`);
  }
  for (const { id, contentId } of demoPresentations) {
    const keyUrl = await findKeyUrl(`${pageOrigin}/video/${id}/master.m3u8`);
    const { token } = await call(`${pageOrigin}/demo/token`, { presentation: id }, { origin: pageOrigin });
    const headers = { authorization: `Bearer ${token}`, origin: pageOrigin };
    const { lease } = await call(`${serverUrl}/keys/leases`, { contentId }, headers);
    const withLease = { headers: { ...headers, 'x-lease-id': lease.id } };
    const key = await expectStatus(200, keyUrl, withLease);
    if ((await key.bytes()).length !== 16) throw new Error(`${keyUrl} is not a key of 16 bytes`);
    if (key.headers.get('access-control-allow-origin') !== pageOrigin) {
      throw new Error(`${keyUrl} cannot be read by the page: Access-Control-Allow-Origin is missing`);
    }
    await expectStatus(401, keyUrl);
    if (id === channel.id) await expectStatus(403, `${serverUrl}/keys/${contentId}/${farEpoch}`, withLease);
    await call(`${serverUrl}/keys/leases/revoke`, { leaseId: lease.id }, headers);
    await expectStatus(403, keyUrl, withLease);
  }
}

/** The first key URL of the first rendition. */
async function findKeyUrl(masterUrl: string): Promise<string> {
  const master = await (await expectStatus(200, masterUrl)).text();
  const rendition = master.split('\n').find((line) => line !== '' && !line.startsWith('#'));
  if (rendition === undefined) throw new Error(`${masterUrl} names no rendition`);
  const mediaUrl = new URL(rendition, masterUrl).href;
  const media = await (await expectStatus(200, mediaUrl)).text();
  const keyUrl = /#EXT-X-KEY:METHOD=AES-128,URI="([^"]+)"/.exec(media)?.[1];
  if (keyUrl === undefined) throw new Error(`${mediaUrl} names no key`);
  return keyUrl;
}

// biome-ignore lint/suspicious/noExplicitAny: each caller knows the answer of the route that it calls.
async function call(url: string, body: object, headers: Record<string, string>): Promise<any> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return response.json();
}

async function expectStatus(status: number, url: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(url, init);
  if (response.status === status) return response;
  throw new Error(`${url} answered ${response.status} instead of ${status}: ${await response.text()}`);
}
